package suite

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// A count is a measurement of users that are counted.
type count struct{ Users int }

// counting measures a count, and notes each time it does.
func counting(name string, made *[]string) engine.Measurement[count] {
	return engine.Measurement[count]{
		Name: name, Users: func(s engine.Scope) int { return s.Users }, Cost: 1,
		Make: func(_ context.Context, _ *engine.Run, users measure.Range) (count, error) {
			*made = append(*made, name)
			return count{users.Len()}, nil
		},
	}
}

// toy returns an experiment of one row, the sum of some counts.
func toy(name string, of ...engine.Measurement[count]) experiment.Experiment {
	return experiment.Experiment{
		Name: name, About: "counts",
		Needs: func(engine.Scope) (tasks []engine.Task) {
			for _, m := range of {
				tasks = append(tasks, m)
			}
			return tasks
		},
		Rows: func(r *engine.Run) (rows, timing []results.Row) {
			sum := 0
			for _, m := range of {
				sum += m.Of(r).Users
			}
			return []results.Row{{Quantity: "users", Value: results.Num(float64(sum) / 3)}}, nil
		},
	}
}

// failing returns an experiment with this function for rows.
func failing(name string, rows func(*engine.Run) (rows, timing []results.Row)) experiment.Experiment {
	return experiment.Experiment{Name: name, About: "fails", Rows: rows}
}

// begin begins a run of ten users in a directory.
func begin(t *testing.T, ctx context.Context, out string) (*engine.Run, *bytes.Buffer) {
	t.Helper()
	var printed bytes.Buffer
	r := engine.New(ctx, engine.Scope{Users: 10, Seed: 7}, engine.NewProgress(&printed))
	r.Out, r.Program, r.Environment = out, "abacus", results.Environment{CPU: "beads"}
	return r, &printed
}

// finish runs experiments to their end.
func finish(t *testing.T, r *engine.Run, chosen ...experiment.Experiment) results.Manifest {
	t.Helper()
	run := strategytest.Value(Run(r, chosen, Manifest(r, []string{"--some", "flag"}, "0123")))
	m := run.Manifest
	saved, err := results.ReadManifest(r.Out)
	if err != nil || len(saved.Experiments) != len(m.Experiments) {
		t.Errorf("saved with %d experiments, returned with %d, %v", len(saved.Experiments), len(m.Experiments), err)
	}
	if !r.IsShard() { // what it returns is what is on the disk, row by row
		read := strategytest.Value(results.ReadDir(r.Out))
		if read.DropUnfinished(); !slices.Equal(run.Rows, read.Rows) || !slices.Equal(run.Timing, read.Timing) {
			t.Errorf("rows are %v, and saved %v", run.All(), read.All())
		}
	}
	return m
}

// status returns an experiment's status in a manifest.
func status(t *testing.T, m results.Manifest, name string) results.Status {
	t.Helper()
	for _, s := range m.Experiments {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("nothing is printed of %s: %+v", name, m.Experiments)
	return results.Status{}
}

// left lists the files in a directory, except measurements.
func left(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries := strategytest.Value(os.ReadDir(dir))
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// The manifest lists each experiment's needs and files, and each measurement's cost, once.
func TestManifest(t *testing.T) {
	var made []string
	users, others := counting("users", &made), counting("beyond/others", &made)
	r, _ := begin(t, t.Context(), t.TempDir())
	m := finish(t, r, toy("both", users, others), toy("one", users), toy("none"))
	if len(made) != 2 || len(m.Costs) != 2 || m.Costs[0].Name != "users" || m.Costs[1].Name != "beyond/others" {
		t.Errorf("made %q, costs %+v", made, m.Costs)
	}
	if got := status(t, m, "both"); got.Status != results.Done || got.Merged {
		t.Errorf("%+v", got)
	}
	if one := status(t, m, "one"); len(one.Files) != 2 || one.Files[0].File != "one.csv" || one.Files[0].Rows != 1 {
		t.Errorf("%+v", one)
	}
	if m.Users != 10 || m.Seed != 7 || m.Program != "abacus" || m.Commit != "0123" || len(m.Args) != 2 ||
		m.Environment.CPU != "beads" || m.Shards != nil {
		t.Errorf("%+v", m)
	}
	if faults := results.Faults(r.Out, m); faults != nil {
		t.Errorf("%v", faults)
	}
}

// A failed experiment leaves no file of rows and is named; the others go on.
func TestFailed(t *testing.T) {
	var made []string
	zero := 0.
	lamp := counting("lamp", &made)
	lamp.Make = func(context.Context, *engine.Run, measure.Range) (c count, err error) {
		return c, errors.New("the lamp went out")
	}
	unplanned := toy("unplanned", counting("light", &made))
	unplanned.Needs = nil
	r, printed := begin(t, t.Context(), t.TempDir())
	m := finish(t, r,
		toy("broken", lamp), unplanned,
		failing("wild", func(*engine.Run) (rows, timing []results.Row) { panic("the wick is wet") }),
		failing("odd", func(*engine.Run) (rows, timing []results.Row) {
			return []results.Row{{Strategy: "chain", Quantity: "ratio of nothing", Value: results.Num(zero / zero)}}, nil
		}),
		failing("late", func(*engine.Run) (rows, timing []results.Row) {
			return nil, []results.Row{{Quantity: "time", Value: results.Num(math.Inf(1))}}
		}),
		toy("after", counting("users", &made)))
	for name, reason := range map[string]string{
		"broken": "the lamp went out", "wild": "panic: the wick is wet",
		"unplanned": "the measurement light is asked for, and is not among the experiment's Needs",
		"odd":       `row 1 (odd, chain, ratio of nothing): value: "NaN"`, "late": "late.timing.csv",
	} {
		s := status(t, m, name)
		if s.Status != results.Failed || !strings.Contains(s.Error, reason) || s.Files != nil {
			t.Errorf("%+v, want %q", s, reason)
		}
		if !strings.Contains(printed.String(), name+" failed: ") {
			t.Errorf("nothing was printed of %s:\n%s", name, printed)
		}
	}
	if s := status(t, m, "after"); s.Status != results.Done || s.Error != "" || len(made) != 1 {
		t.Errorf("after a failure: %+v", s)
	}
	if err := m.Failures(); err == nil || !strings.HasPrefix(err.Error(),
		"5 of the experiments failed: broken: measuring lamp: the lamp went out; unplanned: ") {
		t.Errorf("%v", err)
	}
	// An experiment that failed in its second file leaves the first, which is not listed.
	strategytest.Equal(t, strings.Join(left(t, r.Out), " "), "after.csv after.timing.csv late.csv run.json",
		"files are")
	found := strategytest.Value(results.ReadDir(r.Out))
	if found.DropUnfinished(); len(found.Rows) != 1 || len(found.Timing) != 0 {
		t.Errorf("rows of experiments that failed are left: %+v", found.Rows)
	}
}

// Finished work is saved when the run is interrupted, and reused. A plan then holds the rest, whichever folder the
// names say.
func TestInterrupted(t *testing.T) {
	var made []string
	out := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	stops := counting("beyond/second", &made)
	works := stops.Make
	stops.Make = func(ctx context.Context, r *engine.Run, users measure.Range) (count, error) {
		cancel()
		return count{}, ctx.Err()
	}
	first, third := counting("beyond/first", &made), counting("third", &made)
	r, printed := begin(t, ctx, out)
	run, err := Run(r, []experiment.Experiment{toy("one", first), toy("two", first, stops), toy("three", third)},
		Manifest(r, nil, ""))
	m := run.Manifest
	if !errors.Is(err, context.Canceled) || len(m.Experiments) != 1 || len(made) != 1 {
		t.Errorf("%v, %+v, made %q", err, m.Experiments, made)
	}
	if strings.Contains(printed.String(), "failed") {
		t.Errorf("it is told as a failure:\n%s", printed)
	}
	if saved, err := results.ReadManifest(out); err != nil || len(saved.Experiments) != 1 ||
		saved.Experiments[0].Name != "one" {
		t.Errorf("saved: %+v, %v", saved.Experiments, err)
	}

	stops.Make = works
	again, printed := begin(t, t.Context(), out)
	chosen := []experiment.Experiment{toy("one", first), toy("two", first, stops), toy("three", third)}
	plan := again.Plan(Tasks(again.Scope, chosen))
	if len(plan) != 2 || plan[0].Name != "beyond/second" || plan[1].Name != "third" {
		t.Errorf("planned: %+v", plan)
	}
	m = finish(t, again, chosen...)
	if len(made) != 3 || len(m.Experiments) != 3 || len(m.Costs) != 3 ||
		!strings.Contains(printed.String(), "reused from an earlier run: 1") {
		t.Errorf("made %q, %+v\n%s", made, m, printed)
	}
}

// A shard has measurements and no rows.
func TestShard(t *testing.T) {
	var made []string
	r, _ := begin(t, t.Context(), t.TempDir())
	r.Shard = results.Shard{Index: 1, Of: 2}
	m := finish(t, r, toy("one", counting("users", &made)), toy("none"))
	if s := status(t, m, "one"); s.Status != results.Measured || s.Files != nil || len(made) != 1 || m.Shard != r.Shard {
		t.Errorf("%+v, made %q", m, made)
	}
	if names := left(t, r.Out); len(names) != 1 {
		t.Errorf("files are %q", names)
	}
	strategytest.Must(t, strategytest.ErrorOf(os.Stat(engine.Path(r.Out, "users"))))
}

// Two experiments of one name would share files and measurements, and one of the name
// of a command could not be called.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{
		"list": true, "plot": true, "merge": true, "verify": true, "claims": true, "choose": true,
		"replay": true, "describe": true, "run": true,
	}
	for _, x := range All {
		if seen[x.Name] || x.Name == "" || x.About == "" || x.Rows == nil {
			t.Errorf("experiment %q: name taken or empty, or nothing said about it", x.Name)
		}
		seen[x.Name] = true
	}
}
