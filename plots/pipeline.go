package plots

import (
	"math"

	"gonum.org/v1/plot/vg"

	"dejavu/results"
)

// paceLooks are how paces of refreshes are drawn, by their seconds.
var paceLooks = []struct {
	every int
	look  look
}{
	{10, look{"Refresh every 10 s", purple, nil, mark{sides: 3, turn: math.Pi / 2}}},
	{20, look{"Every 20 s", orange, []vg.Length{6, 2}, mark{sides: 3, turn: -math.Pi / 2}}},
	{60, look{"Every minute", skyBlue, []vg.Length{4, 1.5, 1, 1.5}, mark{sides: 5, turn: math.Pi / 2}}},
	{300, look{"Every 5 min", blue, []vg.Length{2, 2}, mark{sides: 6}}},
}

// listLooks are those of results.EdgeLists but the first, which is none.
var listLooks = []look{
	{"List of the last 20", orange, []vg.Length{2, 2}, mark{sides: 3, turn: math.Pi / 2, hollow: true}},
	{"List of the last 100", purple, []vg.Length{4, 1.5, 1, 1.5}, mark{sides: 6, hollow: true}},
	{"List of 2 min", green, []vg.Length{6, 2}, mark{sides: 4, turn: math.Pi / 2, hollow: true}},
	{"List of 1 h", blue, nil, mark{sides: 5, turn: math.Pi / 2, hollow: true}},
}

// perThousand are points in a thousandth of their unit.
func perThousand(points []point) (out []point) {
	for _, p := range points {
		out = append(out, point{p.x, 1000 * p.y, 1000 * p.low, 1000 * p.high})
	}
	return out
}

// delayAxis has the delays of a record, none of them at "≈ 0".
func delayAxis() axis {
	return axis{label: "seconds until the history knows", scale: logarithm, min: 1, max: 700, format: number}
}

// pipeline shows what readers see again because the history learns of it late: by
// the delay, the pace of refreshes and the memory; over an outage; and what a list
// at the edge mends and takes.
func pipeline(d data) (sheet, string) {
	const perMille = "repeats per 1000 shown"
	paces := &panel{title: "(a) By how often readers refresh", x: delayAxis(), y: axis{label: perMille}}
	ahead := &panel{title: "(b) The next refresh comes first", x: delayAxis(), y: axis{label: "share of refreshes", min: 0, max: 1.03, format: percent}}
	memories := &panel{title: "(c) By memory", x: delayAxis(), y: axis{label: perMille, scale: logarithm, min: 1e-3, max: 300, labels: 4, format: power}}
	lists := &panel{title: "(d) With a list at the edge", x: delayAxis(), y: axis{label: perMille}}
	outage := &panel{
		title: "(e) The stream stands still for half an hour",
		x:     axis{label: "minutes since it stopped", min: -30, max: 120}, y: axis{label: perMille},
		guides: []guide{{at: 0, label: "stops", vertical: true}, {at: 30, label: "returns", vertical: true}, {at: 60, label: "caught up", vertical: true}},
	}
	bytes := &panel{title: "(f) What a list takes of a reader", x: axis{label: "bytes", scale: logarithm, format: number}}

	single := func(quantity string) group { return of(d.inOrderOfAppearance(results.Pipeline, quantity), "single") }
	plain := d.palette.looks["single"]
	free := look{"Delay exponential", grey, []vg.Length{3, 2}, mark{hollow: true}}
	paces.add(series{look: plain, points: perThousand(single(results.QAgain).points()), join: true})
	for _, p := range paceLooks {
		paces.add(series{look: p.look, points: perThousand(single(results.QAgain + results.Every(p.every)).points()), join: true})
	}
	paces.add(series{look: free, points: perThousand(single(results.QAgain + results.Exponentially).points()), join: true})
	ahead.add(series{look: plain, points: single(results.QOvertaken).points(), line: single(results.QOvertaken + results.Densely).theory()})
	ahead.add(series{
		look: free, points: single(results.QOvertaken + results.Exponentially).points(),
		line: single(results.QOvertaken + results.Exponentially + results.Densely).theory(),
	})
	for _, g := range d.groups(results.Pipeline, results.QAgain) {
		memories.add(series{look: d.palette.looks[g.strategy], points: perThousand(g.points()), join: true})
	}
	for i, list := range results.EdgeLists {
		l := plain
		if i > 0 {
			l = listLooks[i-1]
			d.listBytes(bytes, l, list, len(listLooks)-i)
		}
		lists.add(series{look: l, points: perThousand(single(results.QAgain + list).points()), join: true})
		outage.add(series{look: l, line: perThousand(single(results.QAgainByMinute + results.CaughtUpAt(2) + list).points())})
	}
	soon := look{"Caught up at ten times the speed", black, []vg.Length{4, 2}, mark{}}
	outage.add(series{look: soon, line: perThousand(single(results.QAgainByMinute + results.CaughtUpAt(10)).points())})

	var panels []*panel
	for _, p := range []*panel{paces, ahead, memories, lists, outage, bytes} {
		if len(p.series) > 0 {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return sheet{}, missing(results.Pipeline, results.QAgain)
	}
	return sheet{
		grid:   pairs(panels),
		height: 150,
		note: "Where nothing else is said: the lecture's one filter, which never forgets, at readers' own pauses (10 s and an exponential of mean 60 s), without a list. Marks: measured, with 95 % intervals; lines in (b): theory. " +
			"Queue and chain forget, too. In (e): five minutes at a time, 5 s late otherwise; the backlog is read at twice the speed and caught up with as marked. " +
			"In (f), filled: on average over all readers and two days; hollow: the longest.",
	}, ""
}

// listBytes adds a list's bytes at a delay of a minute: the mean and the longest.
func (d data) listBytes(p *panel, l look, list string, place int) {
	for _, quantity := range []string{results.QListMean, results.QListLongest} {
		l.mark.hollow = quantity == results.QListLongest
		for _, q := range of(d.inOrderOfAppearance(results.Pipeline, quantity+list), "single").points() {
			if q.x == 60 && q.y > 0 {
				p.add(series{look: l, points: []point{{float64(place), q.y, q.y, q.y}}, sideways: true, unnamed: true})
			}
		}
	}
	p.y.names = append(p.y.names, l.name)
}
