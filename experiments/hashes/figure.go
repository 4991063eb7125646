package hashes

import (
	"slices"
	"strconv"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are the rates of probe schemes beside the exact formula.
var Figures = []plots.Figure{{
	Name:       "hashes",
	Title:      "Probes by double hashing give a small filter more false positives than the exact rate; digits and multiply-shift do not",
	Caption:    "How far the rate of each probe scheme lies above or below the exact rate, by size of the filter; the table has the time of each.",
	Experiment: results.Hashes, Query: byBits, Strategies: plots.None, Build: hashes,
}}

var byBits = results.Find(results.QExcess, by.Bits.Open())

// hashes shows by how much measured rates exceed the exact formula, in one panel for
// each number of bits.
func hashes(d plots.Data) plots.Sheet {
	var sizes []float64
	var names []string
	schemes := slices.DeleteFunc(d.Find(byBits), func(g plots.Group) bool { return len(g.Points()) == 0 })
	for _, g := range schemes {
		names = append(names, g.Strategy)
		for _, p := range g.Points() {
			sizes = append(sizes, p.X)
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	sizes = sizes[:min(len(sizes), 3)] // more would be too narrow to read
	var row []*plots.Panel
	for i, m := range sizes {
		p := &plots.Panel{
			Title:  "(" + string(rune('a'+i)) + ") m = " + strconv.FormatFloat(m, 'f', -1, 64) + " bits",
			X:      plots.Axis{Label: "excess over the exact rate", Scale: plots.SignedLog, Format: plots.Percent},
			Y:      plots.Axis{Names: names, Blank: i > 0},
			Guides: []plots.Guide{{At: 0, Vertical: true, Label: "exact (0 %)"}},
		}
		var points []plots.Point
		for k, g := range schemes {
			for _, q := range g.Points() {
				if q.X == m {
					q.X = p.Place(k)
					points = append(points, q)
				}
			}
		}
		p.Dots(plots.Look{Color: plots.Blue}, points...)
		row = append(row, p)
	}
	plots.SameX(row...)
	return plots.Sheet{
		Grid:   plots.Grid(3, row...),
		Height: 55 + 19*float64(len(schemes)),
		Note: "Marks: measured excess over the exact false positive rate, with 95 % intervals. " +
			"The axis is linear within ±0.1 % and logarithmic outside.",
	}
}
