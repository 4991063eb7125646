package results_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

const header = "experiment,strategy,x,quantity,unit,value,low,high,theory,paper,count\n"

func TestNumberText(t *testing.T) {
	reads := func(v float64, want string) {
		t.Helper()
		strategytest.Equal(t, results.Num(v).String(), want, "Num(%v) is written", v)
	}
	reads(0, "0")
	reads(math.Copysign(0, -1), "0")
	reads(-3, "-3")
	reads(40_000_000_000, "40000000000") // the paper's 40 GB, exactly
	reads(999_999_999_999_999, "999999999999999")
	reads(1<<62, "4.61168602e+18")
	reads(0.1, "0.1")
	reads(0.02026812345678, "0.0202681235")
	reads(500.0/(1<<62)/4, "2.71050543e-17") // the queue's rate at 500
	reads(1234567890.5, "1234567890")        // rounds to an integer, so it is written as one
	strategytest.Equal(t, (results.Number{}).String(), "", "no number is written")
	if results.Num(0) == (results.Number{}) {
		t.Error("zero and no number are the same")
	}
}

// A difference in the last place between two machines must not reach the file.
func TestTheoryHidesTheLastPlace(t *testing.T) {
	write := func(v float64) string {
		var b bytes.Buffer
		row := results.Row{Experiment: "e", Quantity: "q", Theory: results.Num(v)}
		strategytest.Must(t, results.Write(&b, []results.Dimension{along}, []results.Row{row}))
		return b.String()
	}
	v := 0.020268
	if a, b := write(v), write(math.Nextafter(v, 1)); a != b {
		t.Errorf("one unit in the last place shows: %q and %q", a, b)
	}
	if a, b := write(v), write(v*(1+1e-6)); a == b {
		t.Errorf("a millionth does not show: %q", a)
	}
}

func sample() []results.Row {
	return []results.Row{
		{
			Experiment: results.FPR, Strategy: "chain", Where: results.Where(along.At(500)), Quantity: results.QFPR,
			Unit:  results.Ratio,
			Value: results.Num(0.0983), Low: results.Num(0.098), High: results.Num(0.0986),
			Theory: results.Num(0.098289), Paper: results.Num(0.0156), Count: 40_000_000,
		},
		{Experiment: results.Daily, Quantity: results.QPayloadTotal, Unit: results.Bytes, Value: results.Num(5_080_000_000)},
		{Experiment: "mine", Strategy: `a "quoted", 中文 name`, Quantity: " leading space"},
	}
}

func TestWriteThenRead(t *testing.T) {
	var b bytes.Buffer
	strategytest.Must(t, results.Write(&b, []results.Dimension{along}, sample()))
	want := header + "fpr,chain,500,fpr,ratio,0.0983,0.098,0.0986,0.098289,0.0156,40000000\n" +
		"daily,,,payload total,B,5080000000,,,,,\n" +
		"mine,\"a \"\"quoted\"\", 中文 name\",,\" leading space\",,,,,,,\n"
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
	got := strategytest.Value(results.Read(&b))
	for i, row := range sample() {
		strategytest.Equal(t, got[i], row, "row %d", i)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "line 1: empty"},
		{"another header", "a,b\n", `line 1: header "a,b"`},
		{"a short line", header + "e,s,1\n", "line 2: 3 fields: want 11"},
		{"a word", header + "e,s,1,q,u,many,,,,,\n", `line 2, column 11: value: "many": want a finite decimal number`},
		{"not a number", header + "e,s,1,q,u,NaN,,,,,\n", `value: "NaN"`},
		{"infinity", header + "e,s,1,q,u,,,,+Inf,,\n", `theory: "+Inf"`},
		{"overflow", header + "e,s,1e999,q,u,,,,,,\n", `x: "1e999"`},
		{"hexadecimal", header + "e,s,1,q,u,0x1p4,,,,,\n", `value: "0x1p4"`},
		{"two conditions in one", header + "e,s,\"1, y=2\",q,u,1,,,,,\n", `x: "1, y=2"`},
		{"a broken count", header + "e,s,1,q,u,,,,,,1.5\n", `count: "1.5": want a whole number`},
		{"a negative count", header + "e,s,1,q,u,,,,,,-1\n", `count: "-1"`},
		{"no experiment", header + ",s,1,q,u,,,,,,\n", "experiment: empty"},
		{"no quantity", header + "e,s,1,,u,,,,,,\n", "quantity: empty"},
		{"a line break in a name", header + "\"e\nf\",s,1,q,u,,,,,,\n", "no control characters"},
		{"not UTF-8", header + "e,\xff,1,q,u,,,,,,\n", "valid UTF-8"},
		{"an open quote", header + "\"e,s,1,q,u,,,,,,\n", "line 2"},
	} {
		_, err := results.Read(strings.NewReader(c.text))
		strategytest.ErrorSays(t, c.name, err, c.want)
	}
}

func TestWriteRefusesWhatReadWould(t *testing.T) {
	for _, row := range []results.Row{
		{Quantity: "q"},
		{Experiment: "e"},
		{Experiment: "e", Quantity: "q\n"},
		{Experiment: "e", Quantity: "q", Strategy: "\xff"},
		{Experiment: "e", Quantity: "q", Value: results.Num(math.NaN())},
		{Experiment: "e", Quantity: "q", Where: results.Where(along.At(math.Inf(1)))},
		{Experiment: "e", Quantity: "q", Count: -1},
		{Experiment: "e", Quantity: "q", Where: "y=1"},
	} {
		strategytest.ErrorSays(t, fmt.Sprintf("%+v was written", row),
			results.Write(new(bytes.Buffer), []results.Dimension{along}, []results.Row{row}), "row 1 (")
	}
}

// Whatever Read accepts, Write writes, and from then on nothing changes any more.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	strategytest.Must(f, results.Write(&b, []results.Dimension{along}, sample()))
	f.Add(b.String())
	f.Add(header)
	f.Add(header + "e,s,1234567890.5,q,u,1e300,-0,.5,9999999.5,+1e-300,007\r\n")
	f.Add(header + "\n\ne,,,q,,,,,,,\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := results.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := results.Write(&first, used(rows), rows); err != nil {
			t.Fatalf("read, but not written: %v", err)
		}
		again, err := results.Read(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("written, but not read: %v", err)
		}
		strategytest.Must(t, results.Write(&second, used(rows), again))
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("changed on the way:\n%s\n%s", first.Bytes(), second.Bytes())
		}
		if c := results.Compare(again, rows); c.Matched != len(rows) || len(c.Extra) > 0 {
			t.Errorf("not equal to itself: %+v", c)
		}
	})
}

// used returns the dimensions of all rows, by name.
func used(rows []results.Row) (all []results.Dimension) {
	names := map[string]bool{}
	for _, r := range rows {
		for _, c := range r.Where.List() {
			names[c.Dimension] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = append(all, results.Dimension{Name: name})
	}
	return all
}
