package engine_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// A sum is a measurement that adds the numbers of users up.
type sum struct{ Users, Of int }

// counter returns a measurement that counts how often it was made.
func counter(name string, made *int) engine.Measurement[sum] {
	return engine.Measurement[sum]{
		Name: name, Users: func(s engine.Scope) int { return s.Users }, Cost: 2,
		Make: func(_ context.Context, r *engine.Run, users measure.Range) (s sum, err error) {
			*made++
			r.Bytes(1000)
			r.Bytes(10)
			for user := users.From; user < users.To; user++ {
				s.Users, s.Of = s.Users+1, s.Of+user
			}
			return s, nil
		},
	}
}

// begin begins a run of ten users in a directory.
func begin(t *testing.T, out string, shard results.Shard) (*engine.Run, *bytes.Buffer) {
	t.Helper()
	var printed bytes.Buffer
	r := engine.New(t.Context(), engine.Scope{Users: 10, Seed: 7, Shard: shard}, engine.NewProgress(&printed))
	r.Out, r.Program, r.Environment = out, "abacus", results.Environment{CPU: "beads"}
	return r, &printed
}

func TestMadeOnceAndTakenOver(t *testing.T) {
	out, made := t.TempDir(), 0
	m := counter("of/users", &made)
	r, _ := begin(t, out, results.Shard{})
	for range 2 {
		if got, err := m.Measure(r); err != nil || got != (sum{10, 45}) {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	if made != 1 || len(r.Costs) != 1 || r.Costs[0].Name != "of/users" || r.Costs[0].Bytes != 1000 {
		t.Errorf("made %d times, costs %+v", made, r.Costs)
	}
	if plan := r.Plan([]engine.Task{m}); len(plan) != 0 {
		t.Errorf("what is saved, in a folder too, is planned again: %+v", plan)
	}

	again, _ := begin(t, out, results.Shard{})
	if got, err := m.Measure(again); err != nil || got != (sum{10, 45}) || made != 1 || again.Reused != 1 {
		t.Errorf("taken over: %+v, %v, made %d times, %d reused", got, err, made, again.Reused)
	}
	if len(again.Costs) != 1 || again.Costs[0] != r.Costs[0] {
		t.Errorf("what it cost is %+v, was %+v", again.Costs, r.Costs)
	}
	again, _ = begin(t, out, results.Shard{})
	again.Again, again.Options.Workers = true, 4
	if plan := again.Plan([]engine.Task{m}); len(plan) != 1 ||
		plan[0] != (engine.Planned{Name: "of/users", Users: 10, Cost: 5}) {
		t.Errorf("planned: %+v", plan)
	}
	if _, err := m.Measure(again); err != nil || made != 2 {
		t.Errorf("with Again made %d times, %v", made, err)
	}
}

// Measurements of another run are silently measured again.
func TestNotTakenOver(t *testing.T) {
	for what, change := range map[string]func(r *engine.Run){
		"program":              func(r *engine.Run) { r.Program = "slide rule" },
		"a program unknown":    func(r *engine.Run) { r.Program = "" },
		"users":                func(r *engine.Run) { r.Users = 11 },
		"seed":                 func(r *engine.Run) { r.Seed = 8 },
		"shard":                func(r *engine.Run) { r.Shard = results.Shard{Index: 0, Of: 1} },
		"population":           func(r *engine.Run) { h := r.Daily(); h.Sigma++; r.Habits = &h },
		"machine":              func(r *engine.Run) { r.Environment.CPU = "counters" },
		"memory of no account": nil,
	} {
		out, made := t.TempDir(), 0
		m := counter("users", &made)
		m.Machine = true
		r, _ := begin(t, out, results.Shard{})
		if what == "a program unknown" { // and unknown it was
			r.Program = ""
		}
		strategytest.Must(t, strategytest.ErrorOf(m.Measure(r)))
		other, printed := begin(t, out, results.Shard{})
		other.Environment.MemoryBytes = 1
		want := 1
		if change != nil {
			change(other)
			want = 2
		}
		if _, err := m.Measure(other); err != nil || made != want || strings.Contains(printed.String(), "cannot be used") {
			t.Errorf("another %s: made %d times, want %d, %v\n%s", what, made, want, err, printed)
		}
	}
	// The machine matters only to measurements that depend on it.
	out, made := t.TempDir(), 0
	m := counter("users", &made)
	for _, cpu := range []string{"beads", "counters"} {
		r, _ := begin(t, out, results.Shard{})
		r.Environment.CPU = cpu
		if _, err := m.Measure(r); err != nil || made != 1 {
			t.Errorf("on %s: made %d times, %v", cpu, made, err)
		}
	}
}

// Any shards, summed in any order, are the whole.
func TestShardsAddUp(t *testing.T) {
	made := 0
	m := counter("users", &made)
	for _, n := range []int{1, 2, 3, 7, 12} {
		var shards []results.Part
		for i := range n {
			s := results.Shard{Index: i, Of: n}
			r, _ := begin(t, t.TempDir(), s)
			strategytest.Must(t, m.Ready(r))
			shards = append(shards, results.Part{Dir: r.Out, Manifest: results.Manifest{Shard: s}})
		}
		slices.Reverse(shards)
		merged, _ := begin(t, t.TempDir(), results.Shard{})
		merged.Shards, merged.Again = shards, true
		strategytest.Equal(t, strategytest.Value(m.Measure(merged)), (sum{10, 45}), "%d shards", n)
		if n == 3 && (merged.Costs[0].Bytes != 1000 || merged.Costs[0].Seconds < 0) {
			t.Errorf("costs %+v", merged.Costs)
		}

		strategytest.Must(t, os.Remove(engine.Path(shards[0].Dir, "users")))
		lacking, _ := begin(t, t.TempDir(), results.Shard{})
		lacking.Shards, lacking.Again = shards, true
		if _, err := m.Measure(lacking); err == nil || !strings.Contains(err.Error(), shards[0].Dir) ||
			!strings.Contains(err.Error(), "to redo only this") {
			t.Errorf("of %d shards one lacks it: %v", n, err)
		}
	}
}

// The first shard makes a timing, and merging takes it over.
func TestTiming(t *testing.T) {
	timing := engine.Measurement[string]{
		Name: "times", Cost: 5,
		Make: func(context.Context, *engine.Run, measure.Range) (string, error) { return "an hour", nil },
	}
	var shards []results.Part
	for i := range 2 {
		s := results.Shard{Index: i, Of: 2}
		r, _ := begin(t, t.TempDir(), s)
		strategytest.Must(t, timing.Ready(r))
		if _, err := os.Stat(engine.Path(r.Out, "times")); (err == nil) != (i == 0) {
			t.Errorf("shard %d: %v", i, err)
		}
		strategytest.Equal(t, timing.Planned(r.Scope),
			engine.Planned{Name: "times", Machine: true, Cost: []float64{5, 0}[i]}, "shard %d plans", i)
		shards = append(shards, results.Part{Dir: r.Out, Manifest: results.Manifest{Shard: s}})
	}
	merged, _ := begin(t, t.TempDir(), results.Shard{})
	merged.Shards, merged.Again = shards, true
	strategytest.Equal(t, strategytest.Value(timing.Measure(merged)), "an hour", "merged")
}

// A measurement that fails or is interrupted is not saved, and the next run makes it.
func TestFailure(t *testing.T) {
	out, made := t.TempDir(), 0
	m := counter("users", &made)
	works := m.Make
	m.Make = func(context.Context, *engine.Run, measure.Range) (sum, error) {
		return sum{}, errors.New("the lamp went out")
	}
	r, _ := begin(t, out, results.Shard{})
	if _, err := m.Measure(r); err == nil || err.Error() != "measuring users: the lamp went out" {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	m.Make = func(context.Context, *engine.Run, measure.Range) (sum, error) {
		cancel()
		return sum{10, 45}, nil // as if it were whole
	}
	over := engine.New(ctx, r.Scope, engine.NewProgress(io.Discard))
	over.Out, over.Program = r.Out, r.Program
	if _, err := m.Measure(over); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(out, "measurements", "*")); len(files) > 0 || len(r.Costs) > 0 {
		t.Errorf("a failed measurement left %q, %+v", files, r.Costs)
	}
	m.Make = works
	if _, err := m.Measure(r); err != nil || made != 1 {
		t.Errorf("made %d times, %v", made, err)
	}
}

// A file that is not whole is mentioned, and measured again.
func TestSpoiltFile(t *testing.T) {
	out, made := t.TempDir(), 0
	m := counter("users", &made)
	r, _ := begin(t, out, results.Shard{})
	strategytest.Must(t, strategytest.ErrorOf(m.Measure(r)))
	path := engine.Path(out, "users")
	whole := strategytest.Value(os.ReadFile(path))
	for what, c := range map[string]struct{ text, reason string }{
		"cut short":        {string(whole[:len(whole)-10]), "unexpected end of JSON"},
		"empty":            {"", "byte 0 of 0: unexpected end of JSON"},
		"noise":            {"\x00" + string(whole), "byte 1 of"},
		"a digit changed":  {strings.Replace(string(whole), `"Of":45`, `"Of":46`, 1), "something in it was changed"},
		"of another shape": {strings.Replace(string(whole), `"program"`, `"program":["of"],"of"`, 1), "cannot unmarshal"},
	} {
		strategytest.Must(t, os.WriteFile(path, []byte(c.text), 0o600))
		made = 0
		r, printed := begin(t, out, results.Shard{})
		if got, err := m.Measure(r); err != nil || got != (sum{10, 45}) || made != 1 ||
			!strings.Contains(printed.String(), path+" cannot be used and is measured again") ||
			!strings.Contains(printed.String(), c.reason) {
			t.Errorf("%s: %+v, %v, made %d times\n%s", what, got, err, made, printed)
		}
		if after, err := os.ReadFile(path); err != nil || len(after) < len(whole)/2 || string(after) == c.text {
			t.Errorf("%s: not saved anew", what)
		}
	}
}

func TestMemo(t *testing.T) {
	t.Chdir(t.TempDir())
	r, _ := begin(t, "", results.Shard{})
	made := 0
	number := func() (int, error) { made++; return made, nil }
	for range 2 {
		if got, err := engine.Memo(r, "number", number); got != 1 || err != nil {
			t.Errorf("%d, %v", got, err)
		}
	}
	fails := errors.New("not yet")
	if _, err := engine.Memo(r, "other", func() (int, error) { return 0, fails }); !errors.Is(err, fails) {
		t.Errorf("%v", err)
	}
	strategytest.Equal(t, strategytest.Value(engine.Memo(r, "other", number)), 2, "after an error")
}

// Leftovers of a killed run identify it; other files in its folder do not.
func TestLeft(t *testing.T) {
	dir := t.TempDir()
	strategytest.Equal(t, strategytest.Value(engine.Left(dir)).Users, 0, "nothing is left")
	for _, file := range []struct{ name, text string }{
		{"a", "{"},
		{"b", `{"users":0,"seed":3}`},
		{"c", `{"users":7,"seed":"x"}`},
		{"d", `{"users":9,"seed":4,"population":"p"}`},
	} {
		path := engine.Path(dir, file.name)
		strategytest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		strategytest.Must(t, os.WriteFile(path, []byte(file.text), 0o644))
	}
	if err := os.Mkdir(engine.Path(dir, "0"), 0o755); err != nil { // that cannot be read
		t.Fatal(err)
	}
	if m, err := engine.Left(dir); err != nil || m.Users != 9 || m.Seed != 4 || m.Population != "p" {
		t.Errorf("left is %+v, %v", m, err)
	}
}
