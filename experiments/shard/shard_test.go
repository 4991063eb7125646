package shard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// measured is what the manifest of a shard says.
func measured(index int) results.Manifest {
	return results.Manifest{
		Seed: 7, Users: 300, Program: "abacus", Args: []string{"daily", "--users", "300"},
		Shard:       results.Shard{Index: index, Of: 2},
		Experiments: []results.Status{{Name: "daily", Status: results.Measured}, {Name: "fill", Status: results.Measured}},
		Environment: results.Environment{CPU: "beads", CPUs: 2},
	}
}

// put makes a directory with a manifest.
func put(t *testing.T, dir string, m results.Manifest) {
	t.Helper()
	strategytest.Must(t, os.MkdirAll(dir, 0o755))
	strategytest.Must(t, results.WriteManifest(dir, m))
}

// names are the directories and shards of parts, below root.
func names(root string, parts []Part) (all []string) {
	for _, p := range parts {
		rest, _ := strings.CutPrefix(filepath.ToSlash(p.Dir), filepath.ToSlash(root)+"/")
		all = append(all, rest+" "+p.Shard.String())
	}
	return all
}

// Shards lie in the directory of their run, or are named.
func TestFind(t *testing.T) {
	root := t.TempDir()
	run := filepath.Join(root, "run")
	for i := range 2 {
		put(t, Dir(run, results.Shard{Index: i, Of: 2}), measured(i))
	}
	put(t, filepath.Join(root, "alone"), measured(1))
	strategytest.Must(t, os.WriteFile(filepath.Join(run, prefix+"of notes"), nil, 0o600))
	strategytest.Must(t, os.Mkdir(filepath.Join(run, "figures"), 0o755))
	parts, err := Find([]string{filepath.Join(root, "alone"), run})
	want := []string{"alone 1/2", "run/shard-0-of-2 0/2", "run/shard-1-of-2 1/2"}
	if got := names(root, parts); err != nil || !slices.Equal(got, want) {
		t.Errorf("found %q, %v, want %q", got, err, want)
	}
	saved := Saved(parts)
	if len(saved) != 3 || saved[0].Dir != parts[0].Dir || saved[0].Shard.Index != 1 ||
		saved[0].Again != "to redo only this, run the command that measured shard 1/2: experiments daily --users 300" {
		t.Errorf("saved: %+v", saved)
	}
	strategytest.Equal(t, Dir(run, results.Shard{}), run, "a whole run lies in")

	// A run that is merged, or none at all, has none.
	put(t, filepath.Join(root, "whole"), results.Manifest{Users: 300})
	for _, dir := range []string{"whole", "nowhere", "run/figures"} {
		if _, err := Find([]string{run, filepath.Join(root, dir)}); !errors.Is(err, ErrNone) ||
			!strings.Contains(err.Error(), filepath.FromSlash(dir)) {
			t.Errorf("in %s: %v", dir, err)
		}
	}
	// A manifest that cannot be read is another matter.
	for _, dir := range []string{run, parts[2].Dir} {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, results.ManifestName), []byte(`{"seed": `), 0o600))
		if _, err := Find([]string{run}); err == nil || errors.Is(err, ErrNone) ||
			!strings.Contains(err.Error(), dir+": run.json: unexpected end of JSON input") {
			t.Errorf("%s: %v", dir, err)
		}
		strategytest.Must(t, os.Remove(filepath.Join(dir, results.ManifestName)))
	}
}

// What belongs together is put in order.
func TestCheck(t *testing.T) {
	parts := []Part{{"b", measured(1)}, {"a", measured(0)}}
	parts[0].Environment.CPU = "counters" // where it was measured does not matter
	slices.Reverse(parts[0].Experiments)
	if err := Check(parts, "abacus"); err != nil || parts[0].Dir != "a" || parts[1].Dir != "b" {
		t.Errorf("%v, in the order %s, %s", err, parts[0].Dir, parts[1].Dir)
	}
}

// Whatever does not belong together is refused, and the message says which file it is, why, and what would do.
func TestCheckRefuses(t *testing.T) {
	refuses := func(what string, spoil func(p []Part) []Part, says ...string) {
		t.Helper()
		err := Check(spoil([]Part{{"a", measured(0)}, {"b", measured(1)}}), "abacus")
		for _, phrase := range says {
			if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), phrase) {
				t.Errorf("%s: %v, want %q in it", what, err, phrase)
			}
		}
	}
	refuses("a shard is gone", func(p []Part) []Part { return p[:1] },
		"shard 1/2 is missing", "'--shard 1/2 --users 300 --seed 7' measures it")
	refuses("a shard is there twice", func(p []Part) []Part { p[1].Manifest = p[0].Manifest; return p },
		"b/run.json: shard 0/2 is in a already")
	refuses("a shard is not finished", func(p []Part) []Part { p[1].Manifest = results.Manifest{}; return p },
		"b/run.json is missing: the shard is not finished", "goes on from there")
	refuses("no shard is finished", func(p []Part) []Part {
		p[0].Manifest, p[1].Manifest = results.Manifest{}, results.Manifest{}
		return p
	}, "a/run.json is missing", "b/run.json is missing")
	refuses("other users", func(p []Part) []Part { p[1].Users = 301; return p },
		"b/run.json: users is 301, but 300 in a/run.json: not of one run; name the directories to merge")
	refuses("another seed", func(p []Part) []Part { p[1].Seed = 8; return p },
		"b/run.json: seed is 8, but 7 in a/run.json")
	refuses("another division", func(p []Part) []Part { p[1].Shard.Of = 3; return p },
		"b/run.json: the number of shards is 3, but 2 in a/run.json")
	refuses("another build", func(p []Part) []Part { p[1].Program = "slide rule"; return p },
		`b/run.json: program is "slide rule", but this one is "abacus": another build`, "go build -trimpath")
	refuses("other experiments", func(p []Part) []Part { p[1].Experiments = p[1].Experiments[:1]; return p },
		`b/run.json: experiments measured are "daily", but "daily fill" in a/run.json; shard 1/2 lacks some`)
	refuses("a failed experiment", func(p []Part) []Part {
		p[1].Experiments[0] = results.Status{Name: "daily", Status: results.Failed, Error: "the lamp went out"}
		return p
	}, "b/run.json: 1 of the experiments failed: daily: the lamp went out")
	refuses("two faults", func(p []Part) []Part { p[0].Program, p[1].Seed = "slide rule", 8; return p },
		"a/run.json: program is", "b/run.json: seed is 8")
	parts := []Part{{"a", measured(0)}, {"b", measured(1)}}
	for i := range parts {
		parts[i].Program = ""
	}
	strategytest.ErrorSays(t, "programs that cannot be told apart", Check(parts, ""), "another build")
}

// A merged run says whose times its are, where its shards ran, and what is not merged.
func TestProvenance(t *testing.T) {
	m := results.Manifest{Experiments: []results.Status{{Name: "daily", Merged: true}, {Name: "fill", Merged: true}}}
	if got := Provenance(m); got != nil {
		t.Errorf("of a whole run: %q", got)
	}
	for i := range 3 {
		s := measured(i)
		s.Shard.Of = 3
		s.Environment.MemoryBytes = int64(i) // no other machine
		m.Shards = append(m.Shards, s)
	}
	const merged = "Merged from 3 shards: bytes, and seconds of simulation, are their sums; " +
		"times of requests are those of shard 0/3."
	if got := Provenance(m); len(got) != 1 || got[0] != merged {
		t.Errorf("of one machine: %q", got)
	}
	m.Shards[1].Environment.CPU, m.Shards[2].Environment.CPU = "counters", "counters"
	got := strings.Join(Provenance(m), "\n")
	if !strings.HasPrefix(got, merged+"\nrun.json: environments differ: shard 1/3, 2/3 ran on \"counters\"") ||
		!strings.Contains(got, `shard 0/3 on "beads"`) {
		t.Errorf("of two machines:\n%s", got)
	}
	m.Experiments[1].Merged = false
	if got := Provenance(m); !strings.HasSuffix(got[0], " Not merged but run here: fill.") {
		t.Errorf("with one run here: %q", got)
	}
	if got := Provenance(results.Manifest{Runs: make([]string, 5)}); len(got) != 1 ||
		!strings.HasPrefix(got[0], "Timings are means of 5 runs") {
		t.Errorf("of a pool: %q", got)
	}
	if got := Provenance(results.Manifest{Population: "sessions 2"}); len(got) != 1 ||
		!strings.HasSuffix(got[0], "(--population): sessions 2.") {
		t.Errorf("of a population of its own: %q", got)
	}
}

func TestParse(t *testing.T) {
	const job, slurm = "JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID"
	type environment map[string]string
	for _, c := range []struct {
		text string
		env  environment
		want results.Shard
		says []string // of the error
	}{
		{text: "0/1", want: results.Shard{Index: 0, Of: 1}},
		{text: "2/7", want: results.Shard{Index: 2, Of: 7}},
		{text: "9999/10000", want: results.Shard{Index: 9999, Of: 10000}},
		{text: "2/7", env: environment{job: "3"}, want: results.Shard{Index: 2, Of: 7}}, // what is named is meant
		{text: "auto/7", env: environment{job: "0"}, want: results.Shard{Index: 0, Of: 7}},
		{text: "auto/7", env: environment{slurm: "6"}, want: results.Shard{Index: 6, Of: 7}},
		{text: "auto/7", env: environment{job: "4", slurm: "4"}, want: results.Shard{Index: 4, Of: 7}},
		{text: "auto/7", env: environment{job: "", slurm: "4"}, want: results.Shard{Index: 4, Of: 7}},

		{text: "", says: []string{`""`, "want i/n", `"2/7"`, `"auto/7"`}},
		{text: "7", says: []string{`"7"`, "want i/n"}},
		{text: "2/x", says: []string{`"2/x"`, "want i/n"}},
		{text: "1/2/3", says: []string{`"1/2/3"`, "want i/n"}},
		{text: "0/0", says: []string{`"0/0"`, "n is 0, want 1 to 10000"}},
		{text: "0/-3", says: []string{"n is -3"}},
		{text: "0/10001", says: []string{"n is 10001, want 1 to 10000"}},
		{text: "7/7", says: []string{`i is "7"`, "want 0 to 6", "numbered from 0"}},
		{text: "-1/7", says: []string{`i is "-1"`, "want 0 to 6"}},
		{text: "/7", says: []string{`i is ""`, "want 0 to 6"}},
		{text: "x/7", env: environment{job: "3"}, says: []string{`i is "x"`}},
		{text: "auto/7", says: []string{"neither " + job + " nor " + slurm + " is set", `"0/7" to "6/7"`}},
		{text: "auto/7", env: environment{job: "2", slurm: "3"}, says: []string{job + ` is "2"`, slurm + ` is "3"`, "which"}},
		{text: "auto/7", env: environment{slurm: "7"}, says: []string{
			slurm + ` is "7"`, "want 0 to 6",
			"sbatch --array=0-6",
		}},
		{text: "auto/7", env: environment{slurm: "1-7"}, says: []string{slurm + ` is "1-7"`, "want 0 to 6"}},
		{text: "auto/7", env: environment{job: "-1"}, says: []string{job + ` is "-1"`}},
	} {
		got, err := Parse(c.text, func(name string) string { return c.env[name] })
		if c.says == nil {
			if err != nil || got != c.want {
				t.Errorf("--shard %q with %v: %v, %v, want %v", c.text, c.env, got, err, c.want)
			}
			continue
		}
		for _, phrase := range c.says {
			strategytest.ErrorSays(t, fmt.Sprintf("--shard %q with %v", c.text, c.env), err, phrase)
		}
	}
}
