package plots

import (
	"math"

	"gonum.org/v1/plot/vg"

	"dejavu/results"
)

// methods are the ways to size a filter, by their names in the results.
var methods = map[string]look{
	"paper":   {"The paper's equations", vermillion, nil, mark{sides: 4, turn: math.Pi / 4}},
	"lecture": {"The lecture's rule", blue, []vg.Length{6, 2}, mark{sides: 3, turn: math.Pi / 2}},
	"exact":   {"The smallest that meets ε exactly", green, []vg.Length{2, 2}, mark{}},
}

// sizing shows what the methods spend, and whether they keep their promise.
func sizing(d data) (sheet, string) {
	target := axis{label: "false-positive rate wanted, ε", scale: logarithm, format: percent}
	bits := &panel{
		title: "(a) Bits for 500 articles",
		x:     target,
		y:     axis{label: "bits"},
	}
	miss := &panel{
		title:  "(b) Rate reached over rate wanted",
		x:      target,
		y:      axis{label: "reached / wanted", format: number},
		guides: []guide{{at: 1, label: "as wanted"}},
	}
	looks := newPalette(d.methodNames())
	look := func(method string) look {
		if l, ok := methods[method]; ok {
			return l
		}
		return looks.looks[method]
	}
	for _, g := range d.inOrderOfAppearance(results.Sizing, results.QBits) {
		bits.add(g.plain(look(g.strategy)))
	}
	factors := d.inOrderOfAppearance(results.Sizing, results.QMiss)
	if len(factors) == 0 {
		factors = missFactors(d.inOrderOfAppearance(results.Sizing, results.QFPRReached))
	}
	low, high := 1.0, 1.0
	for _, g := range factors {
		s := g.plain(look(g.strategy))
		miss.add(s)
		for _, p := range append(s.points, s.line...) {
			low, high = min(low, p.y), max(high, p.y)
		}
	}
	// Deviations of a percent or two: from zero they would all be one line.
	room := 0.1*(high-low) + 0.002
	miss.y.min, miss.y.max = low-room, high+room
	var row []*panel
	for _, p := range []*panel{bits, miss} {
		if len(p.series) > 0 {
			row = append(row, p)
		}
	}
	if len(row) == 0 {
		return sheet{}, missing(results.Sizing, results.QBits)
	}
	return sheet{
		grid:   [][]*panel{row},
		height: 230,
		note:   "Rates by the exact formula. Above 1 in (b), a filter has more false positives than were asked for; the steps come from rounding the number of probes.",
	}, ""
}

func (d data) methodNames() []string {
	var names []string
	for _, g := range d.inOrderOfAppearance(results.Sizing, results.QBits) {
		names = append(names, g.strategy)
	}
	return names
}

// plain is the series of values that are computed, not measured: marks on a line.
func (g group) plain(l look) series {
	points := g.points()
	if len(points) == 0 {
		points = g.theory()
	}
	if len(points) > 30 {
		return series{look: l, line: points} // too dense for marks
	}
	return series{look: l, points: points, join: true}
}

// missFactors divides the rates reached by those wanted.
func missFactors(groups []group) []group {
	for _, g := range groups {
		for i, r := range g.rows {
			x := r.X.Or(0)
			if v := r.Theory.Or(r.Value.Or(0)); x > 0 {
				g.rows[i].Value = results.Num(v / x)
			}
		}
	}
	return groups
}
