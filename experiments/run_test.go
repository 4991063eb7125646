package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/paper"
	"dejavu/internal/golden"
	"dejavu/internal/sysinfo"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// A failed experiment is a visible row and a non-zero exit; the others go on.
func TestFailedExperiment(t *testing.T) {
	before := experiments
	t.Cleanup(func() { experiments = before })
	experiments = []experiment.Experiment{
		{Name: "wild", About: "panics", Rows: func(*engine.Run) (rows, timing []results.Row) {
			panic("the wick is wet")
		}},
		paper.Sizing,
	}
	out := filepath.Join(t.TempDir(), "out")
	r := program(t.Context(), "wild", "sizing", "--users", "300", "--verbose", "--out", out)
	wants(t, r, exitFailed, r.stdout, "failed: panic: the wick is wet", "sizing", "Bits for 500 articles")
	wants(t, r, exitFailed, r.stderr, "wild failed: panic: the wick is wet", "1 of the experiments failed")
	r = program(t.Context(), "diff", out)
	wants(t, r, exitFailed, r.stderr, "1 of the experiments failed: wild: panic: the wick is wet")
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// edit changes the manifest in a directory.
func edit(t *testing.T, dir string, change func(*results.Manifest)) {
	t.Helper()
	m := strategytest.Value(results.ReadManifest(dir))
	change(&m)
	strategytest.Must(t, results.WriteManifest(dir, m))
}

// Shards that do not sum up are not merged, and nothing is written. The command in the message measures only the spoilt
// part. Then the merged run is a whole run, which continues as one.
func TestMerge(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("slow, and about files alone")
	}
	withCatalogue(t, "queue", "chain")
	out := filepath.Join(t.TempDir(), "out")
	args := []string{"daily", "sizing", "--users", "300", "--workers", "2"}
	for _, shard := range []string{"1/2", "0/2"} {
		r := program(t.Context(), append(args, "--out", out, "--shard", shard)...)
		wants(t, r, exitOK, r.stdout, "Shard "+shard, "of 300, is measured, in "+out, "'merge --out "+out+"' makes one run")
	}
	first, second := filepath.Join(out, "shard-0-of-2"), filepath.Join(out, "shard-1-of-2")
	write(t, engine.Path(second, "daily-chain"), "noise")
	r := program(t.Context(), "merge", "--out", out)
	wants(t, r, exitFailed, filepath.ToSlash(r.stderr), "shard-1-of-2/measurements/daily-chain.json: byte 2 of 5",
		"to redo only this, run the command that measured shard 1/2: experiments daily sizing --users 300")
	if left := rowFiles(t, out); len(left) > 0 || r.stdout != "" {
		t.Errorf("%d files of rows were written, and on standard output\n%s", len(left), r.stdout)
	}
	r = program(t.Context(), append(args, "--out", out, "--shard", "1/2")...)
	wants(t, r, exitOK, r.stderr, "reused from an earlier run", "daily-chain.json cannot be used and is measured again")

	// As if the second had run on another machine.
	edit(t, second, func(m *results.Manifest) { m.Environment.CPU = "Abacus" })
	r = program(t.Context(), "merge", "--out", out)
	phrases := []string{
		`run.json: environments differ: shard 1/2 ran on "Abacus"`, "shard 0/2 on ",
		"times of requests are from shard 0/2",
	}
	wants(t, r, exitOK, r.stderr, append(phrases, "2 shards, 300 users, seed 2016, results in "+out)...)
	wants(t, r, exitOK, strings.Join(strings.Fields(read(t, filepath.Join(out, "report.md"))), " "), phrases...)
	m := strategytest.Value(results.ReadManifest(out))
	one := strategytest.Value(results.ReadManifest(first))
	if m.Environment != one.Environment || len(m.Shards) != 2 || m.Shards[1].Environment.CPU != "Abacus" ||
		m.Shard != (results.Shard{}) || m.Seconds < one.Seconds+m.Shards[1].Seconds ||
		!slices.Contains(m.Args, "merge") || m.Program != one.Program {
		t.Errorf("run.json of the merged run: %+v", m)
	}

	merged := rowFiles(t, out)
	whole := t.TempDir()
	wants(t, program(t.Context(), append(args, "--out", whole, "--workers", "1", "--parts", "3")...), exitOK, "")
	sameFiles(t, "merged", merged, rowFiles(t, whole))
	r = program(t.Context(), append(args, "--out", out)...)
	wants(t, r, exitOK, r.stderr, "reused from an earlier run")
	sameFiles(t, "the merged run gone on", rowFiles(t, out), merged)

	// Its shards may lie anywhere, and merge as often as one likes.
	apart := t.TempDir()
	for i, dir := range []string{first, second} {
		strategytest.Must(t, os.Rename(dir, filepath.Join(apart, []string{"b", "a"}[i])))
	}
	into := filepath.Join(t.TempDir(), "into")
	a, b := filepath.Join(apart, "a"), filepath.Join(apart, "b")
	wants(t, program(t.Context(), "merge", a, b, "--out", into), exitOK, "")
	sameFiles(t, "merged elsewhere", rowFiles(t, into), merged)
}

// A killed run, without a chance to clear up, resumes, and its files equal an uninterrupted run's.
func TestKillAndResume(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("slow, and about processes and files alone")
	}
	args := []string{"daily", "--users", "1000", "--parts", "2"}
	whole := t.TempDir()
	wants(t, program(t.Context(), "daily", "--users", "1000", "--workers", "1", "--out", whole), exitOK, "")
	out := t.TempDir()
	killAndResume(t, append(args, "--out", out)...)
	sameFiles(t, "killed and resumed", rowFiles(t, out), rowFiles(t, whole))
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}
}

// killAndResume kills the program in its third measurement and lets the same command go on.
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
	wants(t, r, exitOK, r.stderr, "reused from an earlier run: ")
}

// sameFiles compares files of rows with a whole run's files.
func sameFiles(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	if len(got) == 0 || len(got) != len(want) {
		t.Errorf("%s: %d files of rows, want %d", what, len(got), len(want))
	}
	for name, text := range got {
		if text != want[name] {
			t.Errorf("%s: %s differs from that of a whole run: %s", what, name, golden.Difference(text, want[name]))
		}
	}
}

// rowFiles reads the files of rows in a directory that no machine decides.
func rowFiles(t *testing.T, out string) map[string]string {
	t.Helper()
	paths := strategytest.Value(filepath.Glob(filepath.Join(out, "*.csv")))
	files := map[string]string{}
	for _, path := range paths {
		if !strings.HasSuffix(path, results.TimingFileName("")) {
			files[filepath.Base(path)] = read(t, path)
		}
	}
	return files
}
