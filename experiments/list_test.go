package main

import (
	"fmt"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/golden"
)

// All that the list says.
func TestGoldenList(t *testing.T) {
	t.Setenv("COLUMNS", "200") // a line a strategy
	r := program(t.Context(), "list")
	wants(t, r, exitOK, r.stdout)
	golden.File(t, "list.golden", r.stdout)
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

// A word that is a slip is told what it may have been.
func TestUnknown(t *testing.T) {
	const foot = "; 'help' lists the commands, 'list' the experiments"
	for _, c := range []struct{ name, want string }{
		{"windw", `, did you mean "window"?`},
		{"tabel1", `, did you mean "table1"?`},
		{"verfy", `, did you mean "verify"?`},
		{"siezng", `, did you mean "sizing"?`}, // two edits are a slip
		{"mem", `, did you mean "memory"?`},    // and so is the beginning of a name
		{"lst", `, did you mean one of "list", "plot"?`},
		{"exp", ""}, // three are another word
		{"frobnicate", ""},
	} {
		want := fmt.Sprintf("unknown command or experiment %q%s%s", c.name, c.want, foot)
		if got := unknown(c.name).Error(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	for _, name := range names() {
		if got := unknown(name + "x").Error(); !strings.Contains(got, `"`+name+`"`) {
			t.Errorf("of %sx: %s", name, got)
		}
	}
}
