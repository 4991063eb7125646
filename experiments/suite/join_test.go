package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dejavu/experiments/delivery"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// merged merges a run of two shards into a directory.
func merged(t *testing.T, out string, chosen ...experiment.Experiment) results.Manifest {
	t.Helper()
	r, _ := begin(t, t.Context(), out)
	m := Manifest(r, nil, "")
	var shards []results.Part
	for i := range 2 {
		s := results.Shard{Index: i, Of: 2}
		part, _ := begin(t, t.Context(), filepath.Join(out, "shard", s.String()))
		part.Shard = s
		m.Shards = append(m.Shards, finish(t, part, chosen...))
		shards = append(shards, results.Part{Dir: part.Out, Manifest: results.Manifest{Shard: s}})
	}
	r.Again, r.Shards = true, shards
	return strategytest.Value(Run(r, chosen, m)).Manifest
}

// A run that joins a merged one does not forget that it was merged, nor what its
// measurements cost, until nothing of it is left.
func TestJoinsMerged(t *testing.T) {
	var made []string
	out := t.TempDir()
	users, others := counting("users", &made), counting("others", &made)
	m := merged(t, out, toy("one", users), toy("two", users))
	if len(m.Shards) != 2 || !status(t, m, "one").Merged || m.Costs[0].Name != "users" {
		t.Errorf("merged: %+v", m)
	}
	r, printed := begin(t, t.Context(), out)
	m = finish(t, r, toy("two", users), toy("three", others))
	if !strings.Contains(printed.String(), "reused from an earlier run: 1") {
		t.Errorf("the sum is not taken over:\n%s", printed)
	}
	if len(m.Shards) != 2 || !status(t, m, "one").Merged || status(t, m, "two").Merged || status(t, m, "three").Merged ||
		len(m.Experiments) != 3 || len(m.Costs) != 2 {
		t.Errorf("joined: %+v", m)
	}
	r, _ = begin(t, t.Context(), out)
	if m = finish(t, r, toy("one", users)); m.Shards != nil || len(m.Experiments) != 3 {
		t.Errorf("all was run again: shards %+v, %d experiments", m.Shards, len(m.Experiments))
	}
}

// Experiments join only experiments of the same population. A note says if another machine ran them.
func TestJoins(t *testing.T) {
	for what, c := range map[string]struct {
		change func(r *engine.Run)
		joins  bool
	}{
		"the same":          {func(*engine.Run) {}, true},
		"another program":   {func(r *engine.Run) { r.Program = "slide rule" }, true},
		"another machine":   {func(r *engine.Run) { r.Environment.CPU = "counters" }, true},
		"other users":       {func(r *engine.Run) { r.Users++ }, false},
		"another seed":      {func(r *engine.Run) { r.Seed++ }, false},
		"other habits":      {func(r *engine.Run) { h := r.Daily(); h.Sigma++; r.Habits = &h }, false},
		"a shard":           {func(r *engine.Run) { r.Shard.Of = 2 }, false},
		"a log in that dir": {nil, false},
	} {
		var made []string
		out := t.TempDir()
		r, _ := begin(t, t.Context(), out)
		before := finish(t, r, toy("one", counting("users", &made)))
		r, _ = begin(t, t.Context(), out)
		if c.change == nil {
			before.Log = new(results.Log)
			strategytest.Must(t, results.WriteManifest(out, before))
		} else {
			c.change(r)
		}
		m := finish(t, r, toy("two"))
		strategytest.Equal(t, len(m.Experiments) == 2, c.joins, "%s: %d experiments, joins", what, len(m.Experiments))
		if !c.joins {
			continue
		}
		where := status(t, m, "one").Environment
		if (where != nil) != (what == "another machine") || where != nil && where.CPU != "beads" {
			t.Errorf("%s: the first ran on %v", what, where)
		}
		// Back at home, the others' place is noted, and this one's no longer.
		r, _ = begin(t, t.Context(), out)
		m = finish(t, r, toy("three"))
		if where := status(t, m, "one").Environment; where != nil {
			t.Errorf("%s: the first ran elsewhere, on %v", what, where)
		}
	}
}

// Shards of two programs are not of one run.
func TestShardOfAnotherProgram(t *testing.T) {
	var made []string
	out := t.TempDir()
	for _, c := range []struct {
		program, name string
		want          int
	}{{"abacus", "one", 1}, {"abacus", "two", 2}, {"slide rule", "three", 1}} {
		r, _ := begin(t, t.Context(), out)
		r.Shard, r.Program = results.Shard{Index: 0, Of: 2}, c.program
		strategytest.Equal(t, len(finish(t, r, toy(c.name, counting("users", &made))).Experiments), c.want,
			"%s, measured by %s: experiments", c.name, c.program)
	}
}

// Times are of no concern here, and requests of thousands of candidates would take most of the tests' time.
func TestMain(m *testing.M) {
	stopwatch.Sizes = []int{40}
	delivery.Requests = 1
	code := m.Run()
	_ = os.RemoveAll(wholeRun.out)
	os.Exit(code)
}
