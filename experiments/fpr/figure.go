package fpr

import (
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are the rate of false positives by articles shown: of the paper's
// strategies in one figure, of the other structures in one panel each; in a system
// that records only what it showed; and beside the asymptotic approximation.
var Figures = []plots.Figure{
	{
		Name:       "fpr",
		Title:      "The single filter's false positives grow without bound; the dual filter's and the chain's do not",
		Caption:    "The single filter's rate grows without bound; the rates of the dual filter and the chain rise and fall as filters fill and are cleared. Marks are measured, lines are exact theory.",
		Experiment: results.FPR, Query: byArticles, Build: fpr,
	},
	{
		Name:       "fpr-live",
		Title:      "Recording only what was shown changes the rate little until the filter is overfull",
		Caption:    "Rings are measured where an unseen article that is a false positive is never shown and so never recorded, as in a live system; filled marks where all articles are recorded, as theory assumes.",
		Experiment: results.FPR, Query: passed, Build: live,
	},
	{
		Name:       "fpr-formulas",
		Title:      "The textbook approximation is slightly too low for filters this small",
		Caption:    "By how much the asymptotic approximation misses the exact rate, the zero line: it is too low for filters this small, most where they hold few articles.",
		Experiment: results.FPR, Query: asymptotic, Build: formulas,
	},
	{
		Name:       "beyond-fpr",
		Title:      "Structures that forget keep their rate; those that never forget do not",
		Caption:    "The rate by articles shown, measured and by each structure's own theory.",
		Experiment: results.FPR, Query: byArticles, Strategies: plots.Beyond, Build: beyond,
	},
}

// The curves by articles: measured, and of closed forms.
var (
	byArticles = results.Find(results.QFPR, by.Articles.Open())
	passed     = byArticles.With(by.Recorded.Is(onlyPassed))
	exact      = byArticles.With(by.Formula.Is(results.ExactFormula))
	asymptotic = byArticles.With(by.Formula.Is(results.AsymptoticFormula))
)

// The rates that the paper aims at, drawn across the panels of rates.
var paperRates = []plots.Guide{
	{At: 0.0156, Label: "paper: f = 1.56 %"},
	{At: 0.02, Label: "target: ε = 2 %"},
}

// fpr shows how the rate of false positives grows: of the paper's strategies, and of
// their variants beside them.
func fpr(d plots.Data) plots.Sheet {
	all := &plots.Panel{
		Title:  "(a) One filter's rate grows without bound; filters cleared in rotation stay bounded (logarithmic axis)",
		X:      plots.Axis{Label: "articles shown"},
		Y:      plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Percent},
		Guides: paperRates, Direct: true,
	}
	variants := &plots.Panel{
		Title:  "(b) Each filter of a chain adds its own false positives; sized for its union, it stays near the target",
		X:      plots.Axis{Label: "articles shown", Min: 0, Max: 1000},
		Y:      plots.Axis{Label: "false positive rate", Min: 0, Format: plots.Percent},
		Guides: paperRates, Direct: true,
	}
	names := d.NamesIn(d.Find(byArticles), d.Find(exact))
	for i, s := range d.Lines(byArticles, exact) {
		variant, varied := plots.Kinship(names[i], names)
		if variant || varied {
			variants.Add(s)
			for _, q := range s.Points {
				variants.Y.Max = max(variants.Y.Max, 1.1*q.High)
			}
		}
		if !variant {
			s.Points = everyThird(s.Points, i)
			all.Add(s)
		}
	}
	return plots.Sheet{
		Grid:   plots.Grid(1, all, variants),
		Height: 225,
		Note: "Marks: measured (in (a) every third point), with 95 % intervals where they are larger than the mark. Lines: the exact formula. " +
			"At ≈ 0: no false positive was measured, and the formula lies below the axis.",
	}
}

// everyThird keeps every third point of many from one that depends on the strategy,
// so that marks do not hide those of a strategy with the same rate.
func everyThird(points []plots.Point, strategy int) []plots.Point {
	if len(points) < 24 {
		return points
	}
	var out []plots.Point
	for i := strategy % 3; i < len(points); i += 3 {
		out = append(out, points[i])
	}
	return out
}

// live compares theory's order, where every article shown was recorded, with that of
// a live system, which records only what it showed.
func live(d plots.Data) plots.Sheet {
	all, theory := d.Find(byArticles), d.Find(exact)
	var panels []*plots.Panel
	for _, g := range d.Find(passed) {
		points := g.Points()
		if len(plots.Where(points, func(p plots.Point) bool { return p.Y > 0 })) == 0 {
			continue // the queue: nothing is ever dropped, so the orders are one
		}
		look := d.Look(g.Strategy).Solid()
		look.Dash, look.Name = nil, "all recorded, and its theory (line)"
		ring := plots.Look{Name: "only what was shown recorded", Color: plots.Black, Mark: plots.Ring}
		p := &plots.Panel{
			Title: d.Look(g.Strategy).Name,
			X:     plots.Axis{Label: "articles shown", Max: 1.02 * points[len(points)-1].X, Labels: 3},
			Y:     plots.Axis{Label: "false positive rate", Format: plots.Percent},
			Key:   []plots.Look{look, ring},
		}
		within := func(all []plots.Point) []plots.Point {
			return plots.Where(all, func(q plots.Point) bool { return q.X <= p.X.Max })
		}
		curve := theory.Of(g.Strategy).Theory()
		if len(curve) == 0 {
			curve = all.Of(g.Strategy).Theory()
		}
		p.Add(plots.Series{Look: look, Line: within(curve), Points: within(all.Of(g.Strategy).Points()), Unnamed: true})
		p.Add(plots.Series{Look: ring, Points: points, Unnamed: true})
		panels = append(panels, p)
	}
	return plots.Sheet{
		Grid:   plots.Grid(3, panels...),
		Height: 185,
		Note: "In a live system an unseen article that is a false positive is dropped, and so is never recorded (rings). " +
			"Theory assumes that all articles are recorded. Whiskers: 95 % intervals. Each panel has a vertical axis of its own.",
	}
}

// beyond has a panel for each structure.
func beyond(d plots.Data) plots.Sheet {
	return plots.Sheet{
		Grid: plots.Each(d.Lines(byArticles, exact), plots.Panel{
			X:      plots.Axis{Label: "articles shown", Labels: 4},
			Y:      plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-5, Max: 1, Format: plots.Percent},
			Guides: []plots.Guide{{At: 0.02, Label: "ε = 2 %"}},
		}),
		Height: 130,
		Note: "Marks: measured, with 95 % intervals where they are larger than the mark. Lines: each structure's own theory. " +
			"At ≈ 0: no false positive was measured.",
	}
}
