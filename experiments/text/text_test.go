package text

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
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
		strategytest.Equal(t, Of(c.row), c.want, "Of(%v %s %s)", c.row.Value, c.row.Unit, c.row.Quantity)
	}
}

func TestBrackets(t *testing.T) {
	r := number(results.Bytes, "", 508)
	strategytest.Equal(t, WithPaper(r), "508 B", "WithPaper of what the paper does not state")
	r.Paper = results.Num(500)
	strategytest.Equal(t, WithPaper(r), "508 B (500 B)", "WithPaper")
	rate := number(results.Ratio, "fpr", 0.0203)
	rate.Theory = results.Num(0.02026848)
	strategytest.Equal(t, WithTheory(rate), "2.03 % [2.03 %]", "WithTheory")
	alone := number(results.Ratio, "", 0.5)
	wide, expected := alone.Among(22_000), alone
	wide.Low, wide.High, expected.Theory = results.Num(0.25), results.Num(1), results.Num(0.6)
	write := func(v float64) string { return fmt.Sprint(v) }
	strategytest.EqualSlices(t, []string{
		Ratio(alone), Ratio(wide), Interval(alone), Interval(wide), PerThousand(results.Row{}), PerThousand(alone),
		Share(alone), Format("%.2f")(alone), AndTheory(write)(alone), AndTheory(write)(expected),
		AndTheory(write)(results.Row{}),
	}, []string{
		"0.50", "0.50, 0.25 to 1.00", None, "25 % to 100 %", None, "500",
		"50 %", "0.50", "0.5", "0.5 [0.6]", None,
	}, "ratios, intervals, shares and expected values")
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 10_000_000: "10,000,000",
		1_002_003: "1,002,003",
	} {
		strategytest.Equal(t, Thousands(n), want, "Thousands(%d)", n)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		24 * time.Hour: "24h", 90 * time.Minute: "1h30m",
		75 * time.Second: "1m15s", 0: "0s",
	} {
		strategytest.Equal(t, Duration(d), want, "%v is", d)
	}
}

// A strategy without a row has no line, a place without one an empty cell; columns that depend on the rows come last.
func TestTable(t *testing.T) {
	rate := results.Find(results.QFPR).In(results.FPR).Of(results.Any)
	var rows []results.Row
	for _, at := range []struct {
		name     string
		articles float64
	}{{"queue", 100}, {"queue", 500}, {"chain", 100}} {
		r := number(results.Ratio, results.QFPR, 0.01).With(by.Articles.At(at.articles))
		r.Experiment, r.Strategy = results.FPR, at.name
		rows = append(rows, r)
	}
	cells := results.NewCells(rows)
	table := Table{
		Title: "Rates", Lines: rate.With(by.Articles.At(100)),
		Columns: []Column{
			Strategy("strategy"),
			Cell("500", rate.With(by.Articles.At(500)), Of), Cell("900", rate.With(by.Articles.At(900)), Of),
		},
		More: func(c results.Cells) []Column {
			header := fmt.Sprint(len(c.All(rate.With(by.Articles.Open()))))
			return []Column{Cell(header, rate.With(by.Articles.At(100)), Of)}
		},
	}
	want := "**Rates**\n\n| strategy | 500 | 900 | 3 |\n| --- | ---:| --- | ---:|\n" +
		"| queue | 1 % | – | 1 % |\n| chain | – | – | 1 % |"
	if got := strings.TrimSpace(table.Of(cells).Markdown()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if none := table.Unfound(cells); len(none) != 1 || none[0] != rate.With(by.Articles.At(900)) {
		t.Errorf("unfound: %v", none)
	}
	table.More = nil
	if got := table.Of(cells); len(got.Rows) != 1 || got.Rows[0][0] != "queue" {
		t.Errorf("%v, want no line of what no query finds anything of", got.Rows)
	}
	table.Keep = func(r results.Row) bool { return r.Strategy == "chain" }
	if got := table.Of(cells); len(got.Rows) != 0 {
		t.Errorf("%v, want the chain alone, which has nothing", got.Rows)
	}
	table.Keep = nil
	table.Columns = append(ByStrategy(by.Articles, []string{"100", "500"}, func(r ...results.Row) string {
		return Of(r[0])
	}, results.QFPR), Value("queue's", results.QFPR+" of queue at articles=500", Share), Condition("n", by.Articles))
	table.Columns = append(table.Columns, Each(results.QFPR, by.Articles, PerThousand, "100")...)
	if got := fmt.Sprint(table.Of(cells).Header, table.Of(cells).Rows); got !=
		"[strategy 100 500 queue's n 100] [[queue 1 % 1 % 1 % 100 10] [chain 1 % – 1 % 100 10]]" {
		t.Error(got)
	}
}

// A time is in the largest unit that divides it, except days.
func TestElapsed(t *testing.T) {
	for seconds, want := range map[int]string{
		0: "0", 59: "59 s", 60: "1 min", 61: "61 s", 600: "10 min", 3600: "1 h",
		5400: "90 min", 86400: "24 h", 172800: "2 d", 604800: "7 d",
	} {
		strategytest.Equal(t, Elapsed(seconds), want, "%d s are", seconds)
	}
}

// Units change where three digits say so, not before and not behind.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		format func(float64) string
		of     map[float64]string
	}{
		{Bytes, map[float64]string{
			0: "0 B", 999.4: "999.4 B", 999.5: "1 kB", 1e3: "1 kB", 9.994e5: "999 kB", 9.995e5: "1 MB", 9.995e8: "1 GB",
			9.995e11: "1 TB", 9.994e11: "999 GB", 2e15: "2e+03 TB",
		}},
		{Nanos, map[float64]string{
			0: "0 ns", 9999: "9999 ns", 1e4: "10 µs", 9.994e5: "999 µs", 9.995e5: "1 ms",
			1e9: "1e+03 ms",
		}},
		{Percent, map[float64]string{0: "0", 1e-9: "1e-07 %", 0.12345: "12.3 %", 1: "100 %", -0.5: "-50 %"}},
	} {
		for v, want := range c.of {
			strategytest.Equal(t, c.format(v), want, "%v is written", v)
		}
	}
	for v, want := range map[float64]string{99_999.4: "99999", 1e5: "100000", 123456.7: "123457", 0.000012: "1.2e-05"} {
		strategytest.Equal(t, Of(results.Row{Value: results.Num(v)}), want, "a plain %v is written", v)
	}
	for v, want := range map[float64]string{1e5 - 1: "99999 B", 1e5: "100 kB"} {
		strategytest.Equal(t, Of(results.Row{Unit: results.Bytes, Value: results.Num(v)}), want,
			"%v bytes are written", v)
	}
}

func TestWithTheoryOfNone(t *testing.T) {
	strategytest.Equal(t, WithTheory(results.Row{}), "0 [0]", "of nothing")
	for d, want := range map[time.Duration]string{
		time.Hour + time.Second: "1h0m1s", time.Minute: "1m", time.Second: "1s", 10 * time.Minute: "10m",
		100 * time.Hour: "100h",
	} {
		strategytest.Equal(t, Duration(d), want, "%v is", d)
	}
}
