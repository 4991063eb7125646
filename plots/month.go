package plots

import (
	"math"

	"gonum.org/v1/plot/vg"

	"dejavu/results"
)

// monthLooks are the ways to remember a month that are no strategies, by their
// names in the results.
var monthLooks = map[string]look{
	"one filter, rebuilt nightly":       {"One filter, rebuilt nightly", blue, []vg.Length{6, 2}, mark{sides: 3, turn: math.Pi / 2}},
	"one filter, as long as the layers": {"One filter, as long as the layers", grey, []vg.Length{2, 2}, mark{hollow: true}},
	"one filter, never rebuilt":         {"One filter, never rebuilt", vermillion, nil, mark{sides: 4, turn: math.Pi / 4}},
	"one filter, as many hashes":        {"One filter, as many hashes", skyBlue, nil, mark{sides: 3, turn: -math.Pi / 2}},
}

// monthLook is how a way is drawn. The names of most are not in the
// palette: no other figure knows them.
func (d data) monthLook(name string) look {
	if l, ok := monthLooks[name]; ok {
		return l
	}
	if l, ok := d.palette.looks[name]; ok {
		return l
	}
	return look{name: name, color: grey}
}

// month shows two months of reading that is forgotten day by day: how often each way
// errs, what it still knows of older days, and what a request and a day's end cost.
func month(d data) (sheet, string) {
	errs := &panel{
		title:  "(a) Fresh articles taken for seen",
		x:      axis{label: "days gone by", labels: 5},
		y:      axis{label: "false-positive rate", scale: logarithm, min: 1e-5, max: 1, format: power},
		guides: []guide{{at: 30, label: "a month", vertical: true}},
	}
	old := &panel{
		title: "(b) Articles older than a month",
		x:     axis{label: "days gone by", min: 30, max: 62, labels: 5},
		y:     axis{label: "recognised all the same", min: 0, max: 1.02, format: percent},
	}
	dense := d.inOrderOfAppearance(results.Month, results.QFPRExact)
	for _, g := range d.inOrderOfAppearance(results.Month, results.QFPR) {
		line := of(dense, g.strategy).theory()
		if len(line) == 0 {
			line = g.theory()
		}
		errs.add(series{look: d.monthLook(g.strategy), line: line, points: g.points()})
	}
	for _, g := range d.inOrderOfAppearance(results.Month, results.QExpired) {
		old.add(series{look: d.monthLook(g.strategy), points: g.points(), join: true})
	}
	if len(errs.series) == 0 {
		return sheet{}, missing(results.Month, results.QFPR)
	}
	grid := [][]*panel{{errs, old}}
	query := d.monthBars("(c) A candidate, 4000 at once", results.QQueryNanos, 4000)
	end := d.monthBars("(d) The end of a day", results.QDayEnd, 1)
	if query != nil && end != nil {
		grid = append(grid, []*panel{query, end})
	}
	return sheet{
		grid:   grid,
		height: 170,
		note: "When the month is full, the lanes, the filter rebuilt nightly and the one never rebuilt take the same bytes, the three layers and the filter as long as they are less, " +
			"and layers that move more. Marks: measured, with 95 % intervals in (a). Lines in (a): theory, day by day. In (b) all ways that never forget lie on 100 %. " +
			"Days have 120 to 210 articles; lanes and layers are sized for 150 a day.",
	}, ""
}

// monthBars are the times at an x, a bar for each way. It is nil where there are none.
func (d data) monthBars(title, quantity string, x float64) *panel {
	p := &panel{title: title, x: axis{format: duration, labels: 4}}
	var found []point
	var looks []look
	for _, g := range d.inOrderOfAppearance(results.Month, quantity) {
		for _, q := range g.points() {
			if q.x == x {
				found, looks = append(found, q), append(looks, d.monthLook(g.strategy))
			}
		}
	}
	for i, q := range found {
		q.x = float64(len(found) - 1 - i)
		l := looks[i]
		p.y.names = append(p.y.names, l.name)
		p.add(series{look: l, bars: []point{{q.x, q.y, q.y, q.y}}, sideways: true, unnamed: true})
	}
	if len(found) == 0 {
		return nil
	}
	return p
}
