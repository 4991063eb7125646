package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"dejavu/results"
)

// Deterministic files are the same bytes for any number of workers, parts and
// shards, and after a kill, with every experiment and strategy of the program. (Three
// shards of all, with parts and one worker, are .ci/run's.)
// 3000 users divided by seven, or by 40 for variants, leave a rest.
func TestSameBytes(t *testing.T) {
	// All, and those that every kind of count goes into.
	all, some, users := []string{}, []string{"fill", "memory", "daily", "extend", "hashes"}, 3000
	if raceDetector {
		// Theory and drawing, ten times slower, hold no goroutines.
		all, users = []string{"fill", "memory", "daily", "extend"}, 300
		some = all
		withCatalogue(t, named(t, "single"), named(t, "chain"), named(t, "chain-sized"))
	}
	of := func(options ...string) []string { return append(options, "--users", strconv.Itoa(users)) }
	whole := deterministic(t, of(append(all, "--workers", "1", "--parts", "1")...)...)
	for _, e := range experiments {
		if _, ok := whole[e.name+".csv"]; !ok && !raceDetector {
			t.Errorf("%s left no file", e.name)
		}
	}
	if other := deterministic(t, of("fill", "--seed", "2017")...); other["fill.csv"] == whole["fill.csv"] {
		t.Error("another seed gives the same fill.csv: is the seed used at all?")
	}

	merge := func(dir string) map[string]string { // the rows without figures, which take longer
		c := mergeCommand{Dirs: []string{dir}, Out: t.TempDir()}
		if err := c.merge(t.Context(), io.Discard, nil); err != nil {
			t.Fatal(err)
		}
		return rowFiles(t, c.Out)
	}
	// The trade-off takes seconds to find its configurations, in each shard again, and
	// ship to take its times; measure.TestSteady adds the one up, and three shards of
	// .ci/run both.
	var most []string
	for _, e := range experiments {
		if e.name != results.Tradeoff && e.name != results.Ship {
			most = append(most, e.name)
		}
	}
	if raceDetector {
		most = all
	}
	for n, names := range map[int][]string{2: most, 7: some} {
		out := t.TempDir()
		for i := n - 1; i >= 0; i-- { // in any order
			options := append(names, "--shard", fmt.Sprintf("%d/%d", i, n),
				"--workers", strconv.Itoa(1+i%3), "--parts", strconv.Itoa(7-i), "--out", out)
			wants(t, program(t.Context(), of(options...)...), exitOK, "")
		}
		got := merge(out)
		sameFiles(t, fmt.Sprintf("%d shards", n), got, whole)
		if n == 2 && len(got) != len(whole)-3 && !raceDetector { // all but those, and the ledger, which comes with the figures
			t.Errorf("%d shards leave %d files of rows, a whole run %d", n, len(got), len(whole))
		}
	}
	if raceDetector {
		return // the program that is killed has all strategies
	}
	// A whole run and two shards are killed, in one directory.
	out := t.TempDir()
	killAndResume(t, of("daily", "hashes", "--out", out)...)
	sameFiles(t, "killed and resumed", rowFiles(t, out), whole)
	for _, shard := range []string{"0/2", "1/2"} {
		killAndResume(t, of("daily", "hashes", "--out", out, "--shard", shard)...)
	}
	sameFiles(t, "two shards killed, resumed and merged", merge(out), whole)
}

// killAndResume kills the program in its third measurement, without a chance to
// clear up, and lets the same command go on.
func killAndResume(t *testing.T, args ...string) {
	t.Helper()
	const phrase = "daily-dual "
	cmd := exec.CommandContext(t.Context(), "experiments", args...)
	stderr := &trigger{phrase: phrase, pull: func() { _ = cmd.Process.Kill() }}
	cmd.Stderr = stderr
	if err := cmd.Run(); err == nil || runtime.GOOS != "windows" && err.Error() != "signal: killed" {
		t.Fatalf("%v: %v, want it killed", args, err)
	}
	r := program(t.Context(), args...)
	wants(t, r, exitOK, r.stderr, "daily-queue: taken over", "daily-single: taken over")
}

// sameFiles compares files of rows with those of the same names of a whole run.
func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) == 0 {
		t.Errorf("%s: no files of rows", what)
	}
	for name, text := range got {
		if name == results.FileName(results.Claims) && len(got) < len(want) {
			continue // the ledger rests on all experiments
		}
		if text != want[name] {
			t.Errorf("%s: %s differs from that of a whole run: %s", what, name, firstDifference(text, want[name]))
		}
	}
}

// deterministic runs the program and returns the files that no machine decides.
func deterministic(t *testing.T, options ...string) map[string]string {
	t.Helper()
	out := t.TempDir()
	r := program(t.Context(), append([]string{"--out", out}, options...)...)
	wants(t, r, exitOK, r.stdout, "There is no committed reference for 3")
	files := rowFiles(t, out)
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

// rowFiles reads the files of rows in a directory that no machine decides.
func rowFiles(t *testing.T, out string) map[string]string {
	t.Helper()
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
