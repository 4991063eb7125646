package tradeoff

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"dejavu/plots"
	"dejavu/results"
)

// Figures are what a guaranteed window costs, in bytes, rates and time, for every
// structure.
var Figures = []plots.Figure{{
	Name:  "tradeoff",
	Title: "Every structure beside every other",
	Caption: "What a guaranteed window of 400 articles costs: bytes by the rate of false positives beside lower bounds for any structure, the rate in 512 bytes, " +
		"and the time of a candidate and of an article recorded.",
	Experiment: results.Tradeoff, Quantity: results.QLongestByRate, Strategies: plots.All, Build: tradeoff,
}}

// boundDashes are the lines of bounds that no structure can pass.
var boundDashes = []plots.Dash{{1, 2}, {5, 2, 1, 2}, {3, 3}}

func tradeoff(d plots.Data) plots.Sheet {
	rates := &plots.Panel{
		Title:  "(a) Guaranteed window of 400",
		X:      plots.Axis{Label: "bytes of the longest history", Min: 0, Max: 2000, Format: plots.Number},
		Y:      plots.Axis{Label: "worst false positive rate", Scale: plots.Log, Min: 1e-4, Max: 0.4, Format: plots.Power},
		Guides: []plots.Guide{{At: 0.02, Label: "ε = 2 %"}, {At: 512, Label: "512 B", Vertical: true}},
	}
	bounds := 0
	for _, g := range d.Groups(results.QLongestByRate) {
		s := plots.Series{Look: d.Look(g.Strategy), Line: swapped(g.Theory())}
		s.Look.Dash = nil
		if bound, ok := strings.CutPrefix(g.Strategy, "bound, "); ok {
			s.Look.Color, s.Look.Dash = plots.Black, boundDashes[bounds%len(boundDashes)]
			s.Look.Name = "Lower bound, " + bound
			bounds++
		} else {
			if fixed(d, g.Strategy) {
				s.Look.Dash = plots.Dash{2, 1.5}
			}
			s.Points = trades(d, g.Strategy)
		}
		if len(s.Line) == 0 || s.Line[0].X <= rates.X.Max { // the queue's would only stretch the axes
			rates.Add(s)
		}
	}
	return plots.Sheet{
		Grid: plots.Grid(2, rates, ranking(d, "(b) In 512 bytes, window 400"),
			against(d, "(c) Query, at 2 %", results.QQueryNanos, "ns per candidate"), against(d, "(d) Record, at 2 %", results.QRecordNanosEach, "ns per article")),
		Height: 250,
		Note: "Lines in (a): theory. Marks in (a): measured, each structure at 2 % and in 512 bytes. Bounds: Naor and Yogev (2013), up to a term of the order of the window; " +
			"slack is by how many articles the window may at times be longer. A structure with a fixed capacity, or that grows without bound, is drawn at its 400th article: dashed in (a), hollow in (c) and (d), and not part of the stairs. " +
			"The queue takes 3204 bytes and is outside (a). Bars in (b): the worst rate measured; rings: the mean over a cycle. Stairs in (c) and (d): no other structure is better in both.",
	}
}

// swapped exchanges x and y, and sorts by the new x, as a curve needs it.
func swapped(points []plots.Point) []plots.Point {
	out := plots.Map(points, func(p plots.Point) plots.Point { return plots.At(p.Y, p.X) })
	slices.SortStableFunc(out, func(a, b plots.Point) int { return cmp.Compare(a.X, b.X) })
	return out
}

// fixed is whether a structure has a fixed capacity, and so is not drawn as one that
// can go on.
func fixed(d plots.Data, strategy string) bool {
	_, ok := d.Groups(results.QFixedCapacity + results.AtRate).Of(strategy).Total()
	return ok
}

// trades are a structure's measured rates by the bytes of its longest history, in
// both comparisons.
func trades(d plots.Data, strategy string) (points []plots.Point) {
	for _, alike := range []string{results.AtRate, results.InBytes} {
		y, okY := d.Groups(results.QFPRWorst + alike).Of(strategy).Total()
		x, okX := d.Groups(results.QLongest + alike).Of(strategy).Total()
		if y.X = x.Y; okX && okY {
			points = append(points, y)
		}
	}
	return points
}

// ranking is the false positive rate of each structure where all take the same
// bytes, the best first.
func ranking(d plots.Data, title string) *plots.Panel {
	type ranked struct {
		look        plots.Look
		worst, mean plots.Point
	}
	var all []ranked
	means := d.Groups(results.QFPRMean + results.InBytes)
	for _, g := range d.Groups(results.QFPRWorst + results.InBytes) {
		worst, ok := g.Total()
		mean, known := means.Of(g.Strategy).Total()
		if ok && known {
			all = append(all, ranked{d.Look(g.Strategy).Solid(), worst, mean})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(a.worst.Y, b.worst.Y) })
	p := &plots.Panel{Title: title, X: plots.Axis{Label: "false positive rate", Format: plots.Percent, Labels: 4}}
	for _, r := range all {
		p.Y.Names = append(p.Y.Names, r.look.Name)
	}
	for i, r := range all {
		p.Bar(r.look, p.Place(i), r.worst.Y)
		r.mean.X = p.Place(i)
		p.Dots(r.look.With(plots.Ring), r.mean)
	}
	return p
}

// against is a time beside bytes, for all structures at one rate, with the stairs
// of those that no other betters in both.
func against(d plots.Data, title, quantity, label string) *plots.Panel {
	p := &plots.Panel{
		Title: title,
		X:     plots.Axis{Label: "bytes of the longest history", Format: plots.Number, Labels: 4},
		Y:     plots.Axis{Label: label, Format: plots.Number},
	}
	var lasting []plots.Point
	var marks []plots.Series
	for _, g := range d.Groups(quantity + results.AtRate) {
		bytes, ok := d.Groups(results.QLongest + results.AtRate).Of(g.Strategy).Total()
		times := g.Points()
		if !ok || len(times) == 0 {
			continue
		}
		at, look := times[0], d.Look(g.Strategy)
		at.X = bytes.Y
		if fixed(d, g.Strategy) {
			look = look.Hollow()
		} else {
			lasting = append(lasting, at)
		}
		p.X.Max, p.Y.Max = max(p.X.Max, 1.04*at.X), max(p.Y.Max, 1.04*at.High)
		marks = append(marks, plots.Series{Look: look, Points: []plots.Point{at}}) // the legend has each name once, as (a) draws it
	}
	p.Add(plots.Series{Look: plots.Look{Color: plots.Grey}, Line: front(lasting, p.X.Max), Step: true, Unnamed: true})
	p.Add(marks...)
	return p
}

// front are the points that no other betters in both coordinates, and where the
// last of them ends.
func front(all []plots.Point, end float64) (stairs []plots.Point) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b plots.Point) int {
		return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y))
	})
	least := math.Inf(1)
	for _, p := range sorted {
		if p.Y < least {
			least = p.Y
			stairs = append(stairs, p)
		}
	}
	if len(stairs) > 0 {
		last := stairs[len(stairs)-1]
		last.X = end
		stairs = append(stairs, last)
	}
	return stairs
}
