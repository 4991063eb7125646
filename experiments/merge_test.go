package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/engine"
	"dejavu/internal/sysinfo"
	"dejavu/results"
)

// edit changes the manifest in a directory.
func edit(t *testing.T, dir string, change func(*results.Manifest)) {
	t.Helper()
	m, err := results.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	change(&m)
	if err := results.WriteManifest(dir, m); err != nil {
		t.Fatal(err)
	}
}

// Shards that do not sum up are not merged, and nothing is written. What the message says mends it: the same
// command measures what is spoilt, and that alone. Then the merged run is a whole run, which goes on as one.
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
	wants(t, r, exitOK, r.stderr, "daily-queue: taken over", "daily-chain.json cannot be used and is measured again")

	// As if the second had run on another machine.
	edit(t, second, func(m *results.Manifest) { m.Environment.CPU = "Abacus" })
	r = program(t.Context(), "merge", "--out", out)
	phrases := []string{
		`run.json: environments differ: shard 1/2 ran on "Abacus"`, "shard 0/2 on ",
		"times of requests are those of shard 0/2",
	}
	wants(t, r, exitOK, r.stderr, append(phrases, "2 shards, 300 users, seed 2016, results in "+out)...)
	wants(t, r, exitOK, strings.Join(strings.Fields(read(t, filepath.Join(out, "report.md"))), " "), phrases...)
	m, err := results.ReadManifest(out)
	if err != nil {
		t.Fatal(err)
	}
	one, err := results.ReadManifest(first)
	if err != nil {
		t.Fatal(err)
	}
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
	wants(t, r, exitOK, r.stderr, "daily-queue: taken over", "daily-chain: taken over")
	sameFiles(t, "the merged run gone on", rowFiles(t, out), merged)

	// Its shards may lie anywhere, and merge as often as one likes.
	apart := t.TempDir()
	for i, dir := range []string{first, second} {
		if err := os.Rename(dir, filepath.Join(apart, []string{"b", "a"}[i])); err != nil {
			t.Fatal(err)
		}
	}
	into := filepath.Join(t.TempDir(), "into")
	a, b := filepath.Join(apart, "a"), filepath.Join(apart, "b")
	wants(t, program(t.Context(), "merge", a, b, "--out", into), exitOK, "")
	sameFiles(t, "merged elsewhere", rowFiles(t, into), merged)
}
