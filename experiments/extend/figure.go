package extend

import (
	"slices"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are the change of the window from 500 to 1000 articles while in use.
var Figures = []plots.Figure{{
	Name:       "extend",
	Title:      "When N grows from 500 to 1000 in use, queue and chain keep what they hold, and single and dual start empty",
	Caption:    "False positives around the change of N, and how many articles are retained just after it: the queue and the chain keep their histories, the single and the dual filter start empty.",
	Experiment: results.Extend, Query: bySince, Build: extend,
}}

var bySince = results.Find(results.QFPR, by.Since.Open())

func extend(d plots.Data) plots.Sheet {
	rate := &plots.Panel{
		Title:  "(a) The chain's rate goes on; single and dual start empty",
		X:      plots.Axis{Label: "articles shown since the change"},
		Y:      plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-6, Max: 1, Format: plots.Percent},
		Guides: []plots.Guide{{At: 0, Label: "N becomes 1000", Vertical: true}},
	}
	for _, s := range d.Lines(bySince, results.Query{}) {
		s.Line = sinceChange(s.Line)
		rate.Add(s)
	}
	kept := &plots.Panel{Title: "(b) Queue and chain retain their articles", X: plots.Axis{Label: "articles retained just after the change"}}
	groups := slices.DeleteFunc(d.Find(results.Find(results.QArticlesRetained)), func(g plots.Group) bool { _, known := g.Total(); return !known })
	for _, g := range groups {
		kept.Y.Names = append(kept.Y.Names, d.Look(g.Strategy).Name)
	}
	for i, g := range groups {
		total, _ := g.Total()
		kept.Bar(d.Look(g.Strategy).Solid(), kept.Place(i), total.Y)
	}
	return plots.Sheet{
		Grid:   plots.Grid(2, rate, kept),
		Height: 230,
		Note: "Marks: measured, with 95 % intervals. Lines: the exact formula. " +
			"At ≈ 0: no false positive was measured, and the formula lies below the axis.",
	}
}

// sinceChange is the part of a curve from the change on: where histories start empty
// the rate jumps there, and no line may cross it.
func sinceChange(line []plots.Point) []plots.Point {
	return plots.Where(line, func(p plots.Point) bool { return p.X >= 0 })
}
