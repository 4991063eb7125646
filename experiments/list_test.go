package main

import (
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/golden"
	"dejavu/results"
)

// All that the list says.
func TestGoldenList(t *testing.T) {
	r := program(t.Context(), "list")
	wants(t, r, exitOK, r.stdout)
	golden.File(t, "list.golden", r.stdout)
}

// The list says what each strategy is not in, for want of what its entry would have to
// say.
func TestListSaysWhatIsLacking(t *testing.T) {
	r := program(t.Context(), "list")
	wants(t, r, exitOK, r.stdout, "not in", "all but month")
	for _, c := range []struct {
		entry catalogue.Entry
		want  string
	}{
		{catalogue.Entry{Lives: results.Month}, "all but month"},
		{catalogue.Entry{Share: 1}, "tradeoff, choose, extend"},
		{catalogue.Entry{Share: 40}, "tradeoff, choose, extend, daily"},
		{entryOf(t, "chain"), "tradeoff, choose"},
		{entryOf(t, "beyond/ring"), "extend, daily"},
		{entryOf(t, "queue"), ""},
	} {
		if got := strings.Join(lacks(c.entry), ", "); got != c.want {
			t.Errorf("%s, of one user in %d, is not in %q, want %q", c.entry.Name, c.entry.Share, got, c.want)
		}
	}
	// A line says of a strategy what is lacking.
	for _, line := range strings.Split(r.stdout, "\n") {
		if strings.Contains(line, " chain-literal ") && !strings.Contains(line, "daily") {
			t.Errorf("the list does not say where chain-literal is not: %s", line)
		}
	}
}

// entryOf is an entry of the catalogue.
func entryOf(t *testing.T, name string) catalogue.Entry {
	t.Helper()
	e, err := catalogue.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

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
	for _, x := range experiments {
		if got := suggestion(x.Name + "x"); !strings.Contains(got, `"`+x.Name+`"`) {
			t.Errorf("suggestion(%q) = %q", x.Name+"x", got)
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
