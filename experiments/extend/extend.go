// Package extend is what is retained where N goes from 500 to 1000 on histories in use, and the rate before and after.
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
	Name:       results.Extend,
	About:      "N goes from 500 to 1000 on histories in use: what is retained, and the false positive rate",
	Needs:      func(s engine.Scope) []engine.Task { return append(shared.FullTasks(s), shared.ExtendedTasks(s)...) },
	Dimensions: []results.Dimension{by.Since},
	Rows:       shared.ByEntry(shared.ExtendableEntries, shared.Extended, ofEntry),
	Figures:    shown.Figures, Tables: shown.Tables,
}

// beforeChange is the x at which the rate before the change stands.
const beforeChange = -50

func ofEntry(r *engine.Run, e catalogue.Entry, extended measure.ExtendCounts) (rows, timing []results.Row, err error) {
	full, err := shared.Full(e).Of(r)
	if err != nil {
		return nil, nil, err
	}
	old, longer := r.Subject(e).Theory, e.Lengthened()
	held := func(shown int) int {
		if e.Keeps {
			return old.Window(shown)
		}
		return 0
	}
	add := func(r results.Row, theory float64) { rows = append(rows, r.Expect(theory)) }
	rate := func(since float64, rate measure.Rate) results.Row {
		return row.Rate(results.Extend, e.Name, results.QFPR, rate).With(by.Since.At(since))
	}
	number := func(quantity string, value float64, count int64) results.Row {
		return row.Number(results.Extend, e.Name, quantity, "", value).Among(count)
	}
	add(rate(beforeChange, full.Counts.Steady()), shared.MeanOverLives(old.FPR))
	checks, misses := int64(0), int64(0)
	for _, p := range extended.Points {
		checks, misses = checks+p.Checks, misses+p.Misses
		if p.Fresh.Queries > 0 {
			theory := meanOver(held, func(held int) float64 { return longer.FPR(held + p.Since) })
			add(rate(float64(p.Since), p.Fresh), theory)
		}
	}
	kept := row.Mean(extended.Kept, extended.Users)
	add(number(results.QArticlesRetained, kept, extended.Users), meanOver(held, func(n int) float64 { return float64(n) }))
	add(number(results.QInside, float64(misses), checks), 0)
	return rows, nil, nil
}

// meanOver is the expectation of f over what users of the full population hold; f is expensive, and asked once for
// each.
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

// sinceChange draws curves from the change on: where histories start empty the rate jumps, and no line may cross it.
func sinceChange(_ plots.Data, s *plots.Sheet) {
	for i, one := range s.Panels[0].Series {
		s.Panels[0].Series[i].Line = plots.Where(one.Line, func(p plots.Point) bool { return p.X >= 0 })
	}
}
