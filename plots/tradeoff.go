package plots

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"dejavu/results"
)

// boundDashes are the lines of bounds that no structure can pass.
var boundDashes = [][]vg.Length{{1, 2}, {5, 2, 1, 2}, {3, 3}}

// tradeoff shows what a window costs: bytes by the rate of false positives, beside
// what theory says must be paid, and time beside bytes.
func tradeoff(d data) (sheet, string) {
	rates := &panel{
		title:  "(a) A window of 400 that is certain",
		x:      axis{label: "bytes of the longest history", min: 0, max: 2000, format: number},
		y:      axis{label: "false-positive rate at worst", scale: logarithm, min: 1e-4, max: 0.4, format: power},
		guides: []guide{{at: 0.02, label: "ε = 2 %"}, {at: 512, label: "512 B", vertical: true}},
	}
	bounds := 0
	for _, g := range d.groups(results.Tradeoff, results.QLongestByRate) {
		l := d.palette.looks[g.strategy]
		s := series{look: l, line: swapped(g.theory())}
		if strings.HasPrefix(g.strategy, "bound") {
			s.look.color, s.look.dash = black, boundDashes[bounds%len(boundDashes)]
			s.look.name = "No structure below: " + strings.TrimPrefix(g.strategy, "bound, ")
			bounds++
		} else {
			s.look.dash = nil
			if d.wearsOut(g.strategy) {
				s.look.dash = []vg.Length{2, 1.5}
			}
			s.points = d.trades(g.strategy, results.QFPRWorst)
		}
		if len(s.line) == 0 || s.line[0].x <= rates.x.max { // the queue's would only stretch the axes
			rates.add(s)
		}
	}
	if len(rates.series) == 0 {
		return sheet{}, missing(results.Tradeoff, results.QLongestByRate)
	}
	ranking := d.ranking("(b) In 512 bytes, window 400")
	query := d.against("(c) Query, at 2 %", results.QQueryNanos, "ns per candidate")
	record := d.against("(d) Record, at 2 %", results.QRecordNanosEach, "ns per article")
	grid := [][]*panel{{rates, ranking}}
	if query != nil && record != nil {
		grid = append(grid, []*panel{query, record})
	}
	return sheet{
		grid:   grid,
		height: 250,
		note: "Lines in (a): theory. Marks in (a): measured, each structure at 2 % and in 512 bytes. Bounds: Naor and Yogev (2013), but for a term of the order of the window; " +
			"slack is by how many articles more the window may be at times. What wears out, or grows without an end, is drawn at its 400th article, dashed in (a), hollow in (c) and (d) and no part of the stairs. " +
			"The queue takes 3204 bytes and lies outside of (a). Bars in (b): measured at worst, rings the mean over a turn. Stairs in (c) and (d): no lasting structure is better in both.",
	}, ""
}

// swapped turns points by x into points by y, as a curve wants them.
func swapped(points []point) []point {
	out := make([]point, len(points))
	for i, p := range points {
		out[i] = point{p.y, p.x, p.x, p.x}
	}
	slices.SortStableFunc(out, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	return out
}

// trades are a structure's measured values by the bytes of its longest history, in
// both comparisons.
func (d data) trades(strategy, quantity string) (points []point) {
	for _, alike := range []string{results.AtRate, results.InBytes} {
		y, okY := of(d.groups(results.Tradeoff, quantity+alike), strategy).total()
		x, okX := of(d.groups(results.Tradeoff, results.QLongest+alike), strategy).total()
		if okX && okY {
			points = append(points, point{x.y, y.y, y.low, y.high})
		}
	}
	return points
}

// ranking is how often each structure errs where all take the same bytes, the
// best first. It is nil where nothing was measured.
func (d data) ranking(title string) *panel {
	type ranked struct {
		look        look
		worst, mean point
	}
	var all []ranked
	for _, g := range d.groups(results.Tradeoff, results.QFPRWorst+results.InBytes) {
		worst, ok := g.total()
		mean, known := of(d.groups(results.Tradeoff, results.QFPRMean+results.InBytes), g.strategy).total()
		if ok && known {
			all = append(all, ranked{d.palette.looks[g.strategy], worst, mean})
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(a.worst.y, b.worst.y) })
	p := &panel{title: title, x: axis{label: "false-positive rate", format: percent, labels: 4}}
	for i, r := range all {
		place := float64(len(all) - 1 - i)
		p.y.names = append(p.y.names, r.look.name)
		r.look.mark.hollow = false
		p.add(series{look: r.look, bars: []point{{place, r.worst.y, r.worst.y, r.worst.y}}, sideways: true, unnamed: true})
		r.look.mark, r.mean.x = mark{hollow: true}, place
		p.add(series{look: r.look, points: []point{r.mean}, sideways: true, unnamed: true})
	}
	return p
}

// against is a time beside bytes, for all structures at one rate, with the stairs
// of those that no other betters in both. It is nil where nothing was timed.
func (d data) against(title, quantity, label string) *panel {
	p := &panel{
		title: title,
		x:     axis{label: "bytes of the longest history", format: number, labels: 4},
		y:     axis{label: label, format: number},
	}
	var all, lasting []point
	for _, g := range d.groups(results.Tradeoff, quantity+results.AtRate) {
		x, ok := of(d.groups(results.Tradeoff, results.QLongest+results.AtRate), g.strategy).total()
		times := g.points()
		if !ok || len(times) == 0 {
			continue
		}
		at := times[0]
		at.x = x.y
		l := d.palette.looks[g.strategy]
		if d.wearsOut(g.strategy) {
			l.mark.hollow = true
		} else {
			lasting = append(lasting, at)
		}
		all = append(all, at)
		p.add(series{look: l, points: []point{at}}) // the legend has each name once, as (a) draws it
	}
	if len(lasting) == 0 {
		return nil
	}
	for _, q := range all {
		p.x.max, p.y.max = max(p.x.max, 1.04*q.x), max(p.y.max, 1.04*q.high)
	}
	p.series = append([]series{{look: look{color: grey}, line: front(lasting, p.x.max), step: true, unnamed: true}}, p.series...)
	return p
}

// wearsOut reports whether a structure never forgets, and so cannot go on.
func (d data) wearsOut(strategy string) bool {
	_, ok := of(d.groups(results.Tradeoff, results.QWearsOut+results.AtRate), strategy).total()
	return ok
}

// front are the points that no other betters in both coordinates, and where the
// last of them ends.
func front(all []point, end float64) (stairs []point) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b point) int {
		return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
	})
	least := math.Inf(1)
	for _, p := range sorted {
		if p.y < least {
			least = p.y
			stairs = append(stairs, p)
		}
	}
	last := stairs[len(stairs)-1]
	last.x = end
	return append(stairs, last)
}
