package results_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"dejavu/results"
)

func TestCompare(t *testing.T) {
	row := func(x, value float64) results.Row {
		return results.Row{Experiment: "e", Strategy: "s", X: results.Num(x), Quantity: "q", Value: results.Num(value), Count: 10}
	}
	got := []results.Row{row(1, 1), row(2, 2.5), row(4, 4), row(5, 5), row(5, 6), row(5, 7)}
	want := []results.Row{row(1, 1.0000000001), row(2, 2), row(3, 3), row(5, 5), row(5, 6)}
	c := results.Compare(got, want)
	if c.Matched != 3 || c.Differing != 1 || len(c.Missing) != 1 || len(c.Extra) != 2 {
		t.Fatalf("got %+v", c)
	}
	if d := c.Fields[0]; d.Field != "value" || d.Got != "2.5" || d.Want != "2" || d.Key != row(2, 0).Key() {
		t.Errorf("got difference %+v", d)
	}
	if c.Missing[0].X != "3" || c.Extra[0].X != "4" || c.Extra[1].X != "5" {
		t.Errorf("missing %v, extra %v", c.Missing, c.Extra)
	}
	if c := results.Compare(got, got); c.Matched != len(got) || c.Differing+len(c.Missing)+len(c.Extra) > 0 {
		t.Errorf("with itself: %+v", c)
	}
}

func ExampleCompare() {
	rate := results.Row{Experiment: results.FPR, Strategy: "single", X: results.Num(500), Quantity: results.QFPR, Unit: results.Ratio}
	got, want := rate, rate
	got.Value, want.Value = results.Num(0.0203), results.Num(0.0202)
	c := results.Compare([]results.Row{got}, []results.Row{want})
	fmt.Println(c.Matched, "match,", c.Differing, "differ")
	fmt.Println(c.Fields[0])
	// Output:
	// 0 match, 1 differ
	// fpr: fpr of single at 500: value is 0.0203, reference 0.0202
}

// A table within so many columns has no longer line, where its cells can be broken, and
// loses no word.
func TestTableWithin(t *testing.T) {
	table := results.Table{
		Title: "A table of several columns", Header: []string{"name", "what it says", "how often"},
		Rows: [][]string{{"one", "a sentence that goes on for some time", "12"}, {"another", "short", "345678"}},
	}
	for _, columns := range []int{40, 50, 80} {
		text := table.Within(columns)
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("within %d columns: a line of %d: %s", columns, n, line)
			}
		}
		for _, word := range strings.Fields("one a sentence that goes on for some time 12 another short 345678 often") {
			if !strings.Contains(text, word) {
				t.Errorf("within %d columns: %q is lost:\n%s", columns, word, text)
			}
		}
	}
	if table.Within(80) != table.Text() {
		t.Errorf("a table that fits is another within 80 columns:\n%s", table.Within(80))
	}
	line, _, _ := strings.Cut(table.Text(), "\n")
	width := utf8.RuneCountInString(line)
	if table.Within(width) != table.Text() || table.Within(width-1) == table.Text() {
		t.Errorf("a table %d wide is broken within as many columns:\n%s\nor not within fewer:\n%s", width, table.Within(width), table.Within(width-1))
	}
	table.Title = "A title that is longer than the terminal, of which no word may be broken"
	for word := range strings.FieldsSeq(table.Title) {
		if text := table.Within(40); !strings.Contains(text, word) {
			t.Errorf("%q is broken:\n%s", word, text)
		}
	}
	if text := table.Within(5); !strings.Contains(text, "another") { // as narrow as it gets
		t.Errorf("within 5 columns:\n%s", text)
	}
}

func TestTable(t *testing.T) {
	table := results.Table{
		Title:  "Memory 内存, 100% sure",
		Header: []string{"Strategy", "bytes", "note"},
		Rows:   [][]string{{"queue", "4000"}, {"队列", "–", "a|b <c>"}},
	}
	// Every line is as wide on a terminal as the others; a Chinese sign is two columns.
	width := func(s string) (n int) {
		for _, r := range s {
			n++
			if r >= 0x4e00 && r <= 0x9fff {
				n++
			}
		}
		return n
	}
	lines := strings.Split(strings.TrimSpace(table.Text()), "\n")
	for _, line := range lines {
		if width(line) != width(lines[0]) {
			t.Errorf("ragged:\n%s", table.Text())
			break
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"text", table.Text(), "│ queue    │  4000 │"},
		{"text", table.Text(), "100% sure"},
		{"Markdown", table.Markdown(), "**Memory 内存, 100% sure**\n\n| Strategy | bytes | note |\n| --- | ---:| --- |\n| queue | 4000 |"},
		{"Markdown", table.Markdown(), `a\|b`},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%s lacks %q:\n%s", c.name, c.want, c.text)
		}
	}
}

// Times are set against each other with both intervals: what noise may explain
// does not differ, a machine half as fast moves the times and not their ratios,
// and what has no interval is named.
func TestCompareTimes(t *testing.T) {
	row := func(x float64, quantity, unit string, value, low, high float64) results.Row {
		r := results.Row{Experiment: "latency", Strategy: "s", X: results.Num(x), Quantity: quantity, Unit: unit, Value: results.Num(value)}
		if low != 0 {
			r.Low, r.High = results.Num(low), results.Num(high)
		}
		return r
	}
	got := []results.Row{
		row(1, "p50", results.Nanoseconds, 200, 190, 210),
		row(2, "p50", results.Nanoseconds, 220, 180, 260),
		row(3, "p50", results.Nanoseconds, 900, 880, 910),
		row(1, "p99", results.Nanoseconds, 900, 0, 0),
		row(1, "over", results.Ratio, 2, 1.9, 2.1),
		row(1, "store", results.Bytes, 5, 4, 6),
		row(9, "p50", results.Nanoseconds, 5, 4, 6),
	}
	want := []results.Row{
		row(1, "p50", results.Nanoseconds, 100, 95, 105),
		row(2, "p50", results.Nanoseconds, 100, 90, 110),
		row(3, "p50", results.Nanoseconds, 300, 290, 310),
		row(1, "p99", results.Nanoseconds, 900, 800, 1000),
		row(1, "over", results.Ratio, 1.5, 1.4, 1.6),
		row(1, "store", results.Bytes, 5, 4, 6),
		row(8, "p50", results.Nanoseconds, 5, 4, 6),
	}
	c := results.CompareTimes(got, want)
	if len(c.Times) != 3 || len(c.Ratios) != 1 || len(c.Single) != 1 || c.Single[0].Quantity != "p99" {
		t.Fatalf("times %v, ratios %v, without an interval %v", c.Times, c.Ratios, c.Single)
	}
	if m := c.Machine(); m != 2.2 {
		t.Errorf("the machine takes %v times as long, want the median 2.2", m)
	}
	if r := c.Times[0]; r.Value != 2 || r.Low != 190./105 || r.High != 210./95 {
		t.Errorf("first ratio %+v", r)
	}
	for i, differs := range []bool{false, false, true} {
		if c.Times[i].Differs(2.2) != differs {
			t.Errorf("%v differs: %v", c.Times[i], !differs)
		}
	}
	if !c.Ratios[0].Differs(1) {
		t.Errorf("%v does not differ", c.Ratios[0])
	}
	if m := (results.TimeComparison{}).Machine(); m != 1 {
		t.Errorf("without times the machine takes %v times as long", m)
	}
}
