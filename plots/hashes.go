package plots

import (
	"slices"
	"strconv"

	"gonum.org/v1/plot/vg"

	"dejavu/results"
)

// hashes shows, for each way to derive probes, by how much the measured rate
// exceeds the exact formula, in one panel for each number of bits.
func hashes(d data) (sheet, string) {
	groups := d.inOrderOfAppearance(results.Hashes, results.QExcess)
	if len(groups) == 0 {
		groups = excesses(d.inOrderOfAppearance(results.Hashes, results.QFPR))
	}
	var sizes []float64
	var schemes []group
	for _, g := range groups {
		points := g.points()
		if len(points) > 0 {
			schemes = append(schemes, g)
		}
		for _, p := range points {
			if !slices.Contains(sizes, p.x) {
				sizes = append(sizes, p.x)
			}
		}
	}
	if len(sizes) == 0 {
		return sheet{}, missing(results.Hashes, results.QExcess)
	}
	slices.Sort(sizes)
	sizes = sizes[:min(len(sizes), 3)] // more would be too narrow to read
	var names []string
	for _, g := range schemes {
		names = append(names, g.strategy)
	}
	var row []*panel
	for i, m := range sizes {
		p := &panel{
			title:  "(" + string(rune('a'+i)) + ") m = " + strconv.FormatFloat(m, 'f', -1, 64) + " bits",
			x:      axis{label: "measured over exact rate, less one", scale: signedLog, format: percent},
			y:      axis{names: names, blank: i > 0},
			guides: []guide{{at: 0, vertical: true, label: "exact (0 %)"}},
		}
		s := series{look: look{"scheme", blue, nil, mark{}}, sideways: true, unnamed: true}
		for k, g := range schemes {
			for _, q := range g.points() {
				if q.x == m {
					q.x = float64(len(schemes) - 1 - k)
					s.points = append(s.points, q)
				}
			}
		}
		p.add(s)
		row = append(row, p)
	}
	sameX(row)
	return sheet{
		grid:   [][]*panel{row},
		height: 55 + 19*vg.Length(len(schemes)),
		note: "Marks: measured excess over the exact false-positive rate, with 95 % intervals. " +
			"The axis is linear within ±0.1 % and logarithmic outside.",
	}, ""
}

// excesses computes the excess from measured rates and theory.
func excesses(groups []group) []group {
	for _, g := range groups {
		for i, r := range g.rows {
			theory := r.Theory.Or(0)
			if theory <= 0 || !r.Value.IsSet() {
				g.rows[i].Value = results.Number{}
				continue
			}
			over := func(n results.Number) results.Number {
				return results.Num(n.Or(r.Value.Or(0))/theory - 1)
			}
			g.rows[i].Value, g.rows[i].Low, g.rows[i].High = over(r.Value), over(r.Low), over(r.High)
		}
	}
	return groups
}

// sameX gives all panels of a row the range of x that fits them together.
func sameX(row []*panel) {
	for i, p := range row {
		probe := *p
		probe.fit()
		if i == 0 {
			row[0].x.min, row[0].x.max = probe.x.min, probe.x.max
		}
		row[0].x.min, row[0].x.max = min(row[0].x.min, probe.x.min), max(row[0].x.max, probe.x.max)
	}
	for _, p := range row {
		p.x.min, p.x.max = row[0].x.min, row[0].x.max
	}
}
