// Package fpr is the false positive rate by articles shown, 0 to 2000, beside theory
// and what the paper states; and by articles held where, as in a live system, only
// what passed the filter is recorded.
package fpr

import (
	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
)

// Experiment is fpr.
var Experiment = experiment.Experiment{
	Name: results.FPR, About: "false positive rate by articles shown, 0 to 2000, beside theory and the paper",
	Needs: func(s run.Scope) []run.Task { return append(shared.Fulls(s), shared.Dailies(s)...) },
	Rows:  rows, Figures: Figures, Tables: tables,
}

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

func rows(r *run.Run) (rows, timing []results.Row, err error) {
	return shared.Each(r, r.Full(), shared.Full, ofEntry)
}

func ofEntry(r *run.Run, e catalogue.Entry, subject measure.Subject, full shared.FullResult) (rows, timing []results.Row, err error) {
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
			rows = append(rows, row.Rate(results.FPR, e.Name, results.QFPRDropAndRecord, held).At(float64(i*measure.GridStep)))
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
		r := row.Rate(results.FPR, e.Name, results.QFPR, p.Fresh).At(float64(p.Shown)).Expect(subject.Theory.FPR(p.Shown))
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
		rows = append(rows, row.Theory(results.FPR, e.Name, results.QFPRExact, results.Ratio, subject.Theory.FPR(x)).At(float64(x)))
		if a, ok := subject.Strategy.(measure.Approximator); ok {
			rows = append(rows, row.Theory(results.FPR, e.Name, results.QFPRAsymptotic, results.Ratio, a.Asymptotic(x)).At(float64(x)))
		}
	}
	return rows
}

func tables(c results.Cells) []results.Table {
	return []results.Table{text.ByStrategy(c, "False positive rate by articles shown: measured [exact theory]", results.FPR, results.QFPR,
		catalogue.Names(), []string{"50", "100", "300", "500", "501", "600", "1000", "1500", "2000"}, text.WithTheory)}
}
