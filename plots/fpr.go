package plots

import "dejavu/results"

// The rates that the paper aims at, drawn across the panels of rates.
var paperRates = []guide{
	{at: 0.0156, label: "paper: f = 1.56 %"},
	{at: 0.02, label: "target: ε = 2 %"},
}

const articlesShown = "articles shown"

// curves returns, per strategy, the measured points of a quantity and the densest
// analytic curve there is: rows of dense, or else the theory beside the points.
func (d data) curves(experiment, quantity, dense string) []series {
	var out []series
	lines := d.groups(experiment, dense)
	measured := d.groups(experiment, quantity)
	for _, strategy := range d.palette.order {
		g := of(measured, strategy)
		line := of(lines, strategy).theory()
		if len(line) == 0 {
			line = g.theory()
		}
		out = append(out, series{look: d.palette.looks[strategy], line: line, points: g.points()})
	}
	return out
}

// fpr shows how the rate of false positives grows: in decades, and near zero.
func fpr(d data) (sheet, string) {
	decades := &panel{
		title:  "(a) From resolution to certainty",
		x:      axis{label: articlesShown},
		y:      axis{label: "false-positive rate", scale: logarithm, min: 1e-6, max: 1, format: power},
		guides: paperRates,
	}
	zoom := &panel{
		title:  "(b) The first thousand articles",
		x:      axis{label: articlesShown, min: 0, max: 1000},
		y:      axis{label: "false-positive rate", min: 0, max: 0.22, format: percent},
		guides: paperRates,
	}
	for i, s := range d.curves(results.FPR, results.QFPR, results.QFPRExact) {
		zoom.add(s)
		s.points = inTurn(s.points, i)
		decades.add(s)
	}
	if len(decades.series) == 0 {
		return sheet{}, missing(results.FPR, results.QFPR)
	}
	return sheet{
		grid:   [][]*panel{{decades}, {zoom}},
		height: 235,
		note: "Marks: measured (in (a) at every third place, the strategies in turn), with 95 % intervals where they are larger than the mark. Lines: the exact formula. " +
			"At ≈ 0: no fresh article was ever taken for a seen one, and the formula lies below the axis.",
	}, ""
}

// fprLive compares the order of theory, where every article shown was recorded,
// with the order of a live system, which records only what it let through.
func fprLive(d data) (sheet, string) {
	live := d.groups(results.FPR, results.QFPRDropAndRecord)
	all := d.groups(results.FPR, results.QFPR)
	exact := d.groups(results.FPR, results.QFPRExact)
	var panels []*panel
	for _, g := range live {
		points := g.points()
		if !anyPositive(points) {
			continue // the queue: nothing is ever dropped, so the orders are one
		}
		look := d.palette.looks[g.strategy]
		p := &panel{
			title: look.name,
			x:     axis{label: articlesShown},
			y:     axis{label: "false-positive rate", format: percent},
		}
		curve := of(exact, g.strategy).theory()
		if len(curve) == 0 {
			curve = of(all, g.strategy).theory()
		}
		look.name, look.dash = "all recorded", nil
		dropped := look
		dropped.color, dropped.name = black, "only what was let through is recorded"
		dropped.mark = mark{hollow: true}
		p.add(series{look: look, line: curve, points: of(all, g.strategy).points(), unnamed: true})
		p.add(series{look: dropped, points: points, unnamed: true})
		panels = append(panels, p)
	}
	if len(panels) == 0 {
		return sheet{}, missing(results.FPR, results.QFPRDropAndRecord)
	}
	return sheet{
		grid:   pairs(panels),
		height: 170,
		note: "Filled marks: measured where all articles shown are recorded, as the exact formula (line) assumes. " +
			"Rings: measured where, as in a live system, a false positive is dropped and never recorded. Whiskers: 95 %.",
	}, ""
}

// inTurn keeps every third point of many, starting elsewhere for every strategy, so
// that marks do not hide those of a strategy with the same rate.
func inTurn(points []point, turn int) []point {
	if len(points) < 24 {
		return points
	}
	var out []point
	for i, p := range points {
		if i%3 == turn%3 {
			out = append(out, p)
		}
	}
	return out
}

func anyPositive(points []point) bool {
	for _, p := range points {
		if p.y > 0 {
			return true
		}
	}
	return false
}

// pairs sets panels two to a row.
func pairs(panels []*panel) [][]*panel {
	var grid [][]*panel
	for i := 0; i < len(panels); i += 2 {
		row := []*panel{panels[i], nil}
		if i+1 < len(panels) {
			row[1] = panels[i+1]
		}
		grid = append(grid, row)
	}
	return grid
}

// fill shows the share of ones in the array that answers.
func fill(d data) (sheet, string) {
	p := &panel{
		x:      axis{label: articlesShown},
		y:      axis{label: "ones in the array that answers", min: 0, max: 1.02, format: percent},
		guides: []guide{{at: 0.5, label: "half full"}},
	}
	for _, s := range d.curves(results.Fill, results.QFill, "") {
		p.add(s)
	}
	if len(p.series) == 0 {
		return sheet{}, missing(results.Fill, results.QFill)
	}
	var stated series
	for _, g := range d.groups(results.Fill, results.QFill) {
		stated.points = append(stated.points, g.paper()...)
	}
	stated.look = paperLook
	p.add(stated)
	return sheet{
		grid:   [][]*panel{{p}},
		height: 240,
		note:   "Marks: measured. Lines: theory.",
	}, ""
}

// window shows what is still recognised, by age.
func window(d data) (sheet, string) {
	p := &panel{
		x: axis{label: "age: shown so many articles ago"},
		y: axis{label: "chance of being recognised", min: 0, max: 1.02, format: percent},
	}
	for _, s := range d.curves(results.Window, results.QRetention, "") {
		p.add(s)
	}
	if len(p.series) == 0 {
		return sheet{}, missing(results.Window, results.QRetention)
	}
	return sheet{
		grid:   [][]*panel{{p}},
		height: 250,
		note:   "Marks: measured, with 95 % intervals. Lines: theory. Beyond its window a filter still says yes now and then: those are false positives.",
	}, ""
}
