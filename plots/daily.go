package plots

import (
	"math"
	"strconv"

	"dejavu/results"
)

// daily shows a day of a population whose activity has a heavy tail: what the
// rate and the memory are for whom, and what forgetting idle readers saves.
func daily(d data) (sheet, string) {
	users := &panel{
		title: "(a) Who reads how much",
		x:     d.activityAxis(),
		y:     axis{label: "readers", scale: logarithm, format: power},
	}
	rate := &panel{
		title: "(b) False positives by activity",
		x:     d.activityAxis(),
		y:     axis{label: "false-positive rate", scale: logarithm, min: 1e-6, max: 1, format: power},
	}
	bytes := &panel{
		title: "(c) Memory by activity",
		x:     d.activityAxis(),
		y:     axis{label: "bytes per reader", format: size},
	}
	population := look{name: "readers", color: grey, mark: mark{}}
	for _, g := range d.groups(results.Daily, results.QUsers) {
		// Every strategy meets the same population; the first row set shows it.
		users.add(series{look: population, points: byBin(g.points()), join: true, unnamed: true})
		break
	}
	for _, g := range d.groups(results.Daily, results.QFPRByActivity) {
		rate.add(series{look: d.palette.looks[g.strategy], line: byBin(g.theory()), points: byBin(g.points()), join: true})
	}
	for _, g := range d.groups(results.Daily, results.QBytesByActivity) {
		bytes.add(series{look: d.palette.looks[g.strategy], points: byBin(g.points()), join: true})
	}
	forgetting := d.compared("(d) What forgetting after 24 hours saves", "payload of all readers",
		results.Daily, results.QPayloadRule, results.QPayloadNoRule)
	forgetting.x.format = size
	var panels []*panel
	for _, p := range []*panel{users, rate, bytes, forgetting} {
		if len(p.series) > 0 {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return sheet{}, missing(results.Daily, results.QFPRByActivity)
	}
	return sheet{
		grid:   pairs(panels),
		height: 185,
		note: "Activity is counted in powers of two; a label is the lower edge of its bin. Whiskers: 95 %. " +
			"In (d), filled bars: readers idle for 24 hours are forgotten; hollow bars: nobody is.",
	}, ""
}

// activityAxis counts in powers of two from 1; 0, whose logarithm has no place,
// stands one step to the left.
func (d data) activityAxis() axis { return d.activity(results.Daily) }

// activity is that axis for an experiment.
func (d data) activity(experiment string) axis {
	a := axis{label: "articles recorded over the run", min: -0.5, max: 1, format: func(bin float64) string {
		if bin < 0 {
			return "0"
		}
		return strconv.FormatFloat(math.Exp2(bin), 'f', -1, 64)
	}}
	for _, quantity := range []string{results.QUsers, results.QFPRByActivity, results.QBytesByActivity} {
		for _, g := range d.groups(experiment, quantity) {
			for _, p := range byBin(g.points()) {
				a.min, a.max = min(a.min, p.x-0.5), max(a.max, p.x+0.5)
			}
		}
	}
	return a
}

// byBin moves points to the places of their bins.
func byBin(points []point) []point {
	var out []point
	for _, p := range points {
		if p.x < 0 {
			continue
		}
		p.x = max(math.Log2(p.x), -1)
		out = append(out, p)
	}
	return out
}

// compared sets two totals per strategy one below the other: filled, then hollow.
func (d data) compared(title, label, experiment, first, second string) *panel {
	p := &panel{title: title, x: axis{label: label}}
	a, b := d.groups(experiment, first), d.groups(experiment, second)
	var shown []string
	for _, strategy := range d.palette.order {
		if _, ok := of(a, strategy).total(); ok {
			shown = append(shown, strategy)
		}
	}
	for i, strategy := range shown {
		look := d.palette.looks[strategy]
		place := float64(len(shown) - 1 - i)
		p.y.names = append(p.y.names, look.name)
		top, _ := of(a, strategy).total()
		filled, hollow := look, look
		filled.mark.hollow, hollow.mark.hollow = false, true
		p.add(series{look: filled, bars: []point{{place + 0.2, top.y, top.y, top.y}}, sideways: true, unnamed: true})
		if under, ok := of(b, strategy).total(); ok {
			p.add(series{look: hollow, bars: []point{{place - 0.2, under.y, under.y, under.y}}, sideways: true, unnamed: true})
		}
	}
	return p
}
