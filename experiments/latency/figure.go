package latency

import (
	"slices"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are the time of a request by its number of candidates.
var Figures = []plots.Figure{{
	Name:       "latency",
	Title:      "A filter answers in a fraction of the queue's time; out of the cache a short request mostly waits for memory",
	Caption:    "The time of a request by its number of candidates, for one user again and again and for random users: above the median, below the time that 99 of 100 do not exceed.",
	Experiment: results.Latency, Query: curve(hot, median), Build: latency,
}}

// sides are the ways in which users are asked, a column each.
var sides = []struct {
	median, tail string
	history      results.Condition
}{
	{"(a) In the cache: arithmetic alone", "(d) In the cache, 99 of 100", hot},
	{"(b) A random user: wait for memory", "(e) A random user, 99 of 100", cold},
	{"(c) Many at once: shorter waits", "(f) Many at once, 99 of 100", together},
}

// curve is the time of a request by its candidates.
func curve(history, statistic results.Condition) results.Query {
	return times(history, statistic).With(by.Candidates.Open())
}

func latency(d plots.Data) plots.Sheet {
	strategies := d.NamesIn(d.Find(curve(cold, median))) // the floor and the harness are timed in the cache alone
	left := false
	var medians, tails []*plots.Panel
	for _, side := range sides {
		for _, part := range []struct {
			title, label string
			statistic    results.Condition
			panels       *[]*plots.Panel
		}{{side.median, "median time", median, &medians}, {side.tail, "p99", p99, &tails}} {
			p := &plots.Panel{
				Title: part.title,
				X:     plots.Axis{Label: "candidates per request", Scale: plots.Log, Format: plots.Number, Labels: 3},
				Y:     plots.Axis{Label: part.label + " of a request", Scale: plots.Log, Format: plots.Duration},
			}
			for _, g := range d.Find(curve(side.history, part.statistic)) {
				// Variants ran with fewer users, of whom more are in the cache, and lie on the lines of
				// what they vary.
				if variant, _ := plots.Kinship(g.Strategy, strategies); variant && slices.Contains(strategies, g.Strategy) {
					left = true
					continue
				}
				points := plots.Map(g.Points(), func(p plots.Point) plots.Point { return plots.At(p.X, p.Y) })
				p.Add(plots.Series{Look: d.Look(g.Strategy), Points: points, Join: true})
			}
			p.TightX()
			*part.panels = append(*part.panels, p) // a grid leaves out those without series
		}
	}
	note := "Half of the requests take no longer than the median, 99 of 100 no longer than p99. In the cache: one user again and again. A random user is not in it. Many at once: random users asked in one call, whose waits overlap. " +
		"Six loads alone: those of a filter of six hashes, one after the other; vectors can be faster."
	if left {
		note += " Not drawn: variants of these, which ran with fewer users; the table has them."
	}
	return plots.Sheet{
		Grid:   plots.Shared(plots.Grid(3, append(medians, tails...)...)),
		Height: 185,
		Note:   note,
	}
}
