// Package extend is what happens when N goes from 500 to 1000 while histories are in use: what is retained,
// and the false positive rate before and after.
package extend

import (
	_ "embed"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// Experiment is extend.
var Experiment = experiment.Experiment{
	Name: results.Extend, About: "N goes from 500 to 1000 on histories in use: what is retained, and the false positive rate",
	Needs:      func(s engine.Scope) []engine.Task { return append(shared.FullTasks(s), shared.ExtendedTasks(s)...) },
	Dimensions: []results.Dimension{by.Since},
	Rows:       rows, Figures: shown.Figures, Tables: shown.Tables,
}

// beforeChange is the x at which the rate before the change stands.
const beforeChange = -50

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	return shared.Each(r, shared.ExtendableEntries(r.Scope), shared.Extended, ofEntry)
}

func ofEntry(
	r *engine.Run, e catalogue.Entry, old measure.Subject, extended measure.ExtendCounts,
) (rows, timing []results.Row, err error) {
	full, err := shared.Full(e).Of(r)
	if err != nil {
		return nil, nil, err
	}
	longer := e.Lengthened()
	held := func(shown int) int {
		if e.Keeps {
			return old.Theory.Window(shown)
		}
		return 0
	}

	rows = append(rows, row.Rate(results.Extend, e.Name, results.QFPR, full.Counts.Steady()).
		With(by.Since.At(beforeChange)).Expect(shared.MeanOverLives(old.Theory.FPR)))
	checks, misses := int64(0), int64(0)
	for _, p := range extended.Points {
		checks, misses = checks+p.Checks, misses+p.Misses
		if p.Fresh.Queries == 0 {
			continue
		}
		rows = append(rows, row.Rate(results.Extend, e.Name, results.QFPR, p.Fresh).With(by.Since.At(float64(p.Since))).
			Expect(meanOver(held, func(held int) float64 { return longer.FPR(held + p.Since) })))
	}
	return append(rows,
		row.Number(results.Extend, e.Name, results.QArticlesRetained, "", row.Mean(extended.Kept, extended.Users)).
			Among(extended.Users).Expect(meanOver(held, func(held int) float64 { return float64(held) })),
		row.Number(results.Extend, e.Name, results.QInside, "", float64(misses)).Expect(0).Among(checks)), nil, nil
}

// meanOver is the expectation of f over what users of the full population hold. Holdings recur, and f is
// expensive, so that it is asked once for each.
func meanOver(held func(shown int) int, f func(held int) float64) float64 {
	share := make([]float64, workload.MaxShown+1)
	for shown := workload.Least; shown <= workload.MaxShown; shown++ {
		share[held(shown)] += workload.ShownShare(shown)
	}
	sum := 0.
	for held, share := range share {
		if share > 0 {
			sum += share * f(held)
		}
	}
	return sum
}

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"extend": sinceChange},
})

// sinceChange draws curves from the change on: where histories start empty the rate jumps there, and no line
// may cross it.
func sinceChange(_ plots.Data, s *plots.Sheet) {
	for i, one := range s.Panels[0].Series {
		s.Panels[0].Series[i].Line = plots.Where(one.Line, func(p plots.Point) bool { return p.X >= 0 })
	}
}
