// Package roomtest tests an experiment whole, over a population of few: what it says is
// compared with committed text of a page, and a part of its rows must show nothing that
// all of them do not.
package roomtest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/golden"
	"dejavu/internal/sysinfo"
	"dejavu/measure/stopwatch"
	"dejavu/results"
)

// Entries are those of a test that names none: the paper's strategies, each theory,
// and a structure beyond the paper.
var Entries = []string{"queue", "single", "dual", "chain", results.Beyond + "ring"}

// Golden runs an experiment for so many users and the entries of those names (none is
// Entries) and compares it with testdata/NAME.golden: what Text says of its rows, with
// made-up times, and what it asks for. The time of a request is measured for one number
// of candidates alone.
func Golden(t *testing.T, x experiment.Experiment, users int, entries ...string) {
	t.Helper()
	if sysinfo.RaceDetector {
		t.Skip("theory takes ten times as long with the race detector, and holds no goroutines")
	}
	if len(entries) == 0 {
		entries = Entries
	}
	sizes := stopwatch.Sizes
	stopwatch.Sizes = sizes[:1]
	defer func() { stopwatch.Sizes = sizes }()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // rows name the processors they are of

	s := scope(t, entries...)
	s.Users = users
	r := engine.New(t.Context(), s, engine.NewProgress(io.Discard))
	r.Out, r.Program = t.TempDir(), "a test"
	rows, timing, err := x.Rows(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range timing {
		if impossible(r) {
			t.Errorf("no machine measures this: %+v", r)
		}
	}
	invented, timing := invent(t, x, r, timing)
	text := Text(t, x, slices.Concat(rows, invented), timing)
	golden.File(t, x.Name+".golden", text+plan(x, r))
}

// scope is a run with the entries of those names.
func scope(t *testing.T, names ...string) engine.Scope {
	t.Helper()
	s := engine.Scope{Users: 1, Seed: results.DefaultSeed}
	for _, name := range names {
		e, err := catalogue.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		s.Entries = append(s.Entries, e)
	}
	return s
}

// impossible is whether a value that depends on the machine is one that none has.
func impossible(r results.Row) bool {
	v, measured := r.Value.Get()
	return measured && (r.Low.Or(v) > v || v > r.High.Or(v) || v < 0 && r.Unit == results.Nanoseconds)
}

// invent makes the rows of a run whose timings, and nothing else, are made up: those that
// are not as they were, and those that are.
func invent(t *testing.T, x experiment.Experiment, r *engine.Run, before []results.Row) (invented, same []results.Row) {
	t.Helper()
	if x.Needs == nil {
		return nil, before
	}
	other := r.Beside(t.Context())
	other.Out, other.Program = r.Out, r.Program
	for _, task := range x.Needs(r.Scope) {
		value, err := task.Kept(r)
		if err != nil {
			t.Fatal(err)
		}
		if task.Users != nil || value == nil {
			continue
		}
		var tree any
		if err := json.Unmarshal(value, &tree); err != nil {
			t.Fatal(err)
		}
		n := 0
		if value, err = json.Marshal(forged(tree, "", &n)); err != nil {
			t.Fatal(err)
		}
		if err := task.Save(other, value, results.Cost{Name: task.Name}); err != nil {
			t.Fatal(err)
		}
	}
	_, timing, err := x.Rows(other)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range timing {
		if slices.Contains(before, row) {
			same = append(same, row)
		} else {
			invented = append(invented, row)
		}
	}
	return invented, same
}

// given are the numbers of a timing that no machine has a say in, by their names.
var given = []string{"candidates", "goroutines", "trades"}

// forged is a timing with numbers that are its places in it, each above the one before,
// but for those that are given. An empty one stays.
func forged(tree any, key string, n *int) any {
	switch v := tree.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			v[k] = forged(v[k], k, n)
		}
	case []any:
		for i := range v {
			v[i] = forged(v[i], key, n)
		}
	case float64:
		if *n++; !slices.Contains(given, strings.ToLower(key)) {
			return 100 + *n
		}
	}
	return tree
}

// plan is what an experiment asks for, a line a measurement: its users and its cost, and
// that of the last of three shards; and what a run of one user without strategies asks for.
func plan(x experiment.Experiment, r *engine.Run) string {
	if x.Needs == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintln(&b, "\nPlan")
	last := r.Scope
	last.Shard = results.Shard{Index: 2, Of: 3}
	for _, task := range x.Needs(r.Scope) {
		fmt.Fprintf(&b, "%s costs %.6g, of the last shard %.6g", task.Name, task.Cost(r.Scope), task.Cost(last))
		if task.Users != nil {
			fmt.Fprintf(&b, ", %d users", task.Users(r.Scope))
		}
		if task.Machine {
			fmt.Fprint(&b, ", of the machine")
		}
		if task.Along != nil {
			fmt.Fprintf(&b, ", along with %s", task.Along.Name)
		}
		if slices.ContainsFunc(r.Costs, func(c results.Cost) bool { return c.Name == task.Name && c.Bytes > 0 }) {
			fmt.Fprint(&b, ", histories alive")
		}
		fmt.Fprintln(&b)
	}
	least := engine.Scope{Users: 1, Seed: r.Seed}
	for _, task := range x.Needs(least) {
		fmt.Fprintf(&b, "of one user, without strategies: %s costs %.6g\n", task.Name, task.Cost(least))
	}
	return b.String()
}
