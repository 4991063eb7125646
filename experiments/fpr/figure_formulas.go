package fpr

import (
	"dejavu/plots"
)

// The axis reaches this far from the exact rate, as a share of it, and a measurement
// has a mark where its interval is no wider than the axis.
const excessShown = 0.025

// formulas compares the asymptotic approximation and the measurements with the exact formula,
// as a share of it, in one panel for each strategy that has both.
func formulas(d plots.Data) plots.Sheet {
	curves, measured := d.Find(exact), d.Find(byArticles)
	var panels []*plots.Panel
	for _, g := range d.Find(asymptotic) {
		unit := curves.Of(g.Strategy).Theory()
		asymptotic := excess(g.Theory(), unit)
		points := plots.Where(excess(measured.Of(g.Strategy).Points(), unit), known)
		if len(asymptotic) == 0 || len(points) < 3 {
			continue // too little is known so exactly
		}
		look := d.Look(g.Strategy)
		p := &plots.Panel{
			Title:  look.Name,
			X:      plots.Axis{Label: "articles shown", Min: 0, Max: 2000, Labels: 3},
			Y:      plots.Axis{Label: "excess over the exact rate", Min: -excessShown, Max: excessShown, Format: plots.Percent},
			Guides: []plots.Guide{{At: 0}},
		}
		line := look
		line.Color = plots.Black
		p.Add(plots.Series{Look: line, Line: plots.Where(asymptotic, onAxis), Unnamed: true})
		p.Add(plots.Series{Look: look, Points: points, Unnamed: true})
		panels = append(panels, p)
	}
	return plots.Sheet{
		Grid:   plots.Shared(plots.Grid(3, panels...)),
		Height: 190,
		Note: "Zero: the exact formula. Black lines: the approximation (1 − e^(−kn/m))^k, which is too low for filters this small, most where they hold few articles. " +
			"Marks: measured, with 95 % intervals, where those are narrower than ±2.5 %.",
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

// known is whether a point's interval is known, and lies on the axis.
func known(p plots.Point) bool {
	return p.Low < p.High && p.Low > -excessShown && p.High < excessShown
}

// onAxis is whether a point lies on the axis.
func onAxis(p plots.Point) bool { return p.Y > -excessShown && p.Y < excessShown }
