package memory

import (
	"dejavu/plots"
	"dejavu/results"
)

// Figures are the bytes of one user and of all.
var Figures = []plots.Figure{{
	Name:       "memory",
	Title:      "Memory by articles shown and by users",
	Caption:    "Bytes per user by articles shown, and of all users together by their number; four-pointed stars are the resident memory of the whole process.",
	Experiment: results.Memory, Quantity: results.QBytesPerUser, Build: memory,
}}

func memory(d plots.Data) plots.Sheet {
	each := &plots.Panel{
		Title: "(a) One user",
		X:     plots.Axis{Label: "articles shown"},
		Y:     plots.Axis{Label: "bytes per user", Format: plots.Bytes},
	}
	all := &plots.Panel{
		Title: "(b) All users",
		X:     plots.Axis{Label: "users, all with full histories", Scale: plots.Log, Format: plots.Power},
		Y:     plots.Axis{Label: "total memory", Scale: plots.Log, Format: plots.Bytes},
	}
	for _, g := range d.Groups(results.QBytesPerUser) {
		each.Add(plots.Series{Look: d.Look(g.Strategy), Line: g.Theory(), Step: true, Points: plots.Thin(g.Points(), 12)})
	}
	largest := 0.0
	for _, s := range d.Curves(results.QPayloadTotal, results.QTotalTheory) {
		all.Add(s)
		for _, p := range s.Points {
			largest = max(largest, p.X)
		}
	}
	for _, g := range d.Groups(results.QResidentTotal) {
		all.Add(plots.Series{Look: d.Look(g.Strategy).With(plots.CrossStar), Points: g.Points(), Unnamed: true})
	}
	if largest > 0 {
		all.Shade = &plots.Shade{From: largest, Label: "computed, not simulated"}
	}
	grid := plots.Grid(2, each, all)
	each.Add(d.Stated(results.QBytesPerUser))
	all.Add(d.Stated(results.QPayloadTotal, results.QTotalTheory, results.QResidentTotal))
	return plots.Sheet{
		Grid:   grid,
		Height: 250,
		Note: "Marks: measured payload. Lines: theory. Four-pointed stars, in the colour of the strategy: " +
			"resident memory of the process with all histories.",
	}
}
