package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/results"
)

// halves measures the two shards of a small run, and returns what makes copies of
// them to be spoilt.
func halves(t *testing.T) (copies func(t *testing.T) (out, first, second string)) {
	t.Helper()
	withCatalogue(t, named(t, "queue"), named(t, "chain"))
	from := filepath.Join(t.TempDir(), "out")
	for _, shard := range []string{"0/2", "1/2"} {
		r := program(t.Context(), "daily", "sizing", "--users", "300", "--out", from, "--shard", shard)
		wants(t, r, exitOK, r.stdout, "Shard "+shard, "of 300, is measured, in "+from, "'merge --out "+from+"' makes one run")
	}
	return func(t *testing.T) (out, first, second string) {
		t.Helper()
		out = filepath.Join(t.TempDir(), "out")
		if err := os.CopyFS(out, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		return out, filepath.Join(out, "shard-0-of-2"), filepath.Join(out, "shard-1-of-2")
	}
}

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

// Whatever does not belong together is not merged, and the message says which
// file it is, why, and what would do. Nothing is written then.
func TestMergeRefuses(t *testing.T) {
	if raceDetector {
		t.Skip("slow, and about files alone")
	}
	copies := halves(t)
	const again = "the command that measured shard 1/2 makes this again, and nothing else: experiments daily sizing --users 300"
	for _, c := range []struct {
		what  string
		spoil func(t *testing.T, first, second string)
		says  []string
	}{
		{"a shard is gone", func(t *testing.T, _, second string) {
			remove(t, second)
		}, []string{"shard 1/2 is missing", "'--shard 1/2 --users 300 --seed 2016' measures it"}},
		{"a shard is there twice", func(t *testing.T, first, second string) {
			remove(t, second)
			if err := os.CopyFS(second, os.DirFS(first)); err != nil {
				t.Fatal(err)
			}
		}, []string{"shard-1-of-2/run.json: shard 0/2 is in ", "shard-0-of-2 already"}},
		{"a shard is not finished", func(t *testing.T, _, second string) {
			remove(t, filepath.Join(second, "run.json"))
		}, []string{"shard-1-of-2/run.json is missing: the shard is not finished", "goes on from there"}},
		{"a manifest is cut short", func(t *testing.T, _, second string) {
			path := filepath.Join(second, "run.json")
			write(t, path, read(t, path)[:100])
		}, []string{"shard-1-of-2: run.json: unexpected end of JSON input"}},

		{"other readers", func(t *testing.T, _, second string) {
			edit(t, second, func(m *results.Manifest) { m.Users = 301 })
		}, []string{"shard-1-of-2/run.json: users is 301, but 300 in ", "shard-0-of-2/run.json"}},
		{"another seed", func(t *testing.T, _, second string) {
			edit(t, second, func(m *results.Manifest) { m.Seed = 7 })
		}, []string{"shard-1-of-2/run.json: seed is 7, but 2016 in "}},
		{"another division", func(t *testing.T, _, second string) {
			edit(t, second, func(m *results.Manifest) { m.Shard.Of = 3 })
		}, []string{"shard-1-of-2/run.json: the number of shards is 3, but 2 in "}},
		{"another build", func(t *testing.T, _, second string) {
			edit(t, second, func(m *results.Manifest) { m.Program = "0123456789abcdef" })
		}, []string{"shard-1-of-2/run.json: program is 0123456789abcdef, but this one is " + programDigest(), "go build -trimpath"}},
		{"other experiments", func(t *testing.T, _, second string) {
			edit(t, second, func(m *results.Manifest) { m.Experiments = m.Experiments[:1] })
		}, []string{`shard-1-of-2/run.json: experiments measured are "daily", but "daily sizing" in `}},
		{"a failed experiment", func(t *testing.T, _, second string) {
			edit(t, second, func(m *results.Manifest) {
				m.Experiments[0].Status, m.Experiments[0].Error = results.Failed, "the lamp went out"
			})
		}, []string{"shard-1-of-2/run.json: 1 experiments failed: daily: the lamp went out"}},

		{"a measurement is gone", func(t *testing.T, _, second string) {
			remove(t, measurementPath(second, "daily-chain"))
		}, []string{"shard-1-of-2/measurements/daily-chain.json: no such file", again}},
		{"a measurement is cut short", func(t *testing.T, _, second string) {
			path := measurementPath(second, "daily-chain")
			write(t, path, read(t, path)[:1000])
		}, []string{"shard-1-of-2/measurements/daily-chain.json: byte 1000 of 1000: unexpected end of JSON input", again}},
		{"a measurement is empty", func(t *testing.T, _, second string) {
			write(t, measurementPath(second, "daily-chain"), "")
		}, []string{"daily-chain.json: byte 0 of 0: unexpected end", again}},
		{"a digit is changed", func(t *testing.T, _, second string) {
			path := measurementPath(second, "daily-chain")
			text := read(t, path)
			at := strings.Index(text, `"requests":`) + len(`"requests":`)
			write(t, path, text[:at]+string('1'+(text[at]-'0')%9)+text[at+1:])
		}, []string{"daily-chain.json: checksum is ", "something in it was changed", again}},
		{"two measurements are spoilt", func(t *testing.T, first, second string) {
			write(t, measurementPath(first, "daily-queue"), "{}")
			write(t, measurementPath(second, "daily-chain"), "noise")
		}, []string{"shard-0-of-2/measurements/daily-queue.json: another measurement", "daily-chain.json: byte 2 of 5: invalid character", again}},
		{"a measurement of the other shard", func(t *testing.T, first, second string) {
			write(t, measurementPath(second, "daily-chain"), read(t, measurementPath(first, "daily-chain")))
		}, []string{"daily-chain.json: another measurement: shard is 0/2, want 1/2", again}},
		{"a measurement of another build", func(t *testing.T, _, second string) {
			key := measurementKey{Program: "0123456789abcdef", Users: 300, Seed: 2016, Shard: results.Shard{Index: 1, Of: 2}}
			if err := writeMeasurement(measurementPath(second, "daily-chain"), key, dailyResult{}); err != nil {
				t.Fatal(err)
			}
		}, []string{"daily-chain.json: another measurement: program is 0123456789abcdef, want " + programDigest(), "another build", again}},
	} {
		t.Run(c.what, func(t *testing.T) {
			out, first, second := copies(t)
			c.spoil(t, first, second)
			r := program(t.Context(), "merge", "--out", out)
			wants(t, r, exitFailed, filepath.ToSlash(r.stderr), c.says...)
			if left := rowFiles(t, out); len(left) > 0 || r.stdout != "" {
				t.Errorf("%d files of rows were written, and on standard output\n%s", len(left), r.stdout)
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// What the message says does it: the same command measures what is spoilt, and
// that alone.
func TestMergeAfterMending(t *testing.T) {
	if raceDetector {
		t.Skip("slow, and about files alone")
	}
	out, _, second := halves(t)(t)
	write(t, measurementPath(second, "daily-chain"), "noise")
	wants(t, program(t.Context(), "merge", "--out", out), exitFailed, "")
	r := program(t.Context(), "daily", "sizing", "--users", "300", "--out", out, "--shard", "1/2")
	wants(t, r, exitOK, r.stderr, "daily-queue: taken over", "daily-chain.json cannot be used and is measured again")
	wants(t, program(t.Context(), "merge", "--out", out), exitOK, "")

	// The merged run is a run: it goes on where the shards stopped.
	merged := rowFiles(t, out)
	r = program(t.Context(), "daily", "sizing", "--users", "300", "--out", out)
	wants(t, r, exitOK, r.stderr, "daily-queue: taken over", "daily-chain: taken over")
	sameFiles(t, "the merged run gone on", rowFiles(t, out), merged)
	whole := t.TempDir()
	wants(t, program(t.Context(), "daily", "sizing", "--users", "300", "--out", whole), exitOK, "")
	sameFiles(t, "merged", merged, rowFiles(t, whole))

	// Its shards may lie anywhere, and merge as often as one likes.
	apart := t.TempDir()
	for i, dir := range []string{"shard-0-of-2", "shard-1-of-2"} {
		if err := os.Rename(filepath.Join(out, dir), filepath.Join(apart, []string{"b", "a"}[i])); err != nil {
			t.Fatal(err)
		}
	}
	into := filepath.Join(t.TempDir(), "into")
	wants(t, program(t.Context(), "merge", filepath.Join(apart, "a"), filepath.Join(apart, "b"), "--out", into), exitOK, "")
	sameFiles(t, "merged elsewhere", rowFiles(t, into), merged)
}

// Shards that ran on different machines are merged, and it is said of which the
// times are; the manifest keeps all.
func TestMergeMixedEnvironments(t *testing.T) {
	if raceDetector {
		t.Skip("slow, and about files alone")
	}
	out, first, second := halves(t)(t)
	edit(t, second, func(m *results.Manifest) { m.Environment.CPU = "Abacus" })
	r := program(t.Context(), "merge", "--out", out)
	phrases := []string{"run.json: environments differ: shard 1/2 ran on \"Abacus\"", "shard 0/2 on ", "times of requests are those of shard 0/2"}
	wants(t, r, exitOK, r.stderr, phrases...)
	wants(t, r, exitOK, read(t, filepath.Join(out, "report.md")), phrases...)
	m, err := results.ReadManifest(out)
	if err != nil {
		t.Fatal(err)
	}
	one, err := results.ReadManifest(first)
	if err != nil {
		t.Fatal(err)
	}
	if m.Environment != one.Environment || len(m.Shards) != 2 || m.Shards[1].Environment.CPU != "Abacus" ||
		m.Shard != (results.Shard{}) || m.Seconds < one.Seconds+m.Shards[1].Seconds {
		t.Errorf("run.json of the merged run: %+v", m)
	}
	if !slices.Contains(m.Args, "merge") || m.Program != one.Program {
		t.Errorf("run.json of the merged run: args %q, program %s", m.Args, m.Program)
	}
}
