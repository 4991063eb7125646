package plots

import (
	"math"

	"dejavu/results"
)

// replay shows a real log: what strategies err by how much a history holds and by
// how active readers are, what they recognise by age, and what that takes.
func replay(d data) (sheet, string) {
	held := &panel{
		title: "(a) False positives by articles held",
		x:     axis{label: "articles since the history was empty"},
		y:     axis{label: "false-positive rate", scale: logarithm, min: 1e-6, max: 1, format: power},
	}
	ages := &panel{
		title: "(b) Repeats recognised, by age",
		x:     axis{label: "age: shown so many articles ago", scale: logarithm, format: power},
		y:     axis{label: "share recognised", min: 0, max: 1.02, format: percent},
	}
	rate := &panel{
		title: "(c) False positives by activity",
		y:     axis{label: "false-positive rate", scale: logarithm, min: 1e-6, max: 1, format: power},
	}
	bytes := &panel{
		title: "(d) Memory by activity",
		y:     axis{label: "bytes per reader", format: size},
	}
	rate.x = d.activity(results.Replay)
	rate.x.label = "articles recorded over the log"
	bytes.x = rate.x
	for _, s := range d.curves(results.Replay, results.QFPR, "") {
		s.points, s.join = positive(s.points, true), true
		held.add(s)
	}
	for _, g := range d.groups(results.Replay, results.QRetention) {
		ages.add(series{look: d.palette.looks[g.strategy], points: positive(g.points(), false), join: true})
	}
	for _, g := range d.groups(results.Replay, results.QFPRByActivity) {
		rate.add(series{look: d.palette.looks[g.strategy], points: byBin(g.points()), join: true})
	}
	for _, g := range d.groups(results.Replay, results.QBytesByActivity) {
		bytes.add(series{look: d.palette.looks[g.strategy], points: byBin(g.points()), join: true})
	}
	var panels []*panel
	for _, p := range []*panel{held, ages, rate, bytes} {
		if len(p.series) > 0 {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return sheet{}, missing(results.Replay, results.QFPRByActivity)
	}
	return sheet{
		grid:   pairs(panels),
		height: 185,
		note: "Lines in (a): what theory expects where every article is a new one. Activity is counted in powers of two; " +
			"a label is the lower edge of its bin. Whiskers: 95 %. At ≈ 0: no fresh article was taken for a seen one.",
	}, ""
}

// positive keeps the points that have a place on a logarithmic axis, or, with zero,
// on one that begins at nothing.
func positive(points []point, zero bool) []point {
	var out []point
	for _, p := range points {
		if p.x > 0 && !math.IsInf(p.x, 0) || zero && p.x == 0 {
			out = append(out, p)
		}
	}
	return out
}
