package plots

import (
	"math"

	"gonum.org/v1/plot/vg"

	"dejavu/results"
)

// askedLook is how requests are drawn whose candidates travel: they take the same
// whatever the history is.
var askedLook = look{"Asked: the candidates travel", skyBlue, []vg.Length{4, 2}, mark{sides: 3, turn: -math.Pi / 2, hollow: true}}

// shipNetworks are the networks that have a panel: the narrow and near one, where
// bytes tell most, and the wide and far one, where they tell least.
var shipNetworks = []struct{ title, behind string }{
	{"(c) Modelled: 1 Gbit/s, 0.1 ms there and back", ", 1 Gbit/s and 0.1 ms"},
	{"(d) Modelled: 10 Gbit/s, 0.5 ms there and back", ", 10 Gbit/s and 0.5 ms"},
}

// ship shows what it takes to bring a reader's history and the candidates together,
// by which of the two travels.
func ship(d data) (sheet, string) {
	candidates := func() axis {
		return axis{label: "candidates of a request", scale: logarithm, min: 30, max: 5000, format: number}
	}
	bytes := d.ways("(a) Bytes of request and answer", candidates(),
		axis{label: "bytes", scale: logarithm, min: 100, max: 1e5, format: number}, results.QShippedBytes, results.QAskedBytes)
	if len(bytes.series) == 0 {
		return sheet{}, missing(results.Ship, results.QShippedBytes)
	}
	times := &panel{
		title:  "(b) Time over one machine's own network",
		x:      candidates(),
		y:      axis{label: "asked over shipped (more: ship)", format: multiple, min: 0},
		guides: []guide{{at: 1, label: "the same"}},
	}
	for _, g := range d.groups(results.Ship, results.QAskedOver) {
		times.add(series{look: d.shipLook(g.strategy), points: g.points(), join: true, unnamed: true})
		_, times.y.max = times.tops()
	}
	grid := [][]*panel{{bytes, nil}}
	if len(times.series) > 0 {
		grid[0][1] = times
	}
	var models []*panel
	for _, n := range shipNetworks {
		p := d.ways(n.title, candidates(), axis{label: "time", format: duration}, results.QShippedModel+n.behind, results.QAskedModel+n.behind)
		if len(p.series) > 0 {
			models = append(models, p)
		}
	}
	if len(models) == len(shipNetworks) {
		grid = append(grid, models)
	}
	return sheet{
		grid:   grid,
		height: 170,
		note: "Shipped: the history travels and is tested where the candidates are. Lines in (a): closed forms, and marks counted. " +
			"(b): between two processes, one request after the other; medians and intervals of the quotient within a turn. (c) and (d): arithmetic alone, a round trip and the bytes. " +
			"Histories hold 600 articles; the daily lanes a month of 4500. In (a), (c) and (d) the single filter and the chain lie on each other.",
	}, ""
}

// ways is a panel with a curve for each history that is shipped, and one for
// candidates.
func (d data) ways(title string, x, y axis, shipped, asked string) *panel {
	p := &panel{title: title, x: x, y: y}
	for _, g := range d.groups(results.Ship, shipped) {
		p.add(series{look: d.shipLook(g.strategy), line: g.theory(), points: g.points()})
	}
	for _, g := range d.groups(results.Ship, asked)[:min(1, len(d.groups(results.Ship, asked)))] {
		p.add(series{look: askedLook, line: g.theory(), points: g.points()})
	}
	return p
}

// shipLook is a strategy's look, but that the lanes, here beside the chain, are not
// as green.
func (d data) shipLook(strategy string) look {
	l := d.palette.looks[strategy]
	if strategy == "daily" {
		l.color = purple
	}
	return l
}

// tops is the range of what the intervals of the points reach, a twentieth above the
// highest.
func (p *panel) tops() (low, high float64) {
	for _, s := range p.series {
		for _, q := range s.points {
			low, high = min(low, q.low), max(high, q.high)
		}
	}
	return low, max(1.05*high, 1.2)
}
