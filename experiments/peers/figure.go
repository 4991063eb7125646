// Package peers compares our filters with other libraries', from rows that the module peers measures: ahead, level or
// behind, by one rule, in quantities of which less is better.
package peers

import (
	"cmp"
	"slices"

	"dejavu/internal/document"
	"dejavu/plots"
	"dejavu/results"
)

// Figures draw the times and the memory of other libraries' filters over ours.
var Figures = []plots.Figure{{
	Name: "peers", Experiment: results.Peers, Query: over(timed[0].query),
	Strategies: plots.None, Build: costs,
	Title:   "Other filter libraries: time and memory, as multiples of Dejavu's",
	Caption: "Time and memory of the same strategies built from other libraries, as multiples of Dejavu's.",
}}

// costs draws panels for the times of a query and of recording, and one for memory: marks for the strategies built from
// a library, and ours at 1. Libraries are ordered by their time of a query with their last strategy.
func costs(d plots.Data) plots.Sheet {
	p := rows{results.NewCells(d.Rows())}
	var libraries []string
	slowness := map[string]float64{}
	for _, kind := range kinds {
		for _, l := range p.libraries(kind, over(timed[0].query)) {
			r, _ := p.row(name(l, kind), over(timed[0].query))
			if slowness[l] = r.Value.Or(0); !slices.Contains(libraries, l) {
				libraries = append(libraries, l)
			}
		}
	}
	slices.SortStableFunc(libraries, func(a, b string) int { return cmp.Compare(slowness[a], slowness[b]) })
	var titles []string
	for _, l := range libraries {
		titles = append(titles, document.Wrap(l, 16, "")) // which leaves panels room beside them
	}
	sheet := plots.Sheet{
		Columns: 3, Height: 75 + 22*float64(len(libraries)),
		Note: "Libraries without a language are in Go. (a): candidates never shown; (b): ten articles at a time; (c): " +
			"bytes in use. Marks: medians of turns in which libraries alternate; whiskers: from the second lowest turn " +
			"to the second highest. Hashed once: for all five filters. No mark: not built from that library.",
	}
	queries := []results.Query{timed[0].query, timed[3].query, ofUsers(results.QBytesPerUser)}
	for i, title := range []string{"(a) Time of a query", "(b) Time to record", "(c) Memory of a user"} {
		panel := &plots.Panel{
			Title: title, Guides: []plots.Guide{{At: 1, Vertical: true, Label: "Dejavu"}},
			X: plots.Axis{Label: "times Dejavu's", Scale: plots.Log, Format: plots.Multiple},
			Y: plots.Axis{Names: titles, Blank: i > 0},
		}
		low, high := 1.0, 1.0
		for j, kind := range kinds {
			var points []plots.Point
			for place, l := range libraries {
				r := p.ratio(l, kind, queries[i])
				lift := 0.18 - 0.36*float64(j) // above the middle of the library's line
				if q, ok := plots.Measured(r, panel.Place(place)+lift); ok && q.Y > 0 {
					points, low, high = append(points, q), min(low, cmp.Or(q.Low, q.Y)), max(high, q.Y, q.High)
				}
			}
			panel.Add(plots.Series{Look: d.Look(kind), Points: points, Sideways: true})
		}
		panel.X.Min, panel.X.Max = low/1.25, high*1.25 // no whole decades
		sheet.Panels = append(sheet.Panels, panel)
	}
	return sheet
}
