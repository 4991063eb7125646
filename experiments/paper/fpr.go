package paper

import (
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/plots"
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

// onlyPassed is the value of by.Recorded if only articles that passed the filter are recorded.
const onlyPassed = "passed"

// curve holds where theory is drawn: every ten articles, and just after each hundred, where rotations happen.
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

// The curves by articles: measured, by closed forms, and with only passed articles recorded.
var (
	fPRByArticles = results.Find(results.QFPR, by.Articles.Open())
	exact         = fPRByArticles.With(by.Formula.Is(results.ExactFormula))
	asymptotic    = fPRByArticles.With(by.Formula.Is(results.AsymptoticFormula))
	passed        = fPRByArticles.With(by.Recorded.Is(onlyPassed))
)

var fPRFigures = []plots.Figure{
	{
		Name: "fpr", Experiment: results.FPR, Query: fPRByArticles, Build: fPRCurves,
		Title: "False positive rate by articles shown",
		Caption: "False positives among unseen articles, by articles shown, of the paper's strategies and of a " +
			"chain that is sized for the union of its links. Marks are measured, lines are exact theory.",
	},
	{
		Name: "fpr-live", Experiment: results.FPR, Query: passed, Build: live,
		Title: "False positive rate of a live system, which records the articles that pass",
		Caption: "Rings are measured as in a live system: an unseen article that is a false positive is never shown, and " +
			"so never recorded. Lines are theory, which assumes that every article is recorded.",
	},
	{
		Name: "fpr-formulas", Experiment: results.FPR, Query: asymptotic, Build: formulas,
		Title:   "The textbook approximation, over the exact false positive rate",
		Caption: "By how much the asymptotic approximation misses the exact rate, the zero line, by articles shown.",
	},
}

func fPRCurves(d plots.Data) plots.Sheet {
	shown, rate := plots.Axis{Label: "articles shown"}, plots.Axis{Label: "false positive rate", Format: plots.Percent}
	stated := []plots.Guide{{At: 0.0156, Label: "paper: f = 1.56 %"}, {At: 0.02, Label: "target: ε = 2 %"}}
	a := &plots.Panel{Title: "(a) The paper's strategies", X: shown, Y: rate, Guides: stated, Direct: true}
	a.Y.Scale, a.Y.Min, a.Y.Max = plots.Log, 1e-6, 1
	for i, s := range plots.Unvaried(d.Series(fPRByArticles, exact, fPRByArticles)) {
		s.Points = everyThird(s.Points, i)
		a.Add(s)
	}
	b := &plots.Panel{
		Title: "(b) The paper's chain, and one sized for the union of its " +
			"links", X: shown, Y: rate, Guides: stated, Direct: true,
	}
	b.X.Max = 1000
	b.Add(d.Series(fPRByArticles.Of("chain"), exact.Of("chain"))...)
	b.Add(d.Series(fPRByArticles.Of("chain-sized"), exact.Of("chain-sized"))...)
	return plots.Sheet{
		Columns: 1, Height: 225, Panels: []*plots.Panel{a, b},
		Note: "Marks: measured (in (a) every third point), with 95 % intervals where they are larger than the " +
			"mark. Lines: the exact formula. None: no false positive was measured, and the formula lies below the " +
			"axis.",
	}
}

// everyThird keeps every third of many points, offset by strategy, so that marks of equal rates do not hide each other.
func everyThird(points []plots.Point, strategy int) (out []plots.Point) {
	if len(points) < 24 {
		return points
	}
	for i := strategy % 3; i < len(points); i += 3 {
		out = append(out, points[i])
	}
	return out
}

// live draws a panel for each strategy, which ends where the live system's measurements do. It leaves out the queue,
// which drops nothing, so that both ways to record are the same.
func live(d plots.Data) plots.Sheet {
	s := plots.Sheet{
		Columns: 3, Height: 185,
		Note: "Rings: measured, with 95 % intervals, in a live system, where an unseen article that is a false positive " +
			"is never shown, and so never recorded. Lines: theory, as if every article were recorded, every ten " +
			"articles; so they miss the dual filter's peak just before it takes its other array. Each panel has a " +
			"vertical axis of its own.",
	}
	all := d.Series(results.Query{}, exact)
	for _, rings := range d.Series(passed) {
		i := slices.IndexFunc(all, func(s plots.Series) bool { return s.Strategy == rings.Strategy })
		if i < 0 || !slices.ContainsFunc(rings.Points, func(q plots.Point) bool { return q.Y > 0 }) {
			continue
		}
		end := 1.02 * rings.Points[len(rings.Points)-1].X
		p := &plots.Panel{
			Title: rings.Look.Name, X: plots.Axis{Label: "articles shown", Labels: 3, Max: end},
			Y: plots.Axis{Label: "false positive rate", Format: plots.Percent},
		}
		rings.Look = plots.Look{Name: "A live system", Color: rings.Look.Color, Mark: plots.Ring}
		rings.Unnamed = len(s.Panels) > 0
		recorded := all[i]
		recorded.Look = plots.Look{Name: "If every article is recorded", Color: plots.Grey}
		recorded.Line = plots.Within(recorded.Line, end)
		p.Add(recorded, rings)
		s.Panels = append(s.Panels, p)
	}
	return s
}

// formulas draws the approximation's excess over the exact formula, as a share of it, without variants.
func formulas(d plots.Data) plots.Sheet {
	p := &plots.Panel{
		X:      plots.Axis{Label: "articles shown", Max: 2000},
		Y:      plots.Axis{Label: "relative error of the approximation", Min: -0.013, Max: 0.001, Format: plots.Percent},
		Guides: []plots.Guide{{Label: "exact"}}, Direct: true,
	}
	curves := d.Find(exact)
	for _, s := range plots.Unvaried(d.Series(results.Query{}, asymptotic)) {
		s.Line = fPRExcess(s.Line, curves.Of(s.Strategy).Theory())
		p.Add(s)
	}
	return plots.Sheet{
		Columns: 1, Height: 190, Panels: []*plots.Panel{p},
		Note: "Lines: the approximation (1 − e^(−kn/m))^k over the exact rate, less one; −1 % is 0.0198 where 0.02 " +
			"is exact. The chain's filters are a fifth of the size.",
	}
}

// fPRExcess returns the points' excess over the unit at the same x, as a share of it.
func fPRExcess(points, unit []plots.Point) []plots.Point {
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

var fPRTables = []text.Table{{
	Title: "False positive rate by articles shown: measured [exact theory]",
	Lines: results.Q("fpr: fpr at articles=500"),
	Columns: append([]text.Column{text.Strategy("strategy")}, text.Each("fpr", by.Articles, text.WithTheory,
		"50", "100", "300", "500", "501", "600", "1000", "1500", "2000")...),
}}
