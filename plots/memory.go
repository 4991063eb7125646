package plots

import "dejavu/results"

// memory shows the bytes of one reader, and of all of them.
func memory(d data) (sheet, string) {
	each := &panel{
		title: "(a) One reader",
		x:     axis{label: articlesShown},
		y:     axis{label: "bytes per reader", format: size},
	}
	total := &panel{
		title: "(b) All readers",
		x:     axis{label: "readers, all of them full", scale: logarithm, format: power},
		y:     axis{label: "memory in total", scale: logarithm, format: size},
	}
	var statedEach, statedTotal, resident series
	for _, g := range d.groups(results.Memory, results.QBytesPerUser) {
		each.add(series{look: d.palette.looks[g.strategy], line: g.theory(), step: true, points: thin(g.points(), 12)})
		statedEach.points = append(statedEach.points, g.paper()...)
	}
	largest := 0.0
	lines := d.groups(results.Memory, results.QTotalTheory)
	payload := d.groups(results.Memory, results.QPayloadTotal)
	for _, strategy := range d.palette.order {
		g, curve := of(payload, strategy), of(lines, strategy)
		line := curve.theory()
		if len(line) == 0 {
			line = g.theory()
		}
		points := g.points()
		total.add(series{look: d.palette.looks[strategy], line: line, points: points})
		statedTotal.points = append(append(statedTotal.points, g.paper()...), curve.paper()...)
		for _, p := range points {
			largest = max(largest, p.x)
		}
	}
	for _, g := range d.groups(results.Memory, results.QResidentTotal) {
		look := d.palette.looks[g.strategy]
		resident.look = look
		resident.look.mark = mark{sides: 4, turn: 0.7853981633974483, star: true}
		resident.points, resident.unnamed = g.points(), true
		total.add(resident)
		statedTotal.points = append(statedTotal.points, g.paper()...)
	}
	if largest > 0 {
		total.shade = &shade{from: largest, label: "computed, not run"}
	}
	statedEach.look, statedTotal.look = paperLook, paperLook
	statedEach.points, statedTotal.points = distinct(statedEach.points), distinct(statedTotal.points)
	s := sheet{
		height: 250,
		note: "Marks: measured payload. Lines: theory. Four-pointed stars, in the colour of the strategy: " +
			"resident memory of the process that holds them all.",
	}
	row := []*panel{}
	for _, p := range []struct {
		panel  *panel
		stated series
	}{{each, statedEach}, {total, statedTotal}} {
		if len(p.panel.series) > 0 {
			p.panel.add(p.stated)
			row = append(row, p.panel)
		}
	}
	if len(row) == 0 {
		return sheet{}, missing(results.Memory, results.QBytesPerUser)
	}
	s.grid = [][]*panel{row}
	return s, ""
}

// thin keeps about n of the points, first and last among them, so that marks on a
// staircase do not hide the stairs.
func thin(points []point, n int) []point {
	if len(points) <= n {
		return points
	}
	out := make([]point, 0, n)
	for i := range n {
		out = append(out, points[i*(len(points)-1)/(n-1)])
	}
	return out
}

// distinct drops repeated points: the paper says the same of several strategies.
func distinct(points []point) []point {
	seen := map[point]bool{}
	var out []point
	for _, p := range points {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}
