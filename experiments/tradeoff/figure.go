package tradeoff

import (
	"cmp"
	"slices"
	"strings"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are what a guaranteed window costs, in bytes, rates and time, for every
// structure.
var Figures = []plots.Figure{
	{
		Name:       "tradeoff",
		Title:      "For the same window and rate, a structure that lasts takes more bytes than a filter of fixed capacity",
		Caption:    "Bytes of the longest history by the worst false positive rate: of structures that keep their window for ever, with lower bounds that hold for any, and of those that are full after 400 articles.",
		Experiment: results.Tradeoff, Query: byRate, Strategies: plots.All, Build: tradeoff,
	},
	{
		Name:       "tradeoff-costs",
		Title:      "The smallest structure that lasts takes several times a chain's time",
		Caption:    "Every structure with a guaranteed window of 400 articles: bytes and times at a rate of 2 %, and the rate in 512 bytes. Hollow bars: structures that do not last beyond the window.",
		Experiment: results.Tradeoff, Query: Of(results.QLongest, AtRate), Strategies: plots.All, Build: costs,
	},
}

var byRate = Of(results.QLongest, by.Target.Open())

// boundDashes are the lines of bounds that no structure can pass.
var boundDashes = []plots.Dash{{1, 2}, {5, 2, 1, 2}}

// tradeoff has a line for each structure, from a rate of 1 in 5 to one of 1 in 10000:
// a panel for those that last, with the bounds, and one for the others.
func tradeoff(d plots.Data) plots.Sheet {
	panel := func(title string) *plots.Panel {
		return &plots.Panel{
			Title: title,
			X: plots.Axis{
				Label: "unseen articles for each false positive, at worst", Scale: plots.Log, Min: 1, Max: 1e4,
				Format: func(v float64) string { return "1 in " + plots.Number(v) },
			},
			Y:      plots.Axis{Label: "bytes of the longest history", Scale: plots.Log, Min: 150, Max: 6000, Format: plots.Number},
			Guides: []plots.Guide{{At: 50, Label: "2 %", Vertical: true}, {At: 512, Label: "512 B"}},
			Direct: true,
		}
	}
	lasting := panel("(a) Lasts for ever: bytes of a guaranteed window of 400 (fewer are better)")
	fixedly := panel("(b) Fixed capacity: bytes for 400 articles, after which the rate grows")
	bounds := 0
	for _, g := range d.Find(byRate) {
		s := plots.Series{Look: d.Look(g.Strategy), Line: byOdds(g.Theory())}
		s.Look.Dash = nil
		at := lasting
		if bound, ok := strings.CutPrefix(g.Strategy, "bound, "); ok {
			s.Look.Color, s.Look.Dash = plots.Black, boundDashes[bounds%len(boundDashes)]
			s.Look.Name = "Lower bound, " + bound
			bounds++
		} else {
			if fixed(d, g.Strategy) {
				at = fixedly
			}
			s.Points = trades(d, g.Strategy)
		}
		at.Add(s)
	}
	return plots.Sheet{
		Grid:   plots.Grid(1, lasting, fixedly),
		Height: 215,
		Note: "Lines: theory. Marks: measured, each structure at 2 % and in 512 bytes. " +
			"Lower bounds: Naor and Yogev (2013), up to a term of the order of the window; slack is by how many articles the window may at times be longer.",
	}
}

// byOdds moves points from a rate to one over it, ascending.
func byOdds(points []plots.Point) []plots.Point {
	out := plots.Map(plots.Where(points, func(p plots.Point) bool { return p.X > 0 }), func(p plots.Point) plots.Point { return plots.At(1/p.X, p.Y) })
	slices.SortStableFunc(out, func(a, b plots.Point) int { return cmp.Compare(a.X, b.X) })
	return out
}

// fixed is whether a structure has a fixed capacity, and so is not drawn as one that
// can go on.
func fixed(d plots.Data, strategy string) bool {
	_, ok := d.Find(Of(results.QCapacity, AtRate)).Of(strategy).Total()
	return ok
}

// trades are a structure's bytes of the longest history by its measured rate, in both
// comparisons.
func trades(d plots.Data, strategy string) (points []plots.Point) {
	for _, alike := range []results.Condition{AtRate, InBytes} {
		rate, okRate := d.Find(Of(results.QFPR, alike, Worst)).Of(strategy).Total()
		bytes, ok := d.Find(Of(results.QLongest, alike)).Of(strategy).Total()
		if ok && okRate && rate.Y > 0 {
			points = append(points, plots.At(1/rate.Y, bytes.Y))
		}
	}
	return points
}

// costs has a line for each structure, those that last first, each in the order of
// their bytes, and a panel for each cost.
func costs(d plots.Data) plots.Sheet {
	type structure struct {
		name   string
		look   plots.Look
		bytes  float64
		strays bool
	}
	var all []structure
	for _, g := range d.Find(Of(results.QLongest, AtRate)) {
		if bytes, ok := g.Total(); ok {
			s := structure{g.Strategy, d.Look(g.Strategy).Solid(), bytes.Y, fixed(d, g.Strategy)}
			if s.strays {
				s.look = s.look.Hollow()
			}
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b structure) int {
		if a.strays != b.strays {
			if b.strays {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.bytes, b.bytes)
	})
	var names []string
	for _, s := range all {
		names = append(names, s.look.Name)
	}
	panel := func(title string, x plots.Axis) *plots.Panel {
		x.Labels = 3
		return &plots.Panel{Title: title, X: x, Y: plots.Axis{Names: names, Blank: true}}
	}
	bytes := panel("(a) Bytes at 2 %", plots.Axis{Label: "bytes", Format: plots.Number})
	bytes.Y.Blank = false
	query := panel("(b) Query at 2 %", plots.Axis{Label: "ns per candidate", Scale: plots.Log, Format: plots.Number})
	record := panel("(c) Record at 2 %", plots.Axis{Label: "ns per article", Scale: plots.Log, Format: plots.Number})
	rate := panel("(d) Rate in 512 bytes", plots.Axis{Label: "worst rate", Scale: plots.Log, Format: plots.Percent})
	for i, s := range all {
		place := bytes.Place(i)
		bytes.Bar(s.look, place, s.bytes)
		for _, time := range []struct {
			panel *plots.Panel
			query results.Query
		}{
			{query, Of(results.QQueryNanos, AtRate, by.Candidates.Open())},
			{record, Of(results.QRecordNanosEach, AtRate, by.Recorded.Open())},
		} {
			if points := d.Find(time.query).Of(s.name).Points(); len(points) > 0 {
				points[0].X = place
				time.panel.Dots(s.look, points[0])
			}
		}
		if worst, ok := d.Find(Of(results.QFPR, InBytes, Worst)).Of(s.name).Total(); ok {
			worst.X = place
			rate.Dots(s.look, worst)
		}
	}
	return plots.Sheet{
		Grid:   plots.Grid(4, bytes, query, record, rate),
		Height: 60 + 16*float64(len(all)),
		Note: "Less is better in all panels. Filled: the structures that last, by their bytes. Hollow: those with a fixed capacity, or that grow without bound, at their 400th article. " +
			"Whiskers: intervals of the measurements. In (d), a structure without a mark was not measured in 512 bytes.",
	}
}
