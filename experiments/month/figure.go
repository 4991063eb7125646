package month

import (
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Figures are two months of reading that is forgotten day by day.
var Figures = []plots.Figure{{
	Name:  "month",
	Title: "Only what is cleared or rebuilt forgets a month; what is never rebuilt fills up",
	Caption: "Several thousand articles a month: false positives and what is still recognised of older days, for lanes by the day and for one filter of the same bytes, rebuilt every night or never; " +
		"the time of a candidate and of the end of a day.",
	Experiment: results.Month, Query: byDay, Strategies: plots.None, Build: month,
}}

// looks are the ways to remember a month that are no strategies, by their names in
// the results.
var looks = map[string]plots.Look{
	"one filter, rebuilt nightly":       {Name: "One filter, rebuilt nightly", Color: plots.Blue, Dash: plots.Dash{6, 2}, Mark: plots.Up},
	"one filter, as long as the layers": {Name: "One filter, as long as the layers", Color: plots.Grey, Dash: plots.Dash{2, 2}, Mark: plots.Ring},
	"one filter, never rebuilt":         {Name: "One filter, never rebuilt", Color: plots.Vermillion, Mark: plots.Square},
	"one filter, as many hashes":        {Name: "One filter, as many hashes", Color: plots.SkyBlue, Mark: plots.Down},
}

// lookOf is how a way is drawn, a strategy as in every figure.
func lookOf(d plots.Data, name string) plots.Look {
	if l, ok := looks[name]; ok {
		return l
	}
	return d.Look(name)
}

var byDay = results.Find(results.QFPR, by.Day.Open())

func month(d plots.Data) plots.Sheet {
	rate := &plots.Panel{
		Title:  "(a) False positives stay bounded only where old days go",
		X:      plots.Axis{Label: "days", Labels: 5},
		Y:      plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-5, Max: 1, Format: plots.Percent},
		Guides: []plots.Guide{{At: 30, Label: "a month", Vertical: true}},
	}
	dense := d.Find(byDay.With(by.Formula.Is(results.ExactFormula)))
	for _, g := range d.Find(byDay) {
		rate.Add(plots.Series{Look: lookOf(d, g.Strategy), Line: dense.Of(g.Strategy).Theory(), Points: g.Points()})
	}
	return plots.Sheet{
		Grid: plots.Grid(2, rate, bars(d, "(b) Lanes and rebuilding forget", "still recognised after a month", results.Find(results.QExpired, by.Day.At(End)), plots.Percent),
			bars(d, "(c) Lanes cost little more to query", "time of a candidate, 4000 per request", results.Find(results.QQueryNanos, by.Candidates.At(4000)), plots.Duration), bars(d, "(d) Lanes end a day at once", "time of the end of a day", results.Find(results.QDayEnd), plots.Duration)),
		Height: 170,
		Note: "After a full month the lanes, the filter rebuilt nightly and the one never rebuilt take the same bytes; the three layers and the filter as long as they take fewer, " +
			"layers that move take more. Marks: measured, with 95 % intervals in (a). Lines in (a): theory, day by day. (b): articles shown more than a month ago, on the last day. " +
			"Days have 120 to 210 articles; lanes and layers are sized for 150 a day.",
	}
}

// bars are the values that a query means, a bar for each way.
func bars(d plots.Data, title, label string, q results.Query, format func(float64) string) *plots.Panel {
	p := &plots.Panel{Title: title, X: plots.Axis{Label: label, Format: format, Labels: 4}}
	var values []float64
	var ways []plots.Look
	for _, g := range d.Find(q) {
		if value, ok := g.Total(); ok {
			values, ways = append(values, value.Y), append(ways, lookOf(d, g.Strategy))
			p.Y.Names = append(p.Y.Names, ways[len(ways)-1].Name)
		}
	}
	for i, l := range ways {
		p.Bar(l, p.Place(i), values[i])
	}
	return p
}
