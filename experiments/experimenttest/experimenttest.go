// Package experimenttest tests whole experiments over small populations, and compares what the program says with
// committed text: a file of testdata, or a part of README.md or docs. With -update a test writes that text anew.
package experimenttest

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/internal/golden"
	"dejavu/internal/sysinfo"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// entries are in every test: the paper's strategies, each theory, and a structure beyond the paper.
var entries = []string{"queue", "single", "dual", "chain", results.Beyond + "ring"}

// ofMachine are quantities that no made-up time replaces.
var ofMachine = []string{results.QResidentTotal, results.QSnapshotBytes, results.QSnapshotTime}

// Golden runs an experiment with the given users and some strategies, others among them, and made-up times. It compares
// Text and what was measured with testdata/NAME.golden.
func Golden(t *testing.T, x experiment.Experiment, users int, others ...string) {
	t.Helper()
	if sysinfo.RaceDetector {
		t.Skip("theory takes ten times as long with the race detector, and starts no goroutines")
	}
	s := engine.Scope{Users: users, Seed: results.DefaultSeed}
	for _, name := range slices.Concat(entries, others) {
		s.Entries = append(s.Entries, catalogue.Must(catalogue.Find(name)))
	}
	r := engine.New(stopwatch.WithMadeUpTimes(t.Context()), s, engine.NewProgress(io.Discard))
	r.Out, r.Program = t.TempDir(), "a test"
	for _, task := range x.Tasks(s) {
		strategytest.Must(t, task.Ready(r))
	}
	rows, times := x.Rows(r)
	rows, times = row.In(x.Name, rows), row.In(x.Name, times)
	var timing []results.Row
	for _, made := range times {
		if slices.Contains(ofMachine, made.Quantity) {
			timing = append(timing, made)
		} else {
			rows = append(rows, made)
		}
	}
	faults(t, x, s)
	measured, all := "", s
	all.Users = results.DefaultUsers
	for _, c := range r.Costs {
		for _, task := range x.Tasks(s) {
			if p := task.Planned(s); p.Name == c.Name {
				measured = cmp.Or(measured, "\nMeasured\n") + fmt.Sprintf("%s: %d users, of ten million %d, cost %.6g, of the "+
					"machine %t, histories %t\n", p.Name, p.Users, task.Planned(all).Users, p.Cost, p.Machine, c.Bytes > 0)
			}
		}
	}
	golden.File(t, x.Name+".golden", Text(x, rows, timing)+measured)
	committed := reference()
	if slices.ContainsFunc(committed, func(r results.Row) bool { return r.Experiment == x.Name }) {
		Figures(t, x.Figures, committed)
	}
}

// faults checks that no measurement of an experiment hides that one of its users failed.
func faults(t *testing.T, x experiment.Experiment, s engine.Scope) {
	t.Helper()
	s.Shard.Of = 1 << 30 // of one user
	for _, task := range x.Tasks(s) {
		r := engine.New(stopwatch.WithMadeUpTimes(t.Context()), s, engine.NewProgress(io.Discard))
		failed := false
		r.Options.Progress = func(int) {
			failed = true
			panic("made up")
		}
		if err := task.Ready(r); failed {
			strategytest.ErrorSays(t, task.Planned(s).Name, err, "made up")
		}
	}
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
