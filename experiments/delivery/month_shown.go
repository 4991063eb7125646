package delivery

import (
	"fmt"
	"slices"

	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

var byDay = results.Find(results.QFPR, by.Day.Open())

var monthFigures = []plots.Figure{{
	Name: "month", Experiment: results.Month, Query: byDay, Strategies: plots.None, Build: twoMonths,
	Title: "A month of articles: false positives, and what is recognised of older days",
	Caption: "Several thousand articles a month: false positives and what is still recognised of older days, for " +
		"lanes by the day and for one filter of the same bytes, rebuilt every night or never.",
	Looks: map[string]plots.Look{
		rebuilt: {
			Name: "One filter, rebuilt nightly", Color: plots.Vermillion, Dash: plots.Dash{6, 2}, Mark: plots.Square.Hollow(),
		},
		neverRebuilt: {Name: "One filter, never rebuilt", Color: plots.Vermillion, Mark: plots.Square},
	},
}}

// twoMonths is of four ways, by the names that figures have of strategies.
func twoMonths(d plots.Data) plots.Sheet {
	ways := []string{"layered", "daily", neverRebuilt, rebuilt}
	rates := &plots.Panel{
		Title: "(a) False positive rate", X: plots.Axis{Label: "days", Labels: 5},
		Y:      plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-5, Max: 1, Format: plots.Percent},
		Guides: []plots.Guide{{At: 30, Label: "a month", Vertical: true}},
	}
	for _, way := range ways {
		for _, s := range d.Series(byDay.Of(way), byDay.With(by.Formula.Is(results.ExactFormula)).Of(way)) {
			s = s.Change(plots.Alone)
			s.Points = plots.Where(s.Points, func(p plots.Point) bool { return int(p.X)%5 == 0 })
			rates.Add(s)
		}
	}
	recognised := &plots.Panel{Title: "(b) Recognised of older days", X: plots.Axis{
		Label: "articles older than a month recognised", Format: plots.Percent, Labels: 3, Told: true,
	}}
	last := results.Q("expired recognised at day=61")
	return plots.Sheet{
		Columns: 2, Height: 200,
		Panels: []*plots.Panel{rates, recognised.Bars(d.Ranked(last, ways...), d.Find(last), d.Look)},
		Note: "Lines in (a): theory, day by day; marks: measured. Daily lanes: an array a day, the oldest cleared " +
			"for the next. Layered: three filters, for a day, a week and all time, the last of which nothing " +
			"leaves. (b): on the last day; what lanes and the rebuilt filter still recognise are false positives. " +
			"Lanes and the filters take the same bytes after a full month. Days have 120 to 210 articles.",
	}
}

var monthTables = []text.Table{
	{
		Title: "Two months at 150 articles a day, forgotten after 30 days: false positive rate after this many " +
			"days [theory]",
		Lines: results.Q("month: fpr at day=61"),
		Columns: slices.Concat(
			[]text.Column{text.Strategy("strategy")},
			text.Each("fpr", by.Day, text.WithTheory, "1", "10", "20", "30", "31", "40", "50", "60", "61"),
			[]text.Column{
				text.Value("articles held", "articles at day=61", text.Format("%.0f")),
				text.Value("bytes at last", "bytes per user at day=61", text.Of),
				text.Value("older ones recognised", "expired recognised at day=61",
					func(r results.Row) string { return fmt.Sprintf("%.3g %%", 100*r.Value.Or(0)) }),
			},
		),
	},
	{
		Title: "What a month costs: a candidate of a request, and the end of a day (in brackets: the lanes' time " +
			"over it)",
		Lines: results.Q("month: ns per candidate at candidates=400"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Values("400 candidates", beneathLanes,
				"ns per candidate at candidates=400",
				"time ratio of beyond/daily at candidates=400, over=rebuilt nightly",
				"time ratio of beyond/daily at candidates=400, over=as many hashes"),
			text.Values("4000 candidates", beneathLanes,
				"ns per candidate at candidates=4000",
				"time ratio of beyond/daily at candidates=4000, over=rebuilt nightly",
				"time ratio of beyond/daily at candidates=4000, over=as many hashes"),
			text.Values("end of a day", dayEnd, "day end time", "time ratio at over=beyond/daily"),
		},
	},
}

// beneathLanes is a time and, in brackets, the lanes' over it, where that was measured in turns.
func beneathLanes(r ...results.Row) string {
	said := fmt.Sprintf("%.1f ns", r[0].Value.Or(0))
	for i, way := range []string{rebuilt, sameHashes} {
		if over := r[1+i]; r[0].Strategy == way && over.Value.IsSet() {
			said += " (" + text.Ratio(over) + ")"
		}
	}
	return said
}

func dayEnd(r ...results.Row) string {
	said := text.Of(r[0])
	if over := r[1]; over.Value.IsSet() {
		said += fmt.Sprintf(" (1/%.0f, 1/%.0f to 1/%.0f)", over.Value.Or(0), over.Low.Or(0), over.High.Or(0))
	}
	return said
}
