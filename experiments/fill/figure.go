package fill

import (
	"cmp"
	"slices"

	"dejavu/plots"
	"dejavu/results"
)

// Figures are the fill by articles shown.
var Figures = []plots.Figure{{
	Name:       "fill",
	Title:      "A single filter fills up; filters that take turns stay about half full",
	Caption:    "The share of set bits in the array that answers, by articles shown: 52 % for the paper's filter at 500 articles.",
	Experiment: results.Fill, Quantity: results.QFill, Build: fill,
}}

func fill(d plots.Data) plots.Sheet {
	grid := d.Each(results.QFill, "", plots.Panel{
		X:      plots.Axis{Label: "articles shown", Labels: 3},
		Y:      plots.Axis{Label: "set bits", Min: 0, Max: 1.02, Format: plots.Percent},
		Guides: []plots.Guide{{At: 0.5, Label: "half full"}},
	})
	for _, p := range slices.Concat(grid...) {
		if p == nil {
			continue
		}
		s := p.Series[0]
		ring := plots.Look{Color: plots.Black, Mark: plots.Ring}
		if !rises(s.Line) {
			p.Series = nil
			p.Add(plots.Series{Look: ring, Points: s.Line, Unnamed: true}, plots.Series{Look: s.Look, Points: s.Points, Unnamed: true})
		}
	}
	return plots.Sheet{
		Grid: grid, Height: 120,
		Note: "The share of set bits in the array that answers. Marks: measured. Theory is a line where the fill only rises, and rings around the marks where it falls whenever a filter is cleared: " +
			"both are known every 50 articles, and the fall between two of them is sudden.",
	}
}

// rises is whether a curve never falls.
func rises(line []plots.Point) bool {
	return slices.IsSortedFunc(line, func(a, b plots.Point) int { return cmp.Compare(a.Y, b.Y) })
}
