package fill

import (
	"cmp"
	"slices"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are the fill by articles shown.
var Figures = []plots.Figure{{
	Name:       "fill",
	Title:      "A single filter fills up; filters cleared in rotation stay about half full",
	Caption:    "The share of set bits in the array that answers, by articles shown: 52 % for the paper's filter at 500 articles.",
	Experiment: results.Fill, Query: byArticles, Build: fill,
}}

var byArticles = results.Find(results.QFill, by.Articles.Open())

// shown is how many articles the panels reach to: two cycles of the slowest strategy.
const shown = 1000

// fill has a panel for each strategy.
func fill(d plots.Data) plots.Sheet {
	var panels []*plots.Panel
	for _, g := range d.Find(byArticles) {
		within := func(points []plots.Point) []plots.Point {
			return plots.Where(points, func(q plots.Point) bool { return q.X <= shown })
		}
		look, theory := d.Look(g.Strategy), within(g.Theory())
		p := &plots.Panel{
			Title:  look.Name,
			X:      plots.Axis{Label: "articles shown", Min: 0, Max: 1.02 * shown, Labels: 3},
			Y:      plots.Axis{Label: "set bits", Min: 0, Max: 1.02, Format: plots.Percent},
			Guides: []plots.Guide{{At: 0.5, Label: "half full"}},
		}
		look.Dash = nil
		measured := plots.Series{Look: look, Points: within(g.Points()), Unnamed: true}
		if rises(theory) {
			measured.Line = theory
		} else {
			p.Add(plots.Series{Look: plots.Look{Color: plots.Black, Mark: plots.Ring}, Points: theory, Unnamed: true})
		}
		p.Add(measured)
		stated := plots.Series{Look: plots.PaperLook}
		for _, r := range g.Rows {
			if v, ok := r.Paper.Get(); ok {
				stated.Points = append(stated.Points, plots.At(r.Coordinate(by.Articles).Or(0), v))
			}
		}
		p.Add(stated)
		panels = append(panels, p)
	}
	return plots.Sheet{
		Grid: plots.Shared(plots.Grid(3, panels...)), Height: 120,
		Note: "The share of set bits in the array that answers. Marks: measured. Theory is a line where the fill only rises, and rings behind the marks where it falls each time a filter is cleared: " +
			"it is known every 50 articles, and the fall between two of them is sudden.",
	}
}

// rises is whether a curve never falls.
func rises(line []plots.Point) bool {
	return slices.IsSortedFunc(line, func(a, b plots.Point) int { return cmp.Compare(a.Y, b.Y) })
}
