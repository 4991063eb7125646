package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Deterministic files are the same bytes for any number of workers and parts,
// with every experiment and strategy of the program. 300 users leave parts of
// 42 and 43, and tenths of users that no part divides.
func TestSameBytes(t *testing.T) {
	names := []string{} // all
	if raceDetector {
		// Theory and drawing, ten times slower, hold no goroutines.
		names = []string{"fill", "memory", "daily", "extend"}
		withCatalogue(t, named(t, "single"), named(t, "chain"), named(t, "chain-sized"))
	}
	first := deterministic(t, append(names, "--workers", "1", "--parts", "1")...)
	for _, e := range experiments {
		if _, ok := first[e.name+".csv"]; !ok && !raceDetector {
			t.Errorf("%s left no file", e.name)
		}
	}
	again := deterministic(t, append(names, "--workers", "3", "--parts", "7")...)
	if len(again) != len(first) {
		t.Errorf("%d files, want %d", len(again), len(first))
	}
	for name, want := range first {
		if got := again[name]; got != want {
			t.Errorf("%s with three workers and seven parts differs from that with one and one: %s",
				name, firstDifference(got, want))
		}
	}
	if other := deterministic(t, "fill", "--seed", "2017"); other["fill.csv"] == first["fill.csv"] {
		t.Error("another seed gives the same fill.csv: is the seed used at all?")
	}
}

// deterministic runs the program and returns the files that no machine decides.
func deterministic(t *testing.T, options ...string) map[string]string {
	t.Helper()
	out := t.TempDir()
	r := program(t.Context(), append([]string{"--users", "300", "--out", out}, options...)...)
	wants(t, r, exitOK, r.stdout, "There is no committed reference for 300 users")
	paths, err := filepath.Glob(filepath.Join(out, "*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, path := range paths {
		if !strings.HasSuffix(path, ".timing.csv") {
			files[filepath.Base(path)] = read(t, path)
		}
	}
	for _, path := range []string{"run.json", "report.md", filepath.Join("figures", "fill.svg")} {
		if info, err := os.Stat(filepath.Join(out, path)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}
	return files
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return g[i] + ", want " + w[i]
		}
	}
	return "one is longer"
}
