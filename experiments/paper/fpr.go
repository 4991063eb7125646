package paper

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

// FPR measures the false positive rate by articles shown, 0 to 2000, beside theory and the paper's figures; and by
// articles held if, as in a live system, only articles that passed the filter are recorded.
var FPR = experiment.Experiment{
	Name: results.FPR, About: "false positive rate by articles shown, 0 to 2000, beside theory and the paper",
	Needs:      func(s engine.Scope) []engine.Task { return append(shared.FullTasks(s), shared.DailyTasks(s)...) },
	Dimensions: []results.Dimension{by.Articles, by.Formula, by.Recorded},
	Rows:       shared.ByEntry(engine.Scope.Full, shared.Full, fPROfEntry),
	Figures:    fPRFigures, Tables: fPRTables,
}

// onlyPassed is the value of by.Recorded where only what passed the filter is recorded.
const onlyPassed = "passed"

// curve is where a curve of theory has points: every ten articles, and after every hundredth, where rotations happen.
var curve = func() (xs []int) {
	for x := 0; x <= measure.GridEnd; x += 10 {
		xs = append(xs, x)
		if x%100 == 0 && x > 0 && x < measure.GridEnd {
			xs = append(xs, x+1)
		}
	}
	return xs
}()

func fPROfEntry(r *engine.Run, e catalogue.Entry, full shared.FullResult) (rows, timing []results.Row, err error) {
	subject := r.Subject(e)
	rate := func(articles int, rate measure.Rate) results.Row {
		return row.Rate(results.FPR, e.Name, results.QFPR, rate).With(by.Articles.At(float64(articles)))
	}
	for _, p := range full.Counts.Points {
		if p.Fresh.Queries == 0 {
			continue // too few users for a life that long
		}
		r := rate(p.Shown, p.Fresh).Expect(subject.Theory.FPR(p.Shown))
		if p.Shown == 500 && e.Stated.FPR > 0 {
			r = r.Stating(e.Stated.FPR)
		}
		rows = append(rows, r)
	}
	for _, x := range curve { // the closed forms, densely
		point := func(formula string, fpr float64) {
			r := row.Theory(results.FPR, e.Name, results.QFPR, results.Ratio, fpr)
			rows = append(rows, r.With(by.Articles.At(float64(x)), by.Formula.Is(formula)))
		}
		point(results.ExactFormula, subject.Theory.FPR(x))
		if a, ok := subject.Strategy.(measure.Approximator); ok {
			point(results.AsymptoticFormula, a.Asymptotic(x))
		}
	}
	if e.Sampled() {
		return rows, nil, nil
	}
	daily, err := shared.Daily(e).Of(r)
	for i, held := range daily.Counts.NoRule.ByHeld {
		if held.Queries > 0 {
			rows = append(rows, rate(i*measure.GridStep, held).With(by.Recorded.Is(onlyPassed)))
		}
	}
	return rows, nil, err
}
