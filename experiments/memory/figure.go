package memory

import (
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are the bytes of one user and of all.
var Figures = []plots.Figure{
	{
		Name:       "memory",
		Title:      "One user's queue takes several times the bytes of any of the filters",
		Caption:    "Bytes of one user's history by articles shown.",
		Experiment: results.Memory, Query: byArticles, Build: each,
	},
	{
		Name:       "memory-users",
		Title:      "Memory grows in proportion to the users; what the process takes beside the histories matters least where users are many",
		Caption:    "Bytes of all users together by their number, in theory and measured, and the resident memory of the whole process.",
		Experiment: results.Memory, Query: byUsers, Build: all,
	},
}

// Bytes of one user by the articles shown, and of all by their number.
var (
	byArticles = results.Find(results.QBytesPerUser, by.Articles.Open())
	byUsers    = results.Find(results.QPayloadTotal, by.Users.Open())
	theory     = byUsers.With(by.Formula.Is(results.ExactFormula))
	resident   = results.Find(results.QResidentTotal, by.Users.Open())
)

// each has a panel for each strategy.
func each(d plots.Data) plots.Sheet {
	var panels []*plots.Panel
	for _, g := range d.Find(byArticles) {
		look := d.Look(g.Strategy)
		p := &plots.Panel{
			Title: look.Name,
			X:     plots.Axis{Label: "articles shown", Labels: 3},
			Y:     plots.Axis{Label: "bytes per user", Scale: plots.Log, Min: 50, Max: 8000, Format: plots.Number},
		}
		look.Dash = nil
		positive := func(points []plots.Point) []plots.Point {
			return plots.Where(points, func(q plots.Point) bool { return q.Y > 0 })
		}
		p.Add(plots.Series{Look: look, Line: positive(g.Theory()), Step: true, Points: plots.Thin(positive(g.Points()), 12), Unnamed: true})
		panels = append(panels, p)
	}
	return plots.Sheet{
		Grid: plots.Shared(plots.Grid(3, panels...)), Height: 120,
		Note: "Marks: measured payload. Lines: theory. A newcomer, with no article shown, takes no bytes. The vertical axis is logarithmic.",
	}
}

// all has the curves of all strategies, of which several take the same.
func all(d plots.Data) plots.Sheet {
	p := &plots.Panel{
		Title:  "The queue takes about eight times a chain's memory, for any number of users",
		X:      plots.Axis{Label: "users, all with full histories", Scale: plots.Log, Format: plots.Count},
		Y:      plots.Axis{Label: "total memory", Scale: plots.Log, Format: plots.Bytes},
		Key:    []plots.Look{{Name: "resident memory of the process, in the strategy's colour", Color: plots.Grey, Mark: plots.CrossStar}},
		Direct: true,
	}
	largest := 0.0
	for _, s := range d.Lines(byUsers, theory) {
		p.Add(s)
		for _, q := range s.Points {
			largest = max(largest, q.X)
		}
	}
	for _, g := range d.Find(resident) {
		p.Add(plots.Series{Look: d.Look(g.Strategy).With(plots.CrossStar), Points: g.Points(), Unnamed: true})
	}
	if largest > 0 {
		p.Shade = &plots.Shade{From: largest, Label: "computed, not simulated"}
	}
	grid := plots.Grid(1, p)
	stated := d.Stated(byUsers)
	if stated.Unnamed = true; len(stated.Points) > 0 {
		p.Key = append(p.Key, plots.PaperLook)
	}
	p.Add(stated)
	return plots.Sheet{
		Grid: grid, Height: 260,
		Note: "Other marks: measured payload. Lines: theory. Names whose lines end in one place take the same memory.",
	}
}
