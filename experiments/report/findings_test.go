package report

import (
	"fmt"
	"slices"
	"testing"

	"dejavu/strategies/strategytest"

	"dejavu/results"
)

// The committed run has every finding.
func TestCommitted(t *testing.T) {
	all := FindingsOf(results.NewCells(reference(t, results.DefaultUsers).All()))
	strategytest.Equal(t, len(all), 5, "findings of the committed run")
}

// A number is quoted in the unit that its format names.
func TestQuotes(t *testing.T) {
	q := quotes{cells: results.NewCells([]results.Row{
		{Experiment: "e", Strategy: "s", Quantity: "q", Value: results.Num(12)},
		{Experiment: "e", Strategy: "s", Quantity: "p", Value: results.Num(3)},
	})}
	const twelve = "e: q of s"
	got := []string{q.share(twelve), q.percent(twelve), q.permille(twelve), q.times("%g", twelve, "e: p of s")}
	strategytest.EqualSlices(t, got, []string{"1200 %", "1.2e+03 %", "12000", "4"}, "twelve is quoted as")
	strategytest.Must(t, q.err)
}

// A report says if a run's shards, or one of them, ran on another machine than the first.
func TestProvenance(t *testing.T) {
	m := results.Manifest{Shards: []results.Manifest{
		{Shard: results.Shard{Index: 0, Of: 2}}, {Shard: results.Shard{Index: 1, Of: 2}},
	}}
	strategytest.Equal(t, len(Provenance(m)), 1, "paragraphs on shards of one machine")
	m.Shards[1].Environment.CPU = "Abacus"
	lines := Provenance(m)
	strategytest.Contains(t, lines[len(lines)-1], `environments differ: shard 1/2 ran on "Abacus"`, "two machines")
}

// A finding that the rows contradict is left out: values are reflected, so that the most becomes the least.
func TestDenied(t *testing.T) {
	rows := slices.Clone(reference(t, results.DefaultUsers).All())
	for i, r := range rows {
		v := r.Value.Or(0)
		rows[i].Value = results.Num(1e6 - v)
		rows[i].Low, rows[i].High = results.Num(1e6-r.High.Or(v)), results.Num(1e6-r.Low.Or(v))
		rows[i].Paper = results.Num(1e7)
	}
	for _, f := range FindingsOf(results.NewCells(rows)) {
		t.Errorf("the rows deny it: %s", f.Title)
	}
}

// A finding without its rows is left out, and no number is made up: whichever experiment is missing, the others'
// findings stay the same.
func TestFindingsMissing(t *testing.T) {
	rows := reference(t, results.DefaultUsers).All()
	whole := fmt.Sprint(FindingsOf(results.NewCells(rows)))
	for experiment, want := range map[string]int{
		results.Table1: 4, results.FPR: 3, results.Tradeoff: 3, results.Popularity: 4, results.Daily: 4, results.Window: 5,
	} {
		var some []results.Row
		for _, r := range rows {
			if r.Experiment != experiment {
				some = append(some, r)
			}
		}
		all := FindingsOf(results.NewCells(some))
		strategytest.Equal(t, len(all), want, "findings without %s", experiment)
		for _, f := range all {
			strategytest.Contains(t, whole, f.Text, "without %s a finding is another", experiment)
		}
	}
	strategytest.Equal(t, len(FindingsOf(results.NewCells(nil))), 0, "findings of nothing")
}
