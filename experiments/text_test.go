package main

import (
	"math"
	"strings"
	"testing"

	"dejavu/results"
	"dejavu/workload"
)

func TestSuggestion(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"windw", "window"},
		{"tabel1", "table1"},
		{"lantency", "latency"},
		{"verfy", "verify"},
		{"lst", "list"},
		{"siezng", "sizing"}, // two edits are a slip
		{"mem", "memory"},    // and so is the beginning of a name
		{"exp", ""},          // three are another word
		{"frobnicate", ""},
		{"", ""},
	} {
		got := suggestion(c.name)
		if c.want == "" && got != "" || c.want != "" && !strings.Contains(got, `"`+c.want+`"`) {
			t.Errorf("suggestion(%q) = %q, want %q", c.name, got, c.want)
		}
	}
	for _, e := range experiments {
		if got := suggestion(e.name + "x"); !strings.Contains(got, `"`+e.name+`"`) {
			t.Errorf("suggestion(%q) = %q", e.name+"x", got)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "fpr", 3},
		{"fpr", "", 3},
		{"fpr", "fpr", 0},
		{"windw", "window", 1},
		{"tabel1", "table1", 2},
		// Worked in every textbook: Wagner and Fischer's distance of these is 3.
		{"kitten", "sitting", 3},
		{"saturday", "sunday", 3},
	} {
		if got := edits(c.a, c.b); got != c.want {
			t.Errorf("edits(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := edits(c.b, c.a); got != c.want {
			t.Errorf("edits(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want size
	}{
		{"4096", 4096},
		{"4096B", 4096},
		{"64MiB", 64 << 20},
		{"64 MiB", 64 << 20},
		{" 2GiB ", 2 << 30},
		{"1.5GiB", 3 << 29},
		{"500MB", 500_000_000},
		{"1kB", 1000},
		{"1KB", 1000},
		{"1KiB", 1024},
		{"2TB", 2_000_000_000_000},
		{"1TiB", 1 << 40},
	} {
		var got size
		if err := got.UnmarshalText([]byte(c.text)); err != nil || got != c.want {
			t.Errorf("%q is %d, %v, want %d", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{
		"", "nonsense", "MiB", "-1GiB", "0", "NaN", "Inf", "1e400", "1e19", "2000000TiB", "1GiB1", "1 G", "1,5GiB",
	} {
		got := size(7)
		if err := got.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), text) || got != 7 {
			t.Errorf("%q is %d, error %v; want one that quotes it", text, got, err)
		}
	}
}

func TestText(t *testing.T) {
	number := func(unit, quantity string, v float64) results.Row {
		return results.Row{Unit: unit, Quantity: quantity, Value: results.Num(v)}
	}
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
		if got := text(c.row); got != c.want {
			t.Errorf("text(%v %s %s) = %q, want %q", c.row.Value, c.row.Unit, c.row.Quantity, got, c.want)
		}
	}
	r := number(results.Bytes, "", 508)
	r.Paper = results.Num(500)
	if got, want := withPaper(r, true), "508 B (500 B)"; got != want {
		t.Errorf("withPaper: %q, want %q", got, want)
	}
	if got := withPaper(results.Row{}, false); got != "–" {
		t.Errorf("withPaper of nothing: %q", got)
	}
}

func TestMeanOverLives(t *testing.T) {
	if got := meanOverLives(func(int) float64 { return 1 }); math.Abs(got-1) > 1e-12 {
		t.Errorf("the shares of all lives sum to %v, want 1", got)
	}
	// The mean life, of the shares and of a million readers. A life is at most
	// MaxShown articles with a standard deviation well below that, so the mean of
	// a million is within 5 standard errors, the bound below, but for one run in
	// a million; the seed is fixed, so it is all or never.
	const users = 1_000_000
	population, err := workload.NewFull(2016, users)
	if err != nil {
		t.Fatal(err)
	}
	sum, squares := 0., 0.
	for user := range users {
		shown := float64(population.Shown(user))
		sum, squares = sum+shown, squares+shown*shown
	}
	mean := sum / users
	deviation := math.Sqrt((squares/users - mean*mean) / users)
	want := meanOverLives(func(shown int) float64 { return float64(shown) })
	if math.Abs(mean-want) > 5*deviation {
		t.Errorf("readers are shown %.3f articles on average, the shares say %.3f ± %.3f", mean, want, deviation)
	}
}

func TestMeanOver(t *testing.T) {
	held := func(shown int) int { return shown % 7 }
	square := func(n int) float64 { return float64(n * n) }
	got := meanOver(held, square)
	want := meanOverLives(func(shown int) float64 { return square(held(shown)) })
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("meanOver = %v, the plain sum is %v", got, want)
	}
}

// Two experiments of one name would share files and measurements.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{"list": true, "plot": true, "verify": true, "run": true}
	for _, e := range experiments {
		if seen[e.name] || e.name == "" || e.about == "" {
			t.Errorf("experiment %q: name taken or empty, or nothing said about it", e.name)
		}
		seen[e.name] = true
	}
}
