package paper

import (
	"fmt"

	"dejavu/bloom"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Sizing compares the sizes that the paper's equations, the lecture's and the exact optimum give for a wanted false
// positive rate, and the rate that each really reaches. It is theory alone.
var Sizing = experiment.Experiment{
	Name:       results.Sizing,
	About:      "bits, hashes and bytes by false positive rate: the paper's equations, Wang's lecture's, the optimum",
	Dimensions: []results.Dimension{by.Target},
	Rows:       sizingRows, Figures: sizingFigures, Tables: sizingTables,
}

// articles is the n of the table.
const articles = 500

// rules are the ways to size a filter.
var rules = []struct {
	name string
	size func(n int, fpr float64) (bloom.Geometry, error)
}{{"paper", bloom.PaperGeometry}, {"lecture", bloom.LectureGeometry}, {"exact", bloom.BestGeometry}}

func sizingRows(*engine.Run) (rows, timing []results.Row) {
	for _, method := range rules {
		for _, epsilon := range []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1} {
			g := catalogue.Must(method.size(articles, epsilon))
			reached := bloom.Exact(articles, g)
			for _, v := range []struct {
				quantity, unit string
				value, paper   float64 // as the paper states it of its own filter, which is for 2 % (§4, §5)
			}{
				{results.QBits, results.Bits, float64(g.Bits), 4064},
				{results.QHashes, "", float64(g.Hashes), 6},
				{results.QBytes, results.Bytes, float64((g.Bits + 7) / 8), 500},
				{results.QFPR, results.Ratio, reached, 0.0156},
				{results.QMiss, results.Ratio, reached / epsilon, 0},
			} {
				r := row.Theory(method.name, v.quantity, v.unit, v.value).With(by.Target.At(epsilon))
				if v.paper > 0 && method.name == "paper" && epsilon == 0.02 {
					r = r.Stating(v.paper)
				}
				rows = append(rows, r)
			}
		}
	}
	return rows, nil
}

var missed = results.Find(results.QMiss, by.Target.Open())

var sizingFigures = []plots.Figure{{
	Name: "sizing", Experiment: results.Sizing, Query: missed, Strategies: plots.None, Build: misses,
	Title:   "Three rules for sizing a filter: its rate, as a share of the target",
	Caption: "How far filters of 500 articles miss their target rate, sized by three rules.",
	Looks: map[string]plots.Look{
		"paper":   {Name: "The paper's equations", Color: plots.Slate, Mark: plots.Square},
		"lecture": {Name: "Wang's rule", Color: plots.Slate, Dash: plots.Dash{6, 2}, Mark: plots.Up},
		"exact":   {Name: "Smallest that meets it", Color: plots.Grey, Dash: plots.Dash{2, 2}, Mark: plots.Ring},
	},
}}

// misses shows deviations of a percent or two: from zero they would all be one line.
func misses(d plots.Data) plots.Sheet {
	p := &plots.Panel{
		X:      plots.Axis{Label: "target of the false positive rate", Scale: plots.Log, Format: plots.Percent},
		Y:      plots.Axis{Label: "actual rate, as a share of its target", Format: plots.Percent},
		Direct: true,
	}
	low, high := 1.0, 1.0
	for _, g := range d.Find(missed) {
		s := plots.Series{Look: d.Look(g.Strategy), Points: g.Theory(), Join: true}
		for _, p := range s.Points {
			low, high = min(low, p.Y), max(high, p.Y)
		}
		p.Add(s)
	}
	room := 0.1*(high-low) + 0.002
	p.Y.Min, p.Y.Max = low-room, high+room
	return plots.Sheet{
		Columns: 1, Height: 200, Panels: []*plots.Panel{p},
		Note: "A filter of 500 articles, its rate by the exact formula. The table lists the bits of each.",
	}
}

var sizingTables = []text.Table{{
	Title: "Bits for 500 articles by target rate [rate reached]",
	Lines: results.Q("sizing: bits at target=0.02"),
	Columns: text.ByStrategy(by.Target, []string{"0.001", "0.005", "0.01", "0.02", "0.05", "0.1"},
		func(r ...results.Row) string {
			return fmt.Sprintf("%.0f [%s]", r[0].Theory.Or(0), text.Percent(r[1].Theory.Or(0)))
		}, "bits", "fpr"),
}}
