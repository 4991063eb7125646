package fill

import (
	"dejavu/plots"
	"dejavu/results"
)

// Figures are the fill by articles shown.
var Figures = []plots.Figure{{
	Name:       "fill",
	Title:      "Fill of the filter that answers",
	Caption:    "The share of set bits in the array that answers, by articles shown: 52 % for the paper's filter at 500 articles.",
	Experiment: results.Fill, Quantity: results.QFill, Build: fill,
}}

func fill(d plots.Data) plots.Sheet {
	p := &plots.Panel{
		X:      plots.Axis{Label: "articles shown"},
		Y:      plots.Axis{Label: "set bits in the array that answers", Min: 0, Max: 1.02, Format: plots.Percent},
		Guides: []plots.Guide{{At: 0.5, Label: "half full"}},
	}
	p.Add(d.Curves(results.QFill, "")...)
	p.Add(d.Stated(results.QFill))
	return plots.Sheet{Grid: plots.Grid(1, p), Height: 240, Note: "Marks: measured. Lines: theory."}
}
