package findings

import (
	"fmt"
	"slices"
	"testing"

	"dejavu/strategies/strategytest"

	"dejavu/experiments/golden"
	"dejavu/internal/document"
	"dejavu/results"
)

func reference(t *testing.T) []results.Row {
	t.Helper()
	run, ok := results.Reference(results.DefaultUsers, results.DefaultSeed)
	if !ok {
		t.Fatalf("no committed reference of %d users and seed %d", results.DefaultUsers, results.DefaultSeed)
	}
	return run.All()
}

// listed are findings as a list, their statements strong.
func listed(all []Finding) string {
	var l document.List
	for _, f := range all {
		l.Items = append(l.Items, "**"+f.Title+"** "+f.Text)
	}
	return document.Markdown(l)
}

// The committed run has every finding, and README.md its advice.
func TestREADME(t *testing.T) {
	all := Of(results.NewCells(reference(t)))
	if len(all) != 5 {
		t.Fatalf("%d findings of the committed run, want 5", len(all))
	}
	golden.Document(t, "README.md", "advice", listed(Advice(results.NewCells(reference(t)))))
}

// Of a run without its rows a finding is left out, and no number is made up: whichever
// experiment is missing, what is left is what it was.
func TestMissing(t *testing.T) {
	rows := reference(t)
	whole := fmt.Sprint(Of(results.NewCells(rows)))
	for experiment, want := range map[string]int{
		results.Table1: 3, results.Tradeoff: 3, results.Popularity: 4, results.Daily: 4, results.Window: 5,
	} {
		var some []results.Row
		for _, r := range rows {
			if r.Experiment != experiment {
				some = append(some, r)
			}
		}
		all := Of(results.NewCells(some))
		strategytest.Equal(t, len(all), want, "findings without %s", experiment)
		for _, f := range all {
			strategytest.Contains(t, whole, f.Text, "without %s a finding is another", experiment)
		}
	}
	some := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool {
		return r.Experiment == results.Tradeoff && r.Strategy == "queue"
	})
	if all := Advice(results.NewCells(some)); all != nil {
		t.Errorf("advice without a row of it: %v", all)
	}
	strategytest.Equal(t, len(append(Of(results.NewCells(nil)), Advice(results.NewCells(nil))...)), 0,
		"findings of nothing")
}
