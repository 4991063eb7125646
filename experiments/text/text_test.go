package text

import (
	"testing"
	"time"

	"dejavu/results"
)

func number(unit, quantity string, v float64) results.Row {
	return results.Row{Unit: unit, Quantity: quantity, Value: results.Num(v)}
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		row  results.Row
		want string
	}{
		{results.Row{}, ""},
		{results.Row{Theory: results.Num(3)}, "3"}, // theory alone
		{number(results.Bytes, "", 508), "508 B"},
		{number(results.Bytes, "", 99_999), "99999 B"},
		{number(results.Bytes, "", 5.08e9), "5.08 GB"},
		{number(results.Bytes, "", 999_999), "1 MB"}, // not "1e+03 kB"
		{number(results.Bytes, "", 999.4e6), "999 MB"},
		{number(results.Bytes, "", 999.6e6), "1 GB"},
		{number(results.Bytes, "", 40e12), "40 TB"},
		{number(results.Ratio, "fpr at 500", 0.0156), "1.56 %"},
		{number(results.Ratio, "fpr", 0), "0"},
		{number(results.Ratio, "fpr", 1), "100 %"},
		{number(results.Ratio, "fill", 0.5), "0.5"},
		{number(results.Nanoseconds, "", 480.4), "480 ns"},
		{number(results.Nanoseconds, "", 9999.4), "9999 ns"},
		{number(results.Nanoseconds, "", 12_345), "12.3 µs"},
		{number(results.Nanoseconds, "", 999_900), "1 ms"}, // not "1e+03 µs"
		{number(results.Nanoseconds, "", 2.5e6), "2.5 ms"},
		{number("", "window least", 400), "400"},
		{number("", "window mean", 449.52), "449.52"},
		{number("", "users alive", 7_654_321), "7654321"}, // not "7.6543e+06"
		{number("", "users alive", 10_000_000), "10000000"},
	} {
		if got := Of(c.row); got != c.want {
			t.Errorf("Of(%v %s %s) = %q, want %q", c.row.Value, c.row.Unit, c.row.Quantity, got, c.want)
		}
	}
}

func TestBrackets(t *testing.T) {
	r := number(results.Bytes, "", 508)
	if got, want := WithPaper(r, true), "508 B"; got != want {
		t.Errorf("WithPaper of what the paper does not state: %q, want %q", got, want)
	}
	r.Paper = results.Num(500)
	if got, want := WithPaper(r, true), "508 B (500 B)"; got != want {
		t.Errorf("WithPaper: %q, want %q", got, want)
	}
	if got := WithPaper(results.Row{}, false); got != None {
		t.Errorf("WithPaper of nothing: %q", got)
	}
	rate := number(results.Ratio, "fpr", 0.0203)
	rate.Theory = results.Num(0.02026848)
	if got, want := WithTheory(rate), "2.03 % [2.03 %]"; got != want {
		t.Errorf("WithTheory: %q, want %q", got, want)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 10_000_000: "10,000,000", 1_002_003: "1,002,003"} {
		if got := Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{"one two", "one two"},
		{"one two three four", "one two\n > three\n > four"},
		{"  indented is kept", "  indented\n > is kept"},
		{"incomprehensibilities are long", "incomprehensibilities\n > are\n > long"},
		{"a\n\nb c d e f g h", "a\n\nb c d e f\n > g h"},
		{"é é é é é é", "é é é é é\n > é"}, // by letters, not bytes
		{"2 % 3", "2 % 3"},
		{"they take 40 GB, 2 % of 3 sheets", "they take\n > 40 GB,\n > 2 % of\n > 3\n > sheets"},
	} {
		if got := Wrap(c[0], 10, " > "); got != c[1] {
			t.Errorf("%q is wrapped as %q, want %q", c[0], got, c[1])
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{24 * time.Hour: "24h", 90 * time.Minute: "1h30m", 75 * time.Second: "1m15s", 0: "0s"} {
		if got := Duration(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
}

// A name without a row has no line, an x without one an empty cell.
func TestByStrategy(t *testing.T) {
	var rows []results.Row
	for _, at := range []struct {
		name string
		x    float64
	}{{"chain", 100}, {"queue", 100}, {"queue", 500}} {
		r := number(results.Ratio, results.QFPR, 0.01)
		r.Experiment, r.Strategy, r.X = results.FPR, at.name, results.Num(at.x)
		rows = append(rows, r)
	}
	table := ByStrategy(results.NewCells(rows), "Rates", results.FPR, results.QFPR,
		[]string{"queue", "single", "chain"}, []string{"100", "500"}, Of)
	want := "**Rates**\n\n| strategy | 100 | 500 |\n"
	if got := table.Markdown(); len(table.Rows) != 2 || got[:len(want)] != want ||
		table.Rows[0][0] != "queue" || table.Rows[0][2] != "1 %" || table.Rows[1][0] != "chain" || table.Rows[1][2] != None {
		t.Errorf("%q\n%s", table.Rows, got)
	}
}

// A time has the largest unit that it is a whole number of, but for a day.
func TestElapsed(t *testing.T) {
	for seconds, want := range map[int]string{0: "0", 59: "59 s", 60: "1 min", 61: "61 s", 600: "10 min", 3600: "1 h", 5400: "90 min", 86400: "24 h", 172800: "2 d", 604800: "7 d"} {
		if got := Elapsed(seconds); got != want {
			t.Errorf("%d s are %q, want %q", seconds, got, want)
		}
	}
}
