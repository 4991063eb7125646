package latency

import (
	"math"

	"dejavu/plots"
	"dejavu/results"
)

// Figures are the time of a request by its number of candidates.
var Figures = []plots.Figure{{
	Name:       "latency",
	Title:      "Time of a request",
	Caption:    "The time of a request by its number of candidates, for one user again and again and for random users: half of the requests take no longer than the mark, 99 of 100 no longer than the whisker.",
	Experiment: results.Latency, Quantity: results.QHotP50, Build: latency,
}}

func latency(d plots.Data) plots.Sheet {
	var panels []*plots.Panel
	for _, side := range []struct{ title, p50, p99 string }{
		{"(a) Hot: one user", results.QHotP50, results.QHotP99},
		{"(b) Cold: a random user", results.QColdP50, results.QColdP99},
		{"(c) Cold: many random users at once", results.QTogetherP50, results.QTogetherP99},
	} {
		p := &plots.Panel{
			Title: side.title,
			X:     plots.Axis{Label: "candidates per request", Scale: plots.Log, Format: plots.Number},
			Y:     plots.Axis{Label: "time of a request", Scale: plots.Log, Format: plots.Duration},
		}
		tails, groups := d.Groups(side.p99), d.Groups(side.p50)
		for i, g := range groups {
			medians := plots.Map(g.Points(), func(p plots.Point) plots.Point { return plots.At(p.X, p.Y) })
			tail := tails.Of(g.Strategy).Points()
			// Whiskers stand side by side: request sizes lie a factor of two apart, and
			// those of one size share the middle half of that. The marks stay in their
			// place, or the line of the strategy shifted left would seem the slower.
			shift := math.Ln2 / 2 * (float64(i)/float64(max(len(groups)-1, 1)) - 0.5)
			whiskers := plots.Map(medians, func(p plots.Point) plots.Point {
				for _, t := range tail {
					if t.X == p.X && t.Y > p.Y {
						p.High = t.Y
					}
				}
				p.X *= math.Exp(shift)
				return p
			})
			p.Add(plots.Series{Look: d.Look(g.Strategy), Points: whiskers, Bare: true, Unnamed: true})
			p.Add(plots.Series{Look: d.Look(g.Strategy), Points: medians, Join: true})
		}
		if len(p.Series) > 0 {
			p.TightX()
			panels = append(panels, p)
		}
	}
	plots.SameY(panels...)
	return plots.Sheet{
		Grid:   plots.Grid(2, panels...),
		Height: 260,
		Note: "Marks: median (p50). Whiskers: up to p99; those of one request size stand side by side. " +
			"Six loads alone: a lower bound for a filter of six hashes.",
	}
}
