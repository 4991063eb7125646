package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/results"
)

// withExperiments puts more experiments behind the program's own for one test.
func withExperiments(t *testing.T, more ...experiment) {
	before := experiments
	t.Cleanup(func() { experiments = before })
	experiments = append(slices.Clone(before), more...)
}

// withCatalogue lets one test run on other strategies.
func withCatalogue(t *testing.T, these ...catalogue.Entry) {
	before := entries
	t.Cleanup(func() { entries = before })
	entries = these
}

// named is an entry of the catalogue.
func named(t *testing.T, name string) catalogue.Entry {
	t.Helper()
	e, err := catalogue.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A failed experiment is a visible row and a non-zero exit; the others go on.
func TestFailedExperiment(t *testing.T) {
	withExperiments(t,
		experiment{name: "broken", about: "fails", rows: func(*suite) (rows, timing []results.Row, err error) {
			return nil, nil, errors.New("the lamp went out")
		}},
		experiment{name: "wild", about: "panics", rows: func(*suite) (rows, timing []results.Row, err error) {
			panic("the wick is wet")
		}},
		experiment{name: "after", about: "runs after them", rows: sizing})
	out := filepath.Join(t.TempDir(), "out")
	r := program(t.Context(), "broken", "wild", "sizing", "--users", "300", "--out", out)
	wants(t, r, exitFailed, r.stdout, "failed: the lamp went out", "failed: panic: the wick is wet", "sizing")
	wants(t, r, exitFailed, r.stderr, "broken failed: the lamp went out", "2 experiments failed")

	run, err := results.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]results.Status{}
	for _, s := range run.Manifest.Experiments {
		got[s.Name] = s
	}
	if s := got["broken"]; s.Status != results.Failed || s.Error != "the lamp went out" {
		t.Errorf("run.json says of broken: %+v", s)
	}
	if s := got["sizing"]; s.Status != results.Done || s.Error != "" {
		t.Errorf("run.json says of sizing: %+v", s)
	}
	if _, err := os.Stat(filepath.Join(out, "broken.csv")); err == nil {
		t.Error("a failed experiment left a file of rows")
	}
	r = program(t.Context(), "verify", "--out", out)
	wants(t, r, exitFailed, r.stderr, "2 experiments failed", "broken: the lamp went out")
}

// Rows that cannot be written fail their experiment, and leave no file.
func TestUnwritableRows(t *testing.T) {
	withExperiments(t, experiment{name: "odd", about: "writes not-a-number", rows: func(*suite) (rows, timing []results.Row, err error) {
		zero := 0.
		return []results.Row{number("odd", "chain", "ratio of nothing", "", zero/zero)}, nil, nil
	}})
	out := filepath.Join(t.TempDir(), "out")
	r := program(t.Context(), "odd", "--users", "300", "--out", out)
	wants(t, r, exitFailed, r.stdout, "odd.csv", "row 1", "NaN")
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if _, err := os.Stat(filepath.Join(out, "odd.csv")); err == nil {
		t.Error("half a file of rows was left")
	}
}

// A strategy that cannot be made says which one it is.
func TestBrokenStrategy(t *testing.T) {
	withCatalogue(t, catalogue.Entry{Name: "mirage", About: "is not there", Share: 1, Make: func() (catalogue.Strategy, error) {
		return nil, errors.New("Links is -3, want 1 to 63")
	}})
	out := filepath.Join(t.TempDir(), "out")
	r := program(t.Context(), "window", "--users", "300", "--out", out)
	wants(t, r, exitFailed, r.stdout, "failed: strategy mirage: Links is -3")
}

// A saved measurement that cannot be read is mentioned, measured again and
// saved anew.
func TestCorruptMeasurement(t *testing.T) {
	if raceDetector {
		t.Skip("slow, and about files alone")
	}
	withCatalogue(t, named(t, "queue"), named(t, "chain"))
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"memory", "--users", "300", "--out", out}
	wants(t, program(t.Context(), args...), exitOK, "")
	path := filepath.Join(out, "measurements", "full-chain.json")
	whole, rows := read(t, path), read(t, filepath.Join(out, "memory.csv"))

	for _, c := range []struct{ what, text, reason string }{
		{"cut short", whole[:len(whole)/2], "unexpected end of JSON"},
		{"empty", "", "unexpected end of JSON"},
		{"noise", "\x00\x01" + whole, "invalid character"},
		{"of another kind", strings.Replace(whole, `"Counts":{`, `"Counts":[`, 1), "invalid character"},
	} {
		write(t, path, c.text)
		r := program(t.Context(), args...)
		wants(t, r, exitOK, r.stderr, path+" cannot be used and is measured again", c.reason, "full-queue: taken over")
		if got := read(t, filepath.Join(out, "memory.csv")); got != rows {
			t.Errorf("%s: memory.csv differs from before", c.what)
		}
		if got := read(t, path); len(got) < len(whole)/2 || got == c.text {
			t.Errorf("%s: measured again but not saved", c.what)
		}
	}

	// Of another program: measured again without a word.
	var v map[string]any
	if err := json.Unmarshal([]byte(whole), &v); err != nil {
		t.Fatal(err)
	}
	v["program"] = "0123456789abcdef"
	other, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, string(other))
	r := program(t.Context(), args...)
	wants(t, r, exitOK, r.stderr, "full-queue: taken over")
	if strings.Contains(r.stderr, "full-chain: taken over") || strings.Contains(r.stderr, "cannot be used") {
		t.Errorf("a measurement of another program:\n%s", r.stderr)
	}
}

// A directory that nobody may write to is found out before anything is measured.
func TestReadOnlyDirectory(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := os.Mkdir(out, 0o555); err != nil {
		t.Fatal(err)
	}
	r := program(t.Context(), "memory", "--users", "300", "--out", out)
	wants(t, r, exitUsage, r.stderr, "--out: cannot write to "+out, "permission denied")
	if strings.Contains(r.stderr, "full-queue") {
		t.Errorf("measured although nothing can be saved:\n%s", r.stderr)
	}
}
