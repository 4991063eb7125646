package paper

import (
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Fill measures the share of set bits in the array that answers, by articles shown.
var Fill = experiment.Experiment{
	Name: results.Fill, About: "share of set bits in the array that answers, by articles shown",
	Dimensions: []results.Dimension{by.Articles},
	Needs:      fullTasks, Rows: fillRows, Figures: fillFigures, Tables: fillTables,
}

func fillRows(r *engine.Run) (rows, timing []results.Row) {
	for _, e := range r.Full() {
		reporter, ok := r.Subject(e).Strategy.(measure.FillReporter)
		for i, p := range full(e).Of(r).Counts.Points {
			if !ok || p.Users == 0 {
				continue
			}
			shown := measure.Grid[i]
			share := row.Number(e.Name, results.QFill, results.Ratio, row.Mean(p.Ones, p.Of)).
				With(by.Articles.At(float64(shown))).Among(p.Users).Expect(reporter.FillTheory(shown))
			if e.Name == "single" && shown == 500 {
				share = share.Stating(1) // §5: "nearly all ones"
			}
			rows = append(rows, share)
		}
	}
	return rows, nil
}

var fillByArticles = results.Find(results.QFill, by.Articles.Open())

var fillFigures = []plots.Figure{{
	Name: "fill", Experiment: results.Fill, Query: fillByArticles,
	Title:   "Share of bits that are set, by articles shown",
	Caption: "The share of set bits in the array that answers, by articles shown.",
	Build: func(d plots.Data) plots.Sheet {
		p := &plots.Panel{ // up to two cycles of the slowest strategy
			Title:  "The single filter, the array of the dual filter that is queried, all links of the chain",
			X:      plots.Axis{Label: "articles shown", Max: 1010},
			Y:      plots.Axis{Label: "set bits", Max: 1.02, Format: plots.Percent},
			Guides: []plots.Guide{{At: 0.5, Label: "half full"}, {At: 500, Label: "paper: full at 500", Vertical: true}},
			Direct: true,
		}
		for _, s := range plots.Unvaried(d.Series(fillByArticles, fillByArticles)) {
			s = s.Change(func(points []plots.Point) []plots.Point {
				return plots.Where(points, func(q plots.Point) bool { return q.X <= 1000 && int(q.X)%50 == 0 })
			})
			s.Rising = true
			p.Add(s)
		}
		for _, g := range d.Find(fillByArticles) {
			p.Add(plots.Series{Look: plots.PaperLook, Points: g.Stated(), Unnamed: true})
		}
		return plots.Sheet{
			Columns: 1, Height: 215, Panels: []*plots.Panel{p},
			Note: "Marks: measured, every 50 articles. Lines: theory at the same points, with a gap where an array " +
				"is cleared.",
		}
	},
}}

var fillTables = []text.Table{
	{
		Title: "Set bits of the array that answers, by articles shown [theory]",
		Lines: results.Q("fill: fill at articles=100"),
		Columns: append([]text.Column{text.Strategy("strategy")},
			text.Each("fill", by.Articles, text.WithTheory, "100", "300", "500", "501", "1000", "2000")...),
	},
}
