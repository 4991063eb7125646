package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/strategies/strategytest"
)

// A counted is how often each of ten users was measured.
type counted []int

// A worker that fails once measures that range again and no other; the first range alone is timed; ranges add up.
func TestAFailureRepeatsItsRangeAlone(t *testing.T) {
	broken, made := errors.New("disk full"), 0
	timed := 0
	m := engine.Measurement[counted]{
		Name: "count", Users: func(s engine.Scope) int { return s.Users }, Cost: 1,
		Make: func(_ context.Context, r *engine.Run, users measure.Range) (counted, error) {
			if made++; made == 2 {
				return nil, broken
			}
			of := make(counted, 10)
			for user := users.From; user < users.To; user++ {
				of[user]++
			}
			r.Bytes(int64(100 + made))
			if r.Timed() {
				timed++
			}
			return of, nil
		},
	}
	tasks := map[string]engine.Task{"count": m}
	fn := &measureFn{Config: Config{Users: 10, Seed: 7}}
	fn.Setup()
	fn.tasks = tasks
	adding := &sumFn{tasks: tasks}
	sums, emitted := map[string]part{}, 0
	emit := func(name string, p part) {
		emitted++
		if before, ok := sums[name]; ok {
			var err error
			if p, err = adding.MergeAccumulators(before, p); err != nil {
				t.Fatal(err)
			}
		}
		sums[name] = p
	}
	for i := range 3 {
		s, before := share{"count", measure.Range{To: 10}.Part(i, 3)}, emitted
		err := fn.ProcessElement(t.Context(), s, emit)
		if i == 1 {
			if !errors.Is(err, broken) || emitted != before {
				t.Fatalf("%v, and %d parts", err, emitted-before)
			}
			err = fn.ProcessElement(t.Context(), s, emit)
		}
		strategytest.Must(t, err)
	}
	fn.Teardown()
	want := strategytest.Value(json.Marshal(counted{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}))
	sum := sums["count"]
	if !bytes.Equal(sum.Value, want) || made != 4 || emitted != 3 || timed != 1 {
		t.Errorf("%s, made %d times, %d parts, timed %d times", sum.Value, made, emitted, timed)
	}
	if sum.Cost.Name != "count" || sum.Cost.Seconds <= 0 || sum.Cost.Bytes != 104 {
		t.Errorf("cost is %+v", sum.Cost)
	}
}

// Sums that did not come are an error, and nothing is written: the rows would be measured here, on one machine.
func TestWhatWasNotMeasuredIsMissed(t *testing.T) {
	c := Config{Out: filepath.Join(t.TempDir(), "out"), Experiments: []string{"extend"}, Users: 10}
	err := (&writeFn{c}).ProcessElement(t.Context(), nil, func(*string, *part) bool { return false })
	strategytest.ErrorSays(t, "no sums", err, "simulate: not measured: [{")
	if there, err := os.ReadDir(c.Out); err != nil || len(there) > 0 {
		t.Errorf("%s holds %v, %v", c.Out, there, err)
	}
}

// Ranges cover the users of each task, cost about the same, and there is one of what is measured once. Runs of two
// sizes or seeds in one process are kept apart.
func TestShares(t *testing.T) {
	for _, c := range []Config{{Users: 100_000_000}, {Users: 1}, {Users: 1, Seed: 1}, {Users: 1_000_000, Shards: 20}} {
		if s := c.begin(t.Context()).Scope; s.Users != c.Users || s.Seed != c.Seed {
			t.Errorf("a run of %d users and seed %d has %d and %d", c.Users, c.Seed, s.Users, s.Seed)
		}
		tasks, next, ranges := c.tasks(), map[string]int{}, map[string]int{}
		scope, most := c.scope(), 0.
		for _, s := range c.shares() {
			strategytest.Equal(t, s.Users.From, next[s.Task], "%s begins at", s.Task)
			next[s.Task] = s.Users.To
			ranges[s.Task]++
			if p := tasks[s.Task].Planned(scope); p.Users > 0 {
				most = max(most, p.Cost*float64(s.Users.Len())/float64(p.Users))
			}
		}
		for name, task := range tasks {
			if p := task.Planned(scope); next[name] != p.Users || ranges[name] == 0 || p.Users == 0 && ranges[name] > 1 {
				t.Errorf("%d users: %s has %d ranges up to %d", c.Users, name, ranges[name], next[name])
			}
		}
		if n := slices.Max(slices.Collect(maps.Values(ranges))); c.Shards > 0 && n != c.Shards {
			t.Errorf("%d ranges of the costliest task, want %d", n, c.Shards)
		}
		if c.Shards == 0 && most > 1.5*shareCost {
			t.Errorf("%d users: a range costs %v s", c.Users, most/1e6)
		}
	}
}
