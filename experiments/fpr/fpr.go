// Package fpr is the false positive rate by articles shown, 0 to 2000, beside theory and what the paper
// states; and by articles held where, as in a live system, only what passed the filter is recorded.
package fpr

import (
	_ "embed"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Experiment is fpr.
var Experiment = experiment.Experiment{
	Name: results.FPR, About: "false positive rate by articles shown, 0 to 2000, beside theory and the paper",
	Needs:      func(s engine.Scope) []engine.Task { return append(shared.FullTasks(s), shared.DailyTasks(s)...) },
	Dimensions: []results.Dimension{by.Articles, by.Formula, by.Recorded},
	Rows:       shared.ByEntry(engine.Scope.Full, shared.Full, ofEntry),
	Figures:    shown.Figures, Tables: shown.Tables,
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

func ofEntry(r *engine.Run, e catalogue.Entry, full shared.FullResult) (rows, timing []results.Row, err error) {
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

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"fpr": thin, "fpr-live": live, "fpr-formulas": formulas},
})

// The curves by articles: measured, and of closed forms.
var (
	byArticles = results.Find(results.QFPR, by.Articles.Open())
	exact      = byArticles.With(by.Formula.Is(results.ExactFormula))
	asymptotic = byArticles.With(by.Formula.Is(results.AsymptoticFormula))
)

// thin thins the marks of the first panel.
func thin(_ plots.Data, s *plots.Sheet) {
	for i, one := range s.Panels[0].Series {
		s.Panels[0].Series[i].Points = everyThird(one.Points, i)
	}
}

// everyThird keeps every third point of many, by strategy, so that marks do not hide those of one with the same rate.
func everyThird(points []plots.Point, strategy int) (out []plots.Point) {
	if len(points) < 24 {
		return points
	}
	for i := strategy % 3; i < len(points); i += 3 {
		out = append(out, points[i])
	}
	return out
}

// live ends each panel where the live system's measurements end, the first series, and has marks on the grid alone. It
// leaves out the queue, which drops nothing: its orders are one.
func live(_ plots.Data, s *plots.Sheet) {
	s.Panels = slices.DeleteFunc(s.Panels, func(p *plots.Panel) bool {
		return len(p.Series) < 2 ||
			!slices.ContainsFunc(p.Series[0].Points, func(q plots.Point) bool { return q.Y > 0 })
	})
	for _, p := range s.Panels {
		rings := p.Series[0].Points
		p.X.Max = 1.02 * rings[len(rings)-1].X
		for i := range p.Series {
			one := &p.Series[i]
			one.Line = plots.Where(one.Line, func(q plots.Point) bool { return q.X <= p.X.Max })
			one.Points = plots.Where(one.Points, func(q plots.Point) bool {
				return q.X <= p.X.Max && int(q.X)%measure.GridStep == 0
			})
		}
	}
}

// formulas has by how much the approximation exceeds the exact formula, as a share of it, but for variants.
func formulas(d plots.Data, s *plots.Sheet) {
	curves, approximate := d.Find(exact), d.Find(asymptotic)
	for _, g := range approximate {
		line := excess(g.Theory(), curves.Of(g.Strategy).Theory())
		if variant, _ := plots.Kinship(g.Strategy, d.NamesIn(approximate)); !variant {
			s.Panels[0].Add(plots.Series{Look: d.Look(g.Strategy), Line: line})
		}
	}
}

// excess is by how much points exceed the unit at the same x, as a share of it.
func excess(points, unit []plots.Point) []plots.Point {
	at := map[float64]float64{}
	for _, p := range unit {
		at[p.X] = p.Y
	}
	points = plots.Where(points, func(p plots.Point) bool { return at[p.X] > 0 })
	return plots.Map(points, func(p plots.Point) plots.Point {
		y := at[p.X]
		return plots.Point{X: p.X, Y: p.Y/y - 1, Low: p.Low/y - 1, High: p.High/y - 1}
	})
}
