package paper

import (
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// Memory measures the bytes of histories, by articles shown and by users.
var Memory = experiment.Experiment{
	Name: results.Memory, About: "bytes by articles shown, totals by users",
	Needs:      shared.FullTasks,
	Dimensions: []results.Dimension{by.Articles, by.Users},
	Rows:       shared.ByEntry(engine.Scope.Full, shared.Full, memoryOfEntry),
	Figures:    memoryFigures, Tables: memoryTables,
}

func memoryOfEntry(r *engine.Run, e catalogue.Entry, full shared.FullResult) (rows, timing []results.Row, err error) {
	return memoryCounted(e, r.Subject(e), full.Counts), given(e, full.Machine), nil
}

func memoryNumber(e catalogue.Entry, quantity, unit string, value float64, count int64) results.Row {
	return row.Number(results.Memory, e.Name, quantity, unit, value).Among(count)
}

// memoryCounted returns the bytes of histories, by articles shown and by users.
func memoryCounted(e catalogue.Entry, subject measure.Subject, c measure.FullCounts) (rows []results.Row) {
	add := func(r results.Row, theory float64, where results.Condition) {
		rows = append(rows, r.Expect(theory).With(where))
	}
	for _, p := range c.Points {
		if p.Users > 0 {
			add(memoryNumber(e, results.QBytesPerUser, results.Bytes, row.Mean(p.Bytes, p.Users), p.Users),
				float64(subject.Theory.Bytes(p.Shown)), by.Articles.At(float64(p.Shown)))
		}
	}
	mean := shared.MeanOverLives(func(shown int) float64 { return float64(subject.Theory.Bytes(shown)) })
	for _, a := range c.Totals {
		r := memoryNumber(e, results.QPayloadTotal, results.Bytes, float64(a.Payload), a.Users)
		if a.Users == 10_000_000 && e.Stated.Total > 0 {
			r = r.Stating(e.Stated.Total)
		}
		add(r, mean*float64(a.Users), by.Users.At(float64(a.Users)))
	}
	return rows
}

// given returns the memory that the machine gave and the time it took.
func given(e catalogue.Entry, m measure.FullMachine) (timing []results.Row) {
	for _, h := range m.Held {
		at := func(quantity, unit string, value float64) {
			timing = append(timing, memoryNumber(e, quantity, unit, value, h.Users).With(by.Users.At(float64(h.Users))))
		}
		at(results.QStoreTotal, results.Bytes, float64(h.Slabs))
		at(results.QResidentTotal, results.Bytes, float64(h.Resident))
		at("time per user", results.Nanoseconds, h.Seconds*1e9/float64(h.Users))
	}
	return append(timing, memoryNumber(e, results.QParts, "", float64(m.Parts), 0))
}

var memoryFigures = []plots.Figure{{
	Name: "memory", Experiment: results.Memory, Query: bytesByArticles,
	Title: "Bytes of a history, by articles shown", Caption: "Bytes of one user's history by articles shown.",
	Build: func(d plots.Data) plots.Sheet {
		p := &plots.Panel{
			X: plots.Axis{Label: "articles shown", Max: 2000}, Y: plots.Axis{Label: "bytes per user", Format: plots.Bytes},
			Direct: true,
		}
		for _, s := range plots.Unvaried(d.Series(bytesByArticles, bytesByArticles)) {
			s.Step, s.Line = true, plots.Within(s.Line, 1950)
			s.Points = plots.Thin(plots.Within(s.Points, 1950), 12)
			p.Add(s)
		}
		return plots.Sheet{
			Columns: 1, Height: 215, Panels: []*plots.Panel{p},
			Note: "Marks: measured. Lines: theory, every 50 articles. A dual filter has a second array while it " +
				"fills the next one.",
		}
	},
}}

var bytesByArticles = results.Find(results.QBytesPerUser, by.Articles.Open())

var memoryTables = []text.Table{
	{
		Title: "Histories of all users, by their number, and the resident memory of the process",
		Lines: results.Q("memory: payload total at users=*"),
		Columns: []text.Column{
			text.Strategy("strategy"),
			text.Condition("users", by.Users),
			text.Value("payload [theory]", "payload total at users=*", text.AndTheory(text.Bytes)),
			text.Value("resident", "resident total at users=*", text.Of),
		},
	},
}
