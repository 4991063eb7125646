package paper

import (
	"context"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/measure/alive"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// FPR measures the false positive rate by articles shown, 0 to 2000, beside theory and the paper's figures; and by
// articles in the history if, as in a live system, only articles that passed the filter are recorded.
var FPR = experiment.Experiment{
	Name: results.FPR, About: "false positive rate by articles shown, 0 to 2000, beside theory and the paper",
	Needs: func(s engine.Scope) []engine.Task {
		return append(fullTasks(s), shared.Tasks(shared.UnsampledEntries(s), shared.Daily)...)
	},
	Dimensions: []results.Dimension{by.Articles, by.Formula, by.Recorded},
	Rows:       fprRows, Figures: fprFigures, Tables: fprTables,
}

// A fullResult is the full population with one strategy.
type fullResult struct {
	Counts  measure.FullCounts
	Machine measure.FullMachine
	Alive   []alive.Cold // of the paper's strategies one, by the shard that makes the timings
}

// full shows every user of an entry a life of articles, for FPR and most experiments of this package. Strategies beyond
// the paper have too few users alive to be timed.
func full(e catalogue.Entry) engine.Measurement[fullResult] {
	return engine.Measurement[fullResult]{
		Name: "full-" + e.Name, Users: func(s engine.Scope) int { return e.Users(s.Users) }, Cost: 6, Machine: true,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (result fullResult, err error) {
			population := catalogue.Must(workload.NewFull(r.Seed, e.Users(r.Users)))
			var during func(measure.Alive) error
			if r.Timed() && !e.IsBeyond() {
				during = func(part measure.Alive) error {
					if part.First != users.From {
						return nil // one part is enough
					}
					cold, err := alive.TimeCold(ctx, part, r.Seed)
					result.Alive = []alive.Cold{cold}
					return err
				}
			}
			result.Counts, result.Machine, err = measure.Full(ctx, r.Subject(e), population, users, r.Options, during)
			for _, h := range result.Machine.Taken {
				r.Bytes(h.Slabs / int64(max(result.Machine.Parts, 1)))
			}
			return result, err
		},
	}
}

func fullTasks(s engine.Scope) []engine.Task { return shared.Tasks(s.Full(), full) }

// onlyPassed is the value of by.Recorded if only articles that passed the filter are recorded.
const onlyPassed = "passed"

// curve lists where theory is drawn: every ten articles, and just after each hundred, where rotations happen.
var curve = func() (xs []int) {
	for x := 0; x <= measure.GridEnd; x += 10 {
		xs = append(xs, x)
		if x%100 == 0 && x > 0 && x < measure.GridEnd {
			xs = append(xs, x+1)
		}
	}
	return xs
}()

func fprRows(r *engine.Run) (rows, timing []results.Row) {
	for _, e := range r.Full() {
		subject := r.Subject(e)
		for i, p := range full(e).Of(r).Counts.Points {
			if p.Fresh.Queries == 0 {
				continue // too few users for a life that long
			}
			shown := measure.Grid[i]
			rate := row.Rate(e.Name, results.QFPR, p.Fresh).With(by.Articles.At(float64(shown)))
			if rate = rate.Expect(subject.Theory.FPR(shown)); shown == 500 && e.Stated.FPR > 0 {
				rate = rate.Stating(e.Stated.FPR)
			}
			rows = append(rows, rate)
		}
		for _, x := range curve { // the closed forms, densely
			point := func(formula string, fpr float64) {
				r := row.Theory(e.Name, results.QFPR, results.Ratio, fpr)
				rows = append(rows, r.With(by.Articles.At(float64(x)), by.Formula.Is(formula)))
			}
			point(results.ExactFormula, subject.Theory.FPR(x))
			if a, ok := subject.Strategy.(measure.Approximator); ok && x%100 == 0 {
				point(results.AsymptoticFormula, a.Asymptotic(x))
			}
		}
		if e.Sampled() {
			continue
		}
		for i, live := range shared.Daily(e).Of(r).Counts.NoRule.ByHeld {
			if live.Queries > 0 {
				at := by.Articles.At(float64(i * measure.GridStep))
				rows = append(rows, row.Rate(e.Name, results.QFPR, live).With(at, by.Recorded.Is(onlyPassed)))
			}
		}
	}
	return rows, nil
}

// The curves by articles: measured, by closed forms, and with only passed articles recorded.
var (
	fprByArticles = results.Find(results.QFPR, by.Articles.Open())
	exact         = fprByArticles.With(by.Formula.Is(results.ExactFormula))
	passed        = fprByArticles.With(by.Recorded.Is(onlyPassed))
)

var fprFigures = []plots.Figure{
	{
		Name: "fpr", Experiment: results.FPR, Query: fprByArticles, Build: fprCurves,
		Title: "False positive rate by articles shown",
		Caption: "False positives among unseen articles, by articles shown, of the paper's strategies and of a " +
			"chain that is sized for the union of its links. Marks are measured, lines are exact theory.",
	},
	{
		Name: "fpr-live", Experiment: results.FPR, Query: passed, Build: live,
		Title: "False positive rate of a system that records what it shows",
		Caption: "Rings are measured in a system that shows an unseen article, and records it, unless it is a false " +
			"positive. Lines are theory, which assumes that every article is recorded.",
	},
}

func fprCurves(d plots.Data) plots.Sheet {
	shown, rate := plots.Axis{Label: "articles shown"}, plots.Axis{Label: "false positive rate", Format: plots.Percent}
	stated := []plots.Guide{{At: 0.0156, Label: "paper: 1.56 %"}, {At: 0.02, Label: "target: 2 %"}}
	a := &plots.Panel{Title: "(a) The paper's strategies", X: shown, Y: rate, Guides: stated, Direct: true}
	a.Y.Scale, a.Y.Min, a.Y.Max = plots.Log, 1e-6, 1
	for i, s := range plots.Unvaried(d.Series(fprByArticles, exact, fprByArticles)) {
		s.Points = everyThird(s.Points, i)
		a.Add(s)
	}
	b := &plots.Panel{
		Title: "(b) The paper's chain, and one sized for the union of its " +
			"links", X: shown, Y: rate, Guides: stated, Direct: true,
	}
	b.X.Max = 1000
	b.Add(d.Series(fprByArticles.Of("chain"), exact.Of("chain"))...)
	b.Add(d.Series(fprByArticles.Of("chain-sized"), exact.Of("chain-sized"))...)
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
		Note: "Rings: measured, with 95 % intervals; an unseen article that is a false positive is not shown, and so not " +
			"recorded. Lines: theory for every article recorded, drawn every ten articles. Each panel has its own " +
			"vertical axis.",
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
		rings.Look = plots.Look{Name: "What is shown is recorded", Color: rings.Look.Color, Mark: plots.Ring}
		rings.Unnamed = len(s.Panels) > 0
		recorded := all[i]
		recorded.Look = plots.Look{Name: "Every article is recorded", Color: plots.Grey}
		recorded.Line = plots.Within(recorded.Line, end)
		p.Add(recorded, rings)
		s.Panels = append(s.Panels, p)
	}
	return s
}

var fprTables = []text.Table{{
	Title: "False positive rate by articles shown: measured [exact theory]",
	Lines: results.Q("fpr: fpr at articles=500"),
	Columns: append([]text.Column{text.Strategy("strategy")}, text.Each("fpr", by.Articles, text.WithTheory,
		"50", "100", "300", "500", "501", "600", "1000", "1500", "2000")...),
}}
