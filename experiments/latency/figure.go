package latency

import (
	"dejavu/plots"
	"dejavu/results"
)

// Figures are the time of a request by its number of candidates.
var Figures = []plots.Figure{{
	Name:       "latency",
	Title:      "A filter answers in a fraction of the queue's time; out of the cache a short request mostly waits for memory",
	Caption:    "The time of a request by its number of candidates, for one user again and again and for random users: above the median, below the time that 99 of 100 do not exceed.",
	Experiment: results.Latency, Quantity: results.QHotP50, Build: latency,
}}

func latency(d plots.Data) plots.Sheet {
	var medians, tails []*plots.Panel
	for _, side := range []struct{ title, p50, p99 string }{
		{"one user again and again", results.QHotP50, results.QHotP99},
		{"a random user", results.QColdP50, results.QColdP99},
		{"many random users", results.QTogetherP50, results.QTogetherP99},
	} {
		for _, part := range []struct {
			title, quantity string
			panels          *[]*plots.Panel
		}{{"Median: ", side.p50, &medians}, {"p99: ", side.p99, &tails}} {
			p := &plots.Panel{
				Title: part.title + side.title,
				X:     plots.Axis{Label: "candidates per request", Scale: plots.Log, Format: plots.Number, Labels: 3},
				Y:     plots.Axis{Label: "time of a request", Scale: plots.Log, Format: plots.Duration},
			}
			for _, g := range d.Groups(part.quantity) {
				points := plots.Map(g.Points(), func(p plots.Point) plots.Point { return plots.At(p.X, p.Y) })
				p.Add(plots.Series{Look: d.Look(g.Strategy), Points: points, Join: true})
			}
			p.TightX()
			*part.panels = append(*part.panels, p) // a grid leaves out those without series
		}
	}
	return plots.Sheet{
		Grid:   plots.Shared(plots.Grid(3, append(medians, tails...)...)),
		Height: 185,
		Note: "Half of the requests take no longer than the median, 99 of 100 no longer than p99. One user is in the processor's cache, a random one is not; many are asked one after another. " +
			"Six loads alone: those of a filter of six hashes, one after the other; vectors can be faster.",
	}
}
