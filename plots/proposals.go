package plots

import (
	"cmp"
	"slices"
	"strings"

	"dejavu/results"
)

// barColors tell bars apart that are no strategies, in their order.
var barColors = []look{{color: grey}, {color: blue}, {color: orange}, {color: green}, {color: purple}}

// proposals shows what became of what the sources advise beside a filter.
func proposals(d data) (sheet, string) {
	checkErrors := d.adviceBars("(a) Second check: errors", "second check: ", results.QFPR, axis{label: "false-positive rate", format: percent, labels: 4})
	checkOlder := d.adviceBars("(b) ... and older articles", "second check: ", results.QRecognised, axis{label: "recognised, of those no more listed", format: percent, labels: 4})
	growing := d.adviceBars("(c) Growing, at twice the articles", "growing: ", results.QFPRAt1000, axis{label: "false-positive rate", format: percent, labels: 4})
	stages := &panel{
		title:  "(d) Growing by stages",
		x:      axis{label: "articles read", scale: logarithm, format: number},
		y:      axis{label: "false-positive rate", min: 0, max: 0.055, format: percent},
		guides: []guide{{at: 0.02, label: "made for 2 %"}, {at: 0.05, label: "made for 5 %"}},
	}
	for _, g := range d.inOrderOfAppearance(results.Proposals, results.QFPR) {
		if points := g.points(); len(points) > 0 {
			l, ok := d.palette.looks[g.strategy]
			if !ok {
				l = look{color: blue, mark: mark{hollow: true}}
			}
			l.dash = nil
			stages.add(series{look: l, line: g.theory(), points: points, unnamed: true})
			stages.x.min, stages.x.max = stages.span()
		}
	}
	bytes := d.adviceBars("(e) Sizes by activity: bytes", "activity: ", results.QBytesPerUser, axis{label: "bytes of a reader, mean", format: number, labels: 4})
	errs := d.adviceBars("(f) ... and errors", "activity: ", results.QFPR, axis{label: "false-positive rate", format: percent, labels: 4})
	var grid [][]*panel
	for _, row := range [][]*panel{{checkErrors, checkOlder}, {growing, stages}, {bytes, errs}} {
		if row[0] != nil && row[1] != nil && len(row[0].series) > 0 && len(row[1].series) > 0 {
			grid = append(grid, row)
		}
	}
	if len(grid) == 0 {
		return sheet{}, missing(results.Proposals, results.QFPR)
	}
	return sheet{
		grid:   grid,
		height: 120,
		note: "Measured, with 95 % intervals. Second check: a list of the newest 100 of 500 articles beside the paper's filter; seen is what both have, or either, side by side or the list ahead of the filter. " +
			"Growing: from 4064 bits and 500 articles to 8128 and 1000. Lines in (d): theory; rings: from a filter for one article, twenty times. Sizes: four classes for two days of reading, each made for 2 %.",
	}, ""
}

// adviceBars is a bar for each way whose name begins so, in the order of the rows.
// It is nil where there are none.
func (d data) adviceBars(title, prefix, quantity string, x axis) *panel {
	p := &panel{title: title, x: x}
	var found []point
	for _, g := range d.inOrderOfAppearance(results.Proposals, quantity) {
		name, ok := strings.CutPrefix(g.strategy, prefix)
		total, known := g.total()
		if ok && known {
			p.y.names = append(p.y.names, name)
			found = append(found, total)
		}
	}
	if len(found) == 0 {
		return nil
	}
	largest := slices.MaxFunc(found, func(a, b point) int { return cmp.Compare(a.high, b.high) }).high
	p.x.max = 1.05 * largest
	for i, q := range found {
		q.x = float64(len(found) - 1 - i)
		l := barColors[i%len(barColors)]
		p.add(series{look: l, bars: []point{{q.x, q.y, q.y, q.y}}, sideways: true, unnamed: true})
		if q.low < q.high {
			l.color = black
			p.add(series{look: l, points: []point{q}, bare: true, sideways: true, unnamed: true})
		}
	}
	return p
}
