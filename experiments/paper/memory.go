package paper

import (
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
)

// Memory measures the bytes of histories, by articles shown and by users.
var Memory = experiment.Experiment{
	Name: results.Memory, About: "bytes by articles shown, totals by users",
	Needs:      fullTasks,
	Dimensions: []results.Dimension{by.Articles, by.Users},
	Rows:       memoryRows, Tables: memoryTables,
}

func memoryRows(r *engine.Run) (rows, timing []results.Row) {
	for _, e := range r.Full() {
		found, theory := full(e).Of(r), r.Subject(e).Theory
		number := func(quantity, unit string, value float64, count int64) results.Row {
			return row.Number(e.Name, quantity, unit, value).Among(count)
		}
		for i, p := range found.Counts.Points {
			if shown := measure.Grid[i]; p.Users > 0 {
				bytes := number(results.QBytesPerUser, results.Bytes, row.Mean(p.Bytes, p.Users), p.Users)
				rows = append(rows, bytes.Expect(float64(theory.Bytes(shown))).With(by.Articles.At(float64(shown))))
			}
		}
		mean := shared.MeanOverLives(func(shown int) float64 { return float64(theory.Bytes(shown)) })
		stops := measure.Stops(e.Users(r.Users))
		for i, payload := range found.Counts.Totals {
			bytes := number(results.QPayloadTotal, results.Bytes, float64(payload), int64(stops[i]))
			if stops[i] == 10_000_000 && e.Stated.Total > 0 {
				bytes = bytes.Stating(e.Stated.Total)
			}
			rows = append(rows, bytes.Expect(mean*float64(stops[i])).With(by.Users.At(float64(stops[i]))))
		}
		for i, h := range found.Machine.Taken {
			resident := number(results.QResidentTotal, results.Bytes, float64(h.Resident), int64(stops[i]))
			timing = append(timing, resident.With(by.Users.At(float64(stops[i]))))
		}
	}
	return rows, timing
}

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
