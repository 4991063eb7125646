// Package experimenttest tests whole experiments over small populations, and compares what the program says with
// committed text: a file of testdata, or a part of README.md or docs. With -update a test writes that text anew.
package experimenttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/internal/golden"
	"dejavu/internal/sysinfo"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// entries are in every test: the paper's strategies, each theory, and a structure beyond the paper.
var entries = []string{"queue", "single", "dual", "chain", results.Beyond + "ring"}

// Golden runs an experiment with the given users and some strategies, others among them. It compares Text, with made-up
// times, and the plan with testdata/NAME.golden. A request is timed for one number of candidates only.
func Golden(t *testing.T, x experiment.Experiment, users int, others ...string) {
	t.Helper()
	if sysinfo.RaceDetector {
		t.Skip("theory takes ten times as long with the race detector, and holds no goroutines")
	}
	sizes := stopwatch.Sizes
	stopwatch.Sizes = sizes[:1]
	defer func() { stopwatch.Sizes = sizes }()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // rows name the processors they are of

	s := engine.Scope{Users: users, Seed: results.DefaultSeed}
	for _, name := range slices.Concat(entries, others) {
		s.Entries = append(s.Entries, catalogue.Must(catalogue.Find(name)))
	}
	r := begin(stopwatch.WithEffort(t.Context(), 1e-3), s, t.TempDir())
	rows, timing, err := x.Rows(r)
	strategytest.Must(t, err)
	if x.Needs != nil {
		failed(t, x, r)
		var left []results.Row // in which timings have no say
		for _, row := range invent(t, x, r) {
			if slices.Contains(timing, row) {
				left = append(left, row)
			} else {
				rows = append(rows, row)
			}
		}
		timing = left
		interrupted(t, x, s)
	}
	golden.File(t, x.Name+".golden", Text(x, rows, timing)+plan(x, r))
	if committed := reference(); slices.ContainsFunc(committed, func(r results.Row) bool { return r.Experiment == x.Name }) {
		Figures(t, x.Figures, committed)
	}
}

// begin begins a run of a scope that keeps its measurements in a directory.
func begin(ctx context.Context, s engine.Scope, out string) *engine.Run {
	r := engine.New(ctx, s, engine.NewProgress(io.Discard))
	r.Out, r.Program = out, "a test"
	return r
}

// failed checks that an experiment returns the error of each measurement that it needs. r has made them all.
func failed(t *testing.T, x experiment.Experiment, r *engine.Run) {
	t.Helper()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, task := range x.Needs(r.Scope) {
		path := engine.Path(r.Out, task.Planned(r.Scope).Name)
		if err := os.Rename(path, path+".away"); errors.Is(err, fs.ErrNotExist) {
			continue // these strategies do not need it
		}
		if _, _, err := x.Rows(begin(over, r.Scope, r.Out)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v where %s is cancelled", x.Name, err, task.Planned(r.Scope).Name)
		}
		strategytest.Must(t, os.Rename(path+".away", path))
	}
}

// A patience is a context that is cancelled after it was asked a number of times whether it is.
type patience struct {
	context.Context
	left atomic.Int64
}

func (p *patience) Err() error {
	if p.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// interrupted checks that measurements return an error if they are cancelled before they begin, and timings also if they
// are cancelled the last time that they ask.
func interrupted(t *testing.T, x experiment.Experiment, s engine.Scope) {
	t.Helper()
	for _, task := range x.Needs(s) {
		asked := func(most int64) (int64, error) {
			p := &patience{Context: stopwatch.WithEffort(t.Context(), 1e-3)}
			p.left.Store(most)
			err := task.Ready(engine.New(p, s, engine.NewProgress(io.Discard)))
			return most - p.left.Load(), err
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := task.Ready(engine.New(over, s, engine.NewProgress(io.Discard))); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, cancelled before", task.Planned(s).Name, err)
		}
		if task.Planned(s).Users > 0 {
			continue
		}
		times, err := asked(math.MaxInt64)
		_, last := asked(times - 1)
		if err != nil || !errors.Is(last, context.Canceled) {
			t.Errorf("%s: errors %v, and %v cancelled last", task.Planned(s).Name, err, last)
		}
	}
}

// invent makes the rows that depend on the machine of a run whose timings, and nothing else, are made up: timings that
// are measurements of their own, and those that the full population has as a member.
func invent(t *testing.T, x experiment.Experiment, r *engine.Run) []results.Row {
	t.Helper()
	other := begin(t.Context(), r.Scope, r.Out)
	for _, task := range x.Needs(r.Scope) {
		p := task.Planned(r.Scope)
		data, err := os.ReadFile(engine.Path(r.Out, p.Name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var saved struct{ Value any }
		strategytest.Must(t, errors.Join(err, json.Unmarshal(data, &saved)))
		if p.Users == 0 {
			saved.Value = forged(saved.Value, "", new(int))
		} else if members, ok := saved.Value.(map[string]any); ok && members["Alive"] != nil {
			members["Alive"] = forged(members["Alive"], "", new(int))
		}
		value := strategytest.Value(json.Marshal(saved.Value))
		strategytest.Must(t, task.SaveJSON(other, value, results.Cost{Name: p.Name}))
	}
	_, timing, err := x.Rows(other)
	strategytest.Must(t, err)
	return timing
}

// forged replaces a timing's numbers by rising ones, except numbers that no machine changes. An empty timing stays.
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
		if *n++; !slices.Contains([]string{"candidates", "goroutines", "trades"}, strings.ToLower(key)) {
			return 100 + *n
		}
	}
	return tree
}

// plan lists an experiment's measurements with their users, also in a run of ten million, and cost, also for the last of
// three shards, and for one user without strategies.
func plan(x experiment.Experiment, r *engine.Run) string {
	if x.Needs == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintln(&b, "\nPlan")
	last, most := r.Scope, r.Scope
	most.Users = results.DefaultUsers
	last.Shard = results.Shard{Index: 2, Of: 3}
	for _, task := range x.Needs(r.Scope) {
		p := task.Planned(r.Scope)
		fmt.Fprintf(&b, "%s costs %.6g, of the last shard %.6g", p.Name, p.Cost, task.Planned(last).Cost)
		if p.Users > 0 {
			fmt.Fprintf(&b, ", %d users, of ten million %d", p.Users, task.Planned(most).Users)
		}
		if p.Machine {
			fmt.Fprint(&b, ", of the machine")
		}
		if slices.ContainsFunc(r.Costs, func(c results.Cost) bool { return c.Name == p.Name && c.Bytes > 0 }) {
			fmt.Fprint(&b, ", histories alive")
		}
		fmt.Fprintln(&b)
	}
	least := engine.Scope{Users: 1, Seed: r.Seed}
	for _, task := range x.Needs(least) {
		p := task.Planned(least)
		fmt.Fprintf(&b, "of one user, without strategies: %s costs %.6g\n", p.Name, p.Cost)
	}
	return b.String()
}

// Text describes an experiment's rows, and its timing with other values, as that depends on the machine: a line a
// quantity, and the tables of both. Package suite compares figures, drawn from the committed rows.
func Text(x experiment.Experiment, rows, timing []results.Row) string {
	timing = slices.Clone(timing)
	for i := range timing {
		for _, n := range numbers(&timing[i]) {
			if n.IsSet() {
				*n = results.Num(float64(100 + i))
			}
		}
		timing[i].Count = min(timing[i].Count, 1)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s", x.Name, x.About, quantities(rows))
	if len(timing) > 0 {
		fmt.Fprintf(&b, "\nOf the machine\n%s", quantities(timing))
	}
	rows = slices.Concat(rows, timing)
	for _, table := range x.Tell(results.NewCells(rows)) {
		fmt.Fprintf(&b, "\n%s\n", table.Title)
		for _, cells := range slices.Concat([][]string{table.Header}, table.Rows) {
			fmt.Fprintln(&b, strings.Join(cells, " | "))
		}
	}
	return b.String()
}

func numbers(r *results.Row) []*results.Number {
	return []*results.Number{&r.Value, &r.Low, &r.High, &r.Theory, &r.Paper}
}

// quantities describes each quantity's rows in a line: their number, strategies, conditions and mean numbers. Six
// digits are the same on all processors.
func quantities(rows []results.Row) string {
	type kind struct{ query, unit string } // without a strategy, and with words alone
	var kinds []kind
	of := map[kind][]results.Row{}
	for _, r := range rows {
		words, _ := r.Where.Divided()
		k := kind{results.Query{Experiment: r.Experiment, Quantity: r.Quantity, Where: words}.String(), r.Unit}
		if of[k] == nil {
			kinds = append(kinds, k)
		}
		of[k] = append(of[k], r)
	}
	var b strings.Builder
	for _, k := range kinds {
		var strategies, places []string
		sums, counts, among := [5]float64{}, [5]int{}, int64(0)
		for _, r := range of[k] {
			if !slices.Contains(strategies, r.Strategy) {
				strategies = append(strategies, r.Strategy)
			}
			if _, place := r.Where.Divided(); place != "" && !slices.Contains(places, string(place)) {
				places = append(places, string(place))
			}
			among += r.Count
			for i, n := range numbers(&r) {
				if v, ok := n.Get(); ok {
					sums[i] += v
					counts[i]++
				}
			}
		}
		fmt.Fprintf(&b, "%s: %d rows of %s,", k.query, len(of[k]), strings.Join(strategies, " "))
		if n := len(places); n > 4 {
			places = slices.Concat(places[:2], []string{fmt.Sprintf("(%d more)", n-4)}, places[n-2:])
		}
		if places != nil {
			fmt.Fprintf(&b, " at %s:", strings.Join(places, ", "))
		}
		for i, name := range []string{"=", "low", "high", "theory", "paper"} {
			if counts[i] > 0 {
				fmt.Fprintf(&b, " %s %.6g", name, sums[i]/float64(counts[i]))
			}
			if n := counts[i]; n > 0 && n < len(of[k]) {
				fmt.Fprintf(&b, " (%d)", n)
			}
		}
		fmt.Fprintf(&b, " %s of %d\n", k.unit, among)
	}
	return b.String()
}
