package plots

import (
	"math"
	"slices"

	"dejavu/results"
)

// latency shows the time of a request by its number of candidates: of one reader
// again and again, and of a random one of all.
func latency(d data) (sheet, string) {
	var row []*panel
	for _, side := range []struct{ title, p50, p99 string }{
		{"(a) Hot: one reader", results.QHotP50, results.QHotP99},
		{"(b) Cold: a random reader of all", results.QColdP50, results.QColdP99},
		{"(c) Cold: many random readers at once", results.QTogetherP50, results.QTogetherP99},
	} {
		p := &panel{
			title: side.title,
			x:     axis{label: "candidates in the request", scale: logarithm, format: number},
			y:     axis{label: "time of a request", scale: logarithm, format: duration},
		}
		tails := d.groups(results.Latency, side.p99)
		groups := d.groups(results.Latency, side.p50)
		for i, g := range groups {
			points := whiskers(g.points(), of(tails, g.strategy).points())
			look := d.palette.looks[g.strategy]
			// Whiskers stand side by side: request sizes lie a factor of two apart,
			// and those of one size share the middle half of that. The marks stay in
			// their place, or the line of who is shifted left would seem the slower.
			shift := math.Ln2 / 2 * (float64(i)/float64(max(len(groups)-1, 1)) - 0.5)
			apart := slices.Clone(points)
			for k := range points {
				points[k].low, points[k].high = points[k].y, points[k].y
				apart[k].x *= math.Exp(shift)
			}
			p.add(series{look: look, points: apart, bare: true, unnamed: true})
			p.add(series{look: look, points: points, join: true})
		}
		if len(p.series) > 0 {
			p.x.min, p.x.max = p.span()
			row = append(row, p)
		}
	}
	if len(row) == 0 {
		return sheet{}, missing(results.Latency, results.QHotP50)
	}
	shareRange(row)
	return sheet{
		grid:   pairs(row),
		height: 260,
		note: "Marks: half of the requests take no longer (p50). Whiskers: 99 of 100 take no longer (p99). " +
			"Whiskers of one request size stand side by side. " +
			"Six loads alone: the least that a filter of six hashes can do.",
	}, ""
}

// whiskers gives each median an interval up to the tail at the same x.
func whiskers(medians, tails []point) []point {
	for i := range medians {
		medians[i].low, medians[i].high = medians[i].y, medians[i].y
		for _, t := range tails {
			if t.x == medians[i].x && t.y > medians[i].y {
				medians[i].high = t.y
			}
		}
	}
	return medians
}

// span is the range of the x of all points, with a little room.
func (p *panel) span() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range p.series {
		for _, q := range s.points {
			if q.x >= tiniest {
				low, high = min(low, q.x), max(high, q.x)
			}
		}
	}
	if low > high {
		return 0, 0
	}
	return low / 1.15, high * 1.15
}

// shareRange gives neighbours the same y axis, so that heights compare across them.
func shareRange(row []*panel) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range row {
		probe := *p
		probe.fit()
		low, high = min(low, probe.y.min), max(high, probe.y.max)
	}
	for _, p := range row {
		p.y.min, p.y.max = low, high
	}
}
