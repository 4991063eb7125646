package memory

import (
	"context"
	_ "embed"
	"math"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/workload"
)

// Experiment is memory.
var Experiment = experiment.Experiment{
	Name: results.Memory, About: "bytes by articles shown, totals by users, and what days of coming and going leave",
	Needs: func(s engine.Scope) []engine.Task {
		returning := slices.DeleteFunc(s.Full(), func(e catalogue.Entry) bool { return e.Churn == 0 })
		return append(shared.FullTasks(s), shared.Tasks(returning, churn)...)
	},
	Dimensions: []results.Dimension{by.Articles, by.Users, by.Day, by.Formula, by.Of},
	Rows:       rows, Figures: shown.Figures, Tables: shown.Tables,
}

// churnDays is how many days the daily population comes back for: five more than
// the histories need until they grow no more.
const churnDays = WarmUp + 5

// A churned is what one strategy's histories took, midnight by midnight.
type churned struct {
	Users     int
	Together  int `sum:"least"` // of these, in one store at least
	Midnights []Midnight
}

// churn lets the daily population come back to an entry, day after day.
func churn(e catalogue.Entry) engine.Measurement[churned] {
	return engine.Measurement[churned]{
		Name: "churn-" + e.Name, Users: func(s engine.Scope) int { return e.Returning(s.Users) }, Cost: 20, Machine: true,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (c churned, err error) {
			population, err := workload.NewDailyOf(r.Daily(), r.Seed, e.Returning(r.Users))
			if err != nil {
				return c, err
			}
			subject, err := r.Subject(e)
			if err != nil {
				return c, err
			}
			c.Users, c.Together = users.Len(), users.Len()
			if c.Users == 0 { // a store of none does not count
				c.Together = population.Users()
			}
			r.Expect(c.Users * churnDays)
			c.Midnights, err = Churn(ctx, subject, population, users, churnDays, r.Options)
			for _, m := range c.Midnights {
				r.Held(m.Slabs)
			}
			return c, err
		},
	}
}

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	return shared.Each(r, r.Full(), shared.Full, ofEntry)
}

func ofEntry(r *engine.Run, e catalogue.Entry, subject measure.Subject, full shared.FullResult) (rows, timing []results.Row, err error) {
	rows, timing = counted(e, subject, full.Counts), given(e, full.Machine)
	if e.Churn == 0 {
		return rows, timing, nil
	}
	c, err := churn(e).Of(r)
	if err != nil {
		return nil, nil, err
	}
	more, times := churnRows(e, c)
	return append(rows, more...), append(timing, times...), nil
}

// counted are the bytes of histories, by articles shown and by users.
func counted(e catalogue.Entry, subject measure.Subject, c measure.FullCounts) (rows []results.Row) {
	for _, p := range c.Points {
		if p.Users == 0 {
			continue
		}
		rows = append(rows, row.Number(results.Memory, e.Name, results.QBytesPerUser, results.Bytes, row.Mean(p.Bytes, p.Users)).
			With(by.Articles.At(float64(p.Shown))).Among(p.Users).Expect(float64(subject.Theory.Bytes(p.Shown))))
	}
	mean := shared.MeanOverLives(func(shown int) float64 { return float64(subject.Theory.Bytes(shown)) })
	for _, a := range c.Totals {
		r := row.Number(results.Memory, e.Name, results.QPayloadTotal, results.Bytes, float64(a.Payload)).
			With(by.Users.At(float64(a.Users))).Among(a.Users).Expect(mean * float64(a.Users))
		if a.Users == 10_000_000 && e.Stated.Total > 0 {
			r = r.Stating(e.Stated.Total)
		}
		rows = append(rows, r)
	}
	for exponent := 5.; exponent <= 9; exponent += 0.5 {
		users := math.Round(math.Pow(10, exponent))
		rows = append(rows, row.Theory(results.Memory, e.Name, results.QPayloadTotal, results.Bytes, mean*users).
			With(by.Users.At(users), by.Formula.Is(results.ExactFormula)))
	}
	return rows
}

// given is what the machine gave for that, and how long it took.
func given(e catalogue.Entry, m measure.FullMachine) (timing []results.Row) {
	for _, h := range m.Held {
		at := func(quantity, unit string, value float64) results.Row {
			return row.Number(results.Memory, e.Name, quantity, unit, value).With(by.Users.At(float64(h.Users))).Among(h.Users)
		}
		timing = append(timing,
			at(results.QStoreTotal, results.Bytes, float64(h.Slabs)),
			at(results.QResidentTotal, results.Bytes, float64(h.Resident)),
			at(results.QTimePerUser, results.Nanoseconds, h.Seconds*1e9/float64(h.Users)))
	}
	return append(timing, row.Number(results.Memory, e.Name, results.QParts, "", float64(m.Parts)))
}

// churnRows is what is held at every midnight.
func churnRows(e catalogue.Entry, c churned) (rows, timing []results.Row) {
	number := func(quantity, unit string, value float64) results.Row {
		return row.Number(results.Memory, e.Name, quantity, unit, value).Among(int64(c.Users))
	}
	for day, m := range c.Midnights {
		at := func(quantity, unit string, value int64) results.Row {
			return number(quantity, unit, float64(value)).With(by.Day.At(float64(day + 1)))
		}
		rows = append(rows,
			at(results.QUsersAlive, "", m.Alive),
			at(results.QPayloadTotal, results.Bytes, m.Payload))
		timing = append(timing,
			at(results.QStoreTotal, results.Bytes, m.Slabs),
			at(results.QResidentTotal, results.Bytes, m.Resident))
	}
	if slabs, resident, ok := Growth(c.Together, c.Midnights); ok {
		timing = append(timing,
			number(results.QGrowth, results.Ratio, slabs).With(ofStore),
			number(results.QGrowth, results.Ratio, resident).With(ofResident))
	}
	return rows, timing
}

// What growth is of: the slabs that the histories lie in, or the whole process.
var (
	ofStore    = by.Of.Is("store")
	ofResident = by.Of.Is("resident")
)

//go:embed figures.toml
var declared string

var shown = experiment.Show(declared, experiment.Code{
	Figures: map[string]func(plots.Data, *plots.Sheet){"memory-users": shadeComputed},
})

// shadeComputed says from which number of users on nothing was measured.
func shadeComputed(_ plots.Data, s *plots.Sheet) {
	largest := 0.0
	for _, series := range s.Panels[0].Series {
		for _, p := range series.Points {
			if len(series.Line) > 0 {
				largest = max(largest, p.X)
			}
		}
	}
	if largest > 0 {
		s.Panels[0].Shade = &plots.Shade{From: largest, Label: "computed, not simulated"}
	}
}
