package sizing

import (
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are the bits that each method spends, and whether its rate is reached.
var Figures = []plots.Figure{{
	Name:       "sizing",
	Title:      "Wang's rule makes filters too small; the paper's equations nearly meet their target",
	Caption:    "Bits by the target rate, by three rules, and how far each misses its target.",
	Experiment: results.Sizing, Query: byTargetRate(results.QBits), Strategies: plots.None, Build: sizing,
}}

// methods are the ways to size a filter, by their names in the results.
var methods = map[string]plots.Look{
	"paper":   {Name: "The paper's equations", Color: plots.Vermillion, Mark: plots.Square},
	"lecture": {Name: "Wang's rule", Color: plots.Blue, Dash: plots.Dash{6, 2}, Mark: plots.Up},
	"exact":   {Name: "Smallest that meets ε exactly", Color: plots.Green, Dash: plots.Dash{2, 2}},
}

// byTargetRate is a quantity by the rate that is wanted.
func byTargetRate(quantity string) results.Query { return results.Find(quantity, by.Target.Open()) }

func sizing(d plots.Data) plots.Sheet {
	target := plots.Axis{Label: "target false positive rate, ε", Scale: plots.Log, Format: plots.Percent}
	bits := &plots.Panel{
		Title: "(a) Wang's rule spends fewer bits", X: target, Y: plots.Axis{Label: "bits for 500 articles"},
	}
	miss := &plots.Panel{
		Title:  "(b) and misses its target",
		X:      target,
		Y:      plots.Axis{Label: "actual rate / target rate", Format: plots.Number},
		Guides: []plots.Guide{{At: 1, Label: "on target"}},
	}
	for _, g := range d.Find(byTargetRate(results.QBits)) {
		bits.Add(curve(g))
	}
	low, high := 1.0, 1.0
	for _, g := range d.Find(byTargetRate(results.QMiss)) {
		s := curve(g)
		miss.Add(s)
		for _, p := range s.Points {
			low, high = min(low, p.Y), max(high, p.Y)
		}
	}
	// Deviations of a percent or two: from zero they would all be one line.
	room := 0.1*(high-low) + 0.002
	miss.Y.Min, miss.Y.Max = low-room, high+room
	return plots.Sheet{
		Grid:   plots.Grid(2, bits, miss),
		Height: 230,
		Note: "Rates by the exact formula. Above 1 in (b), a filter has more false positives than its target; " +
			"the steps come from rounding the number of probes.",
	}
}

// curve is the values of a method, computed and not measured.
func curve(g plots.Group) plots.Series {
	l, ok := methods[g.Strategy]
	if !ok {
		l = plots.Look{Name: g.Strategy, Color: plots.Grey}
	}
	return plots.Series{Look: l, Points: g.Theory(), Join: true}
}
