package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A committed run agrees with itself; with one digit changed, a row taken away
// or a file gone it does not, and the difference is named. A row that only the
// run has is no fault: somebody's own strategy.
func TestVerify(t *testing.T) {
	runs, err := filepath.Glob(filepath.Join("..", "results", "reference", "*", "fpr.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) == 0 {
		t.Fatal("there is no committed reference")
	}
	reference := filepath.Dir(runs[0])
	text := read(t, filepath.Join(reference, "fpr.csv"))
	lines := strings.SplitAfter(text, "\n")
	at := 0 // a measured rate of the single filter, in no round number
	for i, line := range lines {
		if f := strings.Split(line, ","); len(f) > 5 && f[1] == "single" && f[3] == "fpr" && len(f[5]) > 6 {
			at = i
		}
	}
	if at == 0 {
		t.Fatalf("%s has no rate to perturb", runs[0])
	}
	fields := strings.Split(lines[at], ",")
	value := fields[5]
	last := value[len(value)-1]
	fields[5] = value[:len(value)-1] + string('1'+(last-'0')%9) // another digit, not a trailing 0
	perturbed := fields[5]

	with := func(line string) string {
		return strings.Join(lines[:at], "") + line + strings.Join(lines[at+1:], "")
	}
	place := fmt.Sprintf("fpr: fpr of single at %s", fields[2])
	for _, c := range []struct {
		what, fpr string
		code      int
		phrases   []string
	}{
		{"the run itself", text, exitOK, []string{"deterministic values match the reference"}},
		{"a digit", with(strings.Join(fields, ",")), exitFailed, []string{place + ": value is " + perturbed + ", reference " + value}},
		{"a row less", with(""), exitFailed, []string{"missing: " + place}},
		{"a row more", text + "fpr,mine,50,fpr,ratio,0.5,,,,,10\n", exitOK, nil},
		{"no rows", lines[0], exitFailed, []string{"missing: fpr: ", "... and "}},
	} {
		out := t.TempDir()
		if err := os.CopyFS(out, os.DirFS(reference)); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(out, "fpr.csv"), c.fpr)
		r := program(t.Context(), "verify", "--out", out)
		wants(t, r, c.code, r.stdout, c.phrases...)
		if c.code == exitFailed && !strings.Contains(r.stderr, "differ from the reference") {
			t.Errorf("%s: standard error does not say that the run differs:\n%s", c.what, r.stderr)
		}
		matched, total := 0, 0
		if _, err := fmt.Sscanf(r.stdout, "%d of %d deterministic values match", &matched, &total); err != nil {
			t.Errorf("%s: no number of matches: %v\n%s", c.what, err, r.stdout)
		}
		if total == 0 || c.code == exitOK && matched != total || c.code == exitFailed && matched >= total {
			t.Errorf("%s: %d of %d values match", c.what, matched, total)
		}
	}
}
