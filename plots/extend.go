package plots

import (
	"slices"

	"dejavu/results"
)

// extend shows what a live change of the window from 500 to 1000 does.
func extend(d data) (sheet, string) {
	rate := &panel{
		title:  "(a) False positives around the change",
		x:      axis{label: "articles shown since the change"},
		y:      axis{label: "false-positive rate", scale: logarithm, min: 1e-6, max: 1, format: power},
		guides: []guide{{at: 0, label: "N becomes 1000", vertical: true}},
	}
	for _, s := range d.curves(results.Extend, results.QFPR, "") {
		// Where the histories begin anew the rate jumps: no line crosses the change.
		s.line = slices.DeleteFunc(s.line, func(p point) bool { return p.x < 0 })
		rate.add(s)
	}
	kept := d.bars("(b) Still remembered just after it", "articles", results.Extend, results.QArticlesKept)
	var row []*panel
	for _, p := range []*panel{rate, kept} {
		if len(p.series) > 0 {
			row = append(row, p)
		}
	}
	if len(row) == 0 {
		return sheet{}, missing(results.Extend, results.QFPR)
	}
	return sheet{
		grid:   [][]*panel{row},
		height: 230,
		note: "Marks: measured, with 95 % intervals. Lines: the exact formula. " +
			"At ≈ 0: no fresh article was ever taken for a seen one, and the formula lies below the axis.",
	}, ""
}

// bars sets one total per strategy below the other.
func (d data) bars(title, label, experiment, quantity string) *panel {
	p := &panel{title: title, x: axis{label: label}}
	groups := d.groups(experiment, quantity)
	var shown []group
	for _, g := range groups {
		if _, ok := g.total(); ok {
			shown = append(shown, g)
		}
	}
	for i, g := range shown {
		look := d.palette.looks[g.strategy]
		look.mark.hollow = false
		p.y.names = append(p.y.names, look.name)
		t, _ := g.total()
		p.add(series{look: look, bars: []point{{float64(len(shown) - 1 - i), t.y, t.y, t.y}}, sideways: true, unnamed: true})
	}
	return p
}
