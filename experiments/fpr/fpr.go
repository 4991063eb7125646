// Package fpr is the false positive rate by articles shown, 0 to 2000, beside theory and what the paper
// states; and by articles held where, as in a live system, only what passed the filter is recorded.
package fpr

import (
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
)

// Experiment is fpr.
var Experiment = experiment.Experiment{
	Name: results.FPR, About: "false positive rate by articles shown, 0 to 2000, beside theory and the paper",
	Needs:      func(s engine.Scope) []engine.Task { return append(shared.FullTasks(s), shared.DailyTasks(s)...) },
	Dimensions: []results.Dimension{by.Articles, by.Formula, by.Recorded},
	Rows:       rows, Figures: shown.Figures, Tables: shown.Tables,
}

// onlyPassed is the value of by.Recorded where only what passed the filter is recorded.
const onlyPassed = "passed"

// curve is where an analytic curve has its points: every ten articles, and
// after every hundredth, where rotations happen.
var curve = func() (xs []int) {
	for x := 0; x <= measure.GridEnd; x += 10 {
		xs = append(xs, x)
		if x%100 == 0 && x > 0 && x < measure.GridEnd {
			xs = append(xs, x+1)
		}
	}
	return xs
}()

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	return shared.Each(r, r.Full(), shared.Full, ofEntry)
}

func ofEntry(r *engine.Run, e catalogue.Entry, subject measure.Subject, full shared.FullResult) (rows, timing []results.Row, err error) {
	rows = append(measured(e, subject, full.Counts), theory(e, subject)...)
	if e.Sampled() {
		return rows, nil, nil
	}
	daily, err := shared.Daily(e).Of(r)
	if err != nil {
		return nil, nil, err
	}
	for i, held := range daily.Counts.NoRule.ByHeld {
		if held.Queries > 0 {
			rows = append(rows, row.Rate(results.FPR, e.Name, results.QFPR, held).
				With(by.Recorded.Is(onlyPassed), by.Articles.At(float64(i*measure.GridStep))))
		}
	}
	return rows, nil, nil
}

// measured are the rates at the points of the grid.
func measured(e catalogue.Entry, subject measure.Subject, c measure.FullCounts) (rows []results.Row) {
	for _, p := range c.Points {
		if p.Fresh.Queries == 0 {
			continue // too few users for a life that long
		}
		r := row.Rate(results.FPR, e.Name, results.QFPR, p.Fresh).With(by.Articles.At(float64(p.Shown))).
			Expect(subject.Theory.FPR(p.Shown))
		if !e.IsBeyond() {
			r = r.Stating(e.Stated.FPR)
		}
		rows = append(rows, r)
	}
	return rows
}

// theory are the closed forms, densely.
func theory(e catalogue.Entry, subject measure.Subject) (rows []results.Row) {
	for _, x := range curve {
		point := func(formula string, fpr float64) results.Row {
			return row.Theory(results.FPR, e.Name, results.QFPR, results.Ratio, fpr).
				With(by.Articles.At(float64(x)), by.Formula.Is(formula))
		}
		rows = append(rows, point(results.ExactFormula, subject.Theory.FPR(x)))
		if a, ok := subject.Strategy.(measure.Approximator); ok {
			rows = append(rows, point(results.AsymptoticFormula, a.Asymptotic(x)))
		}
	}
	return rows
}
