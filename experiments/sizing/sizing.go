// Package sizing is what the paper's equations, the lecture's and the exact optimum make of a false positive
// rate that is wanted, and what rate each really reaches. It is theory alone.
package sizing

import (
	_ "embed"

	"dejavu/bloom"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Experiment is sizing.
var Experiment = experiment.Experiment{
	Name:       results.Sizing,
	About:      "bits, hashes and bytes by false positive rate: the paper's equations, Wang's lecture's, the optimum",
	Dimensions: []results.Dimension{by.Target},
	Rows:       rows, Figures: shown.Figures, Tables: shown.Tables,
}

// articles is the n of the table.
const articles = 500

// rules are the ways to size a filter.
var rules = []struct {
	name string
	size func(n int, fpr float64) (bloom.Geometry, error)
}{{"paper", bloom.PaperGeometry}, {"lecture", bloom.LectureGeometry}, {"exact", bloom.BestGeometry}}

func rows(*engine.Run) (rows, timing []results.Row, err error) {
	for _, method := range rules {
		for _, epsilon := range []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1} {
			g, err := method.size(articles, epsilon)
			if err != nil {
				return nil, nil, err
			}
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
				r := row.Theory(results.Sizing, method.name, v.quantity, v.unit, v.value).With(by.Target.At(epsilon))
				if v.paper > 0 && method.name == "paper" && epsilon == 0.02 {
					r = r.Stating(v.paper)
				}
				rows = append(rows, r)
			}
		}
	}
	return rows, nil, nil
}

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"sizing": nearTarget},
})

// nearTarget shows deviations of a percent or two: from zero they would all be one line.
func nearTarget(_ plots.Data, s *plots.Sheet) {
	low, high := 1.0, 1.0
	miss := s.Panels[0]
	for _, series := range miss.Series {
		for _, p := range series.Points {
			low, high = min(low, p.Y), max(high, p.Y)
		}
	}
	room := 0.1*(high-low) + 0.002
	miss.Y.Min, miss.Y.Max = low-room, high+room
}
