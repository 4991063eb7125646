package fpr

import (
	"dejavu/plots"
	"dejavu/results"
)

// Figures are the rate of false positives by articles shown: of the paper's
// strategies in one figure, of the other structures in one panel each; in a system
// that records only what it showed; and beside the asymptotic approximation.
var Figures = []plots.Figure{
	{
		Name:       "fpr",
		Title:      "False positives by articles shown",
		Caption:    "The single filter's rate grows without bound; the rates of the dual filter and the chain rise and fall as filters fill and are cleared. Marks are measured, lines are exact theory.",
		Experiment: results.FPR, Quantity: results.QFPR, Build: fpr,
	},
	{
		Name:       "fpr-live",
		Title:      "False positives where only what was shown is recorded",
		Caption:    "Rings are measured where an unseen article that is a false positive is never shown and so never recorded, as in a live system; filled marks where all articles are recorded, as theory assumes.",
		Experiment: results.FPR, Quantity: results.QFPRDropAndRecord, Build: live,
	},
	{
		Name:       "fpr-formulas",
		Title:      "The asymptotic approximation and the exact formula",
		Caption:    "By how much the asymptotic approximation misses the exact rate, the zero line: it is too low for filters this small, most where they hold few articles.",
		Experiment: results.FPR, Quantity: results.QFPRAsymptotic, Build: formulas,
	},
	{
		Name:       "beyond-fpr",
		Title:      "False positives of structures beyond the paper",
		Caption:    "The rate by articles shown, measured and by each structure's own theory.",
		Experiment: results.FPR, Quantity: results.QFPR, Strategies: plots.Beyond, Build: beyond,
	},
}

// The rates that the paper aims at, drawn across the panels of rates.
var paperRates = []plots.Guide{
	{At: 0.0156, Label: "paper: f = 1.56 %"},
	{At: 0.02, Label: "target: ε = 2 %"},
}

// fpr shows how the rate of false positives grows: in decades, and near zero.
func fpr(d plots.Data) plots.Sheet {
	decades := &plots.Panel{
		Title:  "(a) All rates, in decades",
		X:      plots.Axis{Label: "articles shown"},
		Y:      plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Power},
		Guides: paperRates,
	}
	zoom := &plots.Panel{
		Title:  "(b) The first 1000 articles",
		X:      plots.Axis{Label: "articles shown", Min: 0, Max: 1000},
		Y:      plots.Axis{Label: "false positive rate", Min: 0, Max: 0.22, Format: plots.Percent},
		Guides: paperRates,
	}
	for i, s := range d.Curves(results.QFPR, results.QFPRExact) {
		zoom.Add(s)
		s.Points = everyThird(s.Points, i)
		decades.Add(s)
	}
	return plots.Sheet{
		Grid:   plots.Grid(1, decades, zoom),
		Height: 235,
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
	all, exact := d.Groups(results.QFPR), d.Groups(results.QFPRExact)
	var panels []*plots.Panel
	for _, g := range d.Groups(results.QFPRDropAndRecord) {
		points := g.Points()
		if len(plots.Where(points, func(p plots.Point) bool { return p.Y > 0 })) == 0 {
			continue // the queue: nothing is ever dropped, so the orders are one
		}
		look := d.Look(g.Strategy)
		p := &plots.Panel{
			Title: look.Name,
			X:     plots.Axis{Label: "articles shown"},
			Y:     plots.Axis{Label: "false positive rate", Format: plots.Percent},
		}
		curve := exact.Of(g.Strategy).Theory()
		if len(curve) == 0 {
			curve = all.Of(g.Strategy).Theory()
		}
		look.Dash = nil
		p.Add(plots.Series{Look: look, Line: curve, Points: all.Of(g.Strategy).Points(), Unnamed: true})
		p.Add(plots.Series{Look: plots.Look{Color: plots.Black, Mark: plots.Ring}, Points: points, Unnamed: true})
		panels = append(panels, p)
	}
	return plots.Sheet{
		Grid:   plots.Grid(2, panels...),
		Height: 170,
		Note: "Filled marks: measured where all articles shown are recorded, as the exact formula (line) assumes. " +
			"Rings: measured where, as in a live system, a false positive is dropped and never recorded. Whiskers: 95 % intervals.",
	}
}

// beyond has a panel for each structure.
func beyond(d plots.Data) plots.Sheet {
	return plots.Sheet{
		Grid: d.Each(results.QFPR, results.QFPRExact, plots.Panel{
			X:      plots.Axis{Label: "articles shown", Labels: 4},
			Y:      plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-5, Max: 1, Format: plots.Power},
			Guides: []plots.Guide{{At: 0.02, Label: "ε = 2 %"}},
		}),
		Height: 130,
		Note: "Marks: measured, with 95 % intervals where they are larger than the mark. Lines: each structure's own theory. " +
			"At ≈ 0: no false positive was measured.",
	}
}
