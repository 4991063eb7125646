package delivery

import (
	"fmt"
	"slices"

	"dejavu/experiments/engine"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

func monthRows(r *engine.Run) (rows, timing []results.Row) {
	population, all := months(r.Seed, 1), monthCounts.Of(r)
	expected := func(name string, day int, fpr float64) results.Row {
		return row.Theory(name, results.QFPR, results.Ratio, fpr).With(by.Day.At(float64(day)))
	}
	for i, w := range ways() {
		for day := 1; day <= end; day++ {
			r := expected(w.name, day, w.theory(population, day))
			rows = append(rows, r.With(by.Formula.Is(results.ExactFormula)))
		}
		for j, p := range all[i] {
			rows = append(rows, w.rows(p, grid[j], w.theory(population, grid[j]))...)
		}
	}
	rows = append(rows,
		expected(rebuilt+" by publication, read evenly", end, published(population, slices.Repeat([]int{1}, days))),
		expected(rebuilt+" by publication, read lately", end, published(population, fewerByDay())))
	return rows, monthTimes.Of(r).rows()
}

func (w way) rows(p point, day int, fpr float64) (rows []results.Row) {
	add := func(r results.Row, theory float64) {
		rows = append(rows, r.With(by.Day.At(float64(day))).Expect(theory))
	}
	bytes := row.Number(w.name, results.QBytesPerUser, results.Bytes, row.Mean(p.Bytes, p.Fresh.Users))
	misses := row.Number(w.name, results.QInside, "", float64(p.WindowMisses))
	add(row.Rate(w.name, results.QFPR, p.Fresh), fpr)
	add(bytes.Among(p.Fresh.Users), float64(w.bytes(day)))
	add(misses.Among(p.WindowChecks), 0)
	if p.Expired.Queries > 0 {
		if !w.forgets {
			fpr = 1
		}
		add(row.Rate(w.name, results.QExpired, p.Expired), fpr)
	}
	return rows
}

func (t monthTimed) rows() (timing []results.Row) {
	for j, lanes := range t.Requests.Of(lanesName) {
		filter := t.Requests.Of(rebuilt)[j]
		timing = append(timing,
			row.Time(lanesName, results.QQueryNanos, lanes, float64(lanes.Candidates)),
			row.Time(rebuilt, results.QQueryNanos, filter, float64(filter.Candidates)),
			row.Over(lanesName, results.QTimeRatio, lanes, filter).With(by.Over.Is("rebuilt nightly")))
	}
	noRequest := by.Candidates.Is("")
	return append(timing,
		row.Time(lanesName, results.QDayEnd, t.Ends[0], 1).With(noRequest),
		row.Time(rebuilt, results.QDayEnd, t.Ends[1], 1).With(noRequest),
		row.Over(rebuilt, results.QTimeRatio, t.Ends[1], t.Ends[0]).With(noRequest, by.Over.Is(lanesName)))
}

var byDay = results.Find(results.QFPR, by.Day.Open())

var monthFigures = []plots.Figure{{
	Name: "month", Experiment: results.Month, Query: byDay, Strategies: plots.None, Build: twoMonths,
	Title: "A month of articles: false positives, and older articles still recognised",
	Caption: "Several thousand articles a month: false positives and what is still recognised of older days, for " +
		"lanes by the day and for one filter of the same bytes, rebuilt every night or never.",
	Looks: map[string]plots.Look{
		rebuilt: {
			Name: "Rebuilt nightly", Color: plots.Vermillion, Dash: plots.Dash{6, 2}, Mark: plots.Square.Hollow(),
		},
		neverRebuilt: {Name: "Never rebuilt", Color: plots.Vermillion, Mark: plots.Square},
	},
}}

// twoMonths draws four ways, by their names in figures.
func twoMonths(d plots.Data) plots.Sheet {
	ways := []string{"layered", "daily", neverRebuilt, rebuilt}
	rates := &plots.Panel{
		Title: "(a) False positive rate", X: plots.Axis{Label: "days", Labels: 5},
		Y:      plots.Axis{Label: "false positive rate", Scale: plots.Log, Min: 1e-5, Max: 1, Format: plots.Percent},
		Guides: []plots.Guide{{At: days, Label: "a month", Vertical: true}}, Direct: true,
	}
	for _, way := range ways {
		for _, s := range d.Series(byDay.Of(way), byDay.With(by.Formula.Is(results.ExactFormula)).Of(way)) {
			s = s.Change(plots.Alone).Change(func(points []plots.Point) []plots.Point {
				return plots.Where(points, func(p plots.Point) bool { return p.Y >= 1e-5 })
			})
			s.Points = plots.Where(s.Points, func(p plots.Point) bool { return int(p.X)%5 == 0 })
			rates.Add(s)
		}
	}
	recognised := &plots.Panel{Title: "(b) Articles of earlier months", X: plots.Axis{
		Label: "still recognised", Format: plots.Percent, Labels: 3, ShowValues: true,
	}}
	last := results.Q("expired recognised at day=61")
	return plots.Sheet{
		Columns: 2, Height: 200,
		Panels: []*plots.Panel{rates, recognised.Bars(d.Ranked(last, ways...), d.Find(last), d.Look)},
		Note: "Lines in (a): theory, day by day; marks: measured, every five days. (b): on the last day; what daily lanes " +
			"and the rebuilt filter still recognise are false positives. Daily lanes: a filter for each day of a month. " +
			"Layered: a filter for the day, one for the week and one for all time. Rebuilt or not: one filter of the " +
			"lanes' bytes. A day brings 120 to 210 articles.",
	}
}

var monthTables = []text.Table{
	{
		Title: "Two months at 150 articles a day, forgotten after 30 days: false positive rate after this many " +
			"days [theory]",
		Lines: results.Q("month: bytes per user at day=61"),
		Columns: slices.Concat(
			[]text.Column{text.Strategy("strategy")},
			text.Each("fpr", by.Day, text.WithTheory, "1", "10", "20", "30", "31", "40", "50", "60", "61"),
			[]text.Column{
				text.Value("bytes at last", "bytes per user at day=61", text.Of),
				text.Value("older ones recognised", "expired recognised at day=61",
					func(r results.Row) string { return fmt.Sprintf("%.3g %%", 100*r.Value.Or(0)) }),
			},
		),
	},
	{
		Title: "What a month costs: a candidate of a request, and the end of a day (the lanes' time over the filter's, " +
			"and the filter's over the lanes')",
		Lines: results.Q("month: day end time"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			timed("400 candidates", "ns per candidate at candidates=400", "time ratio at candidates=400, over=rebuilt nightly"),
			timed("4000 candidates", "ns per candidate at candidates=4000",
				"time ratio at candidates=4000, over=rebuilt nightly"),
			timed("end of a day", "day end time", "time ratio at over=beyond/daily"),
		},
	},
}

// timed returns a column of times, followed by their ratios in brackets if known.
func timed(header, time, ratio string) text.Column {
	return text.Values(header, func(r ...results.Row) string {
		said := text.Of(r[0])
		if v, ok := r[0].Value.Get(); ok && v < 100 {
			said = fmt.Sprintf("%.1f ns", v)
		}
		if r[1].Value.IsSet() {
			said += " (" + text.Ratio(r[1]) + ")"
		}
		return said
	}, time, ratio)
}
