// Package fill is the share of set bits in the array that answers, by articles shown.
package fill

import (
	_ "embed"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
)

// Experiment is fill.
var Experiment = experiment.Experiment{
	Name: results.Fill, About: "share of set bits in the array that answers, by articles shown",
	Dimensions: []results.Dimension{by.Articles},
	Needs:      shared.FullTasks, Rows: shared.ByEntry(engine.Scope.Full, shared.Full, ofEntry),
	Figures: shown.Figures, Tables: shown.Tables,
}

func ofEntry(r *engine.Run, e catalogue.Entry, full shared.FullResult) (rows, timing []results.Row, err error) {
	reporter, ok := r.Subject(e).Strategy.(measure.FillReporter)
	if !ok {
		return nil, nil, nil
	}
	for _, p := range full.Counts.Points {
		if p.Users == 0 {
			continue
		}
		r := row.Number(results.Fill, e.Name, results.QFill, results.Ratio, row.Mean(p.Ones, p.Of)).
			With(by.Articles.At(float64(p.Shown))).Among(p.Users).Expect(reporter.FillTheory(p.Shown))
		if e.Name == "single" && p.Shown == 500 {
			r = r.Stating(1) // §5: "nearly all ones"
		}
		rows = append(rows, r)
	}
	return rows, nil, nil
}

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{})
