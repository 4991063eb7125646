package plots

import "dejavu/results"

// An excess within this share of the exact rate is worth a mark, and so is a
// measurement that knows it that well.
const (
	excessShown = 0.05
	excessKnown = 0.025 // half width of the interval
)

// formulas holds the textbook formula and the measurements against the exact
// formula, as a share of it, one panel for each strategy that has both.
func formulas(d data) (sheet, string) {
	exact := d.groups(results.FPR, results.QFPRExact)
	measured := d.groups(results.FPR, results.QFPR)
	var panels []*panel
	for _, g := range d.groups(results.FPR, results.QFPRClassical) {
		yardstick := of(exact, g.strategy).theory()
		classical := over(g.theory(), yardstick)
		points := over(of(measured, g.strategy).points(), yardstick)
		points = known(points)
		if len(classical) == 0 || len(points) < 3 {
			continue // too little is known so exactly
		}
		look := d.palette.looks[g.strategy]
		p := &panel{
			title:  look.name,
			x:      axis{label: articlesShown, min: 0, max: 2000},
			y:      axis{label: "over the exact rate, less one", min: -excessShown / 2, max: excessShown / 2, format: percent},
			guides: []guide{{at: 0}},
		}
		marks, line := look, look
		line.color = black
		p.add(series{look: line, line: clipped(classical), unnamed: true})
		p.add(series{look: marks, points: points, unnamed: true})
		panels = append(panels, p)
	}
	if len(panels) == 0 {
		return sheet{}, missing(results.FPR, results.QFPRClassical)
	}
	return sheet{
		grid:   pairs(panels),
		height: 150,
		note: "Zero: the exact formula. Black lines: the textbook's (1 − e^(−kn/m))^k, which is low for filters this small, most where few articles are in. " +
			"Marks: measured, with 95 % intervals, where those are narrower than ±2.5 %.",
	}, ""
}

// over is points as a share of the yardstick at the same x, less one.
func over(points, yardstick []point) []point {
	at := map[float64]float64{}
	for _, p := range yardstick {
		at[p.x] = p.y
	}
	var out []point
	for _, p := range points {
		if y := at[p.x]; y > 0 {
			out = append(out, point{p.x, p.y/y - 1, p.low/y - 1, p.high/y - 1})
		}
	}
	return out
}

// known keeps the points whose intervals say something.
func known(points []point) []point {
	var out []point
	for _, p := range points {
		if p.high-p.low > 0 && p.high-p.low < 2*excessKnown && p.low > -excessShown/2 && p.high < excessShown/2 {
			out = append(out, p)
		}
	}
	return out
}

// clipped keeps the part of a curve that lies on the axis.
func clipped(points []point) []point {
	var out []point
	for _, p := range points {
		if p.y > -excessShown/2 && p.y < excessShown/2 {
			out = append(out, p)
		}
	}
	return out
}
