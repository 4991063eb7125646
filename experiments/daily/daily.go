// Package daily is thirty days of reading: memory, false positive rate and repeats shown, with and without
// the rule that 24 hours without reading clear a history, by the day.
package daily

import (
	"maps"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
)

// Experiment is daily.
var Experiment = experiment.Experiment{
	Name: results.Daily, About: "thirty days of reading: memory and repeats shown with and without the 24 h rule",
	Needs:      func(s engine.Scope) []engine.Task { return append(shared.DailyTasks(s), habitTasks(s)...) },
	Dimensions: []results.Dimension{by.Rule, by.Day, by.Activity, by.Quantile, by.Share, by.Pause},
	Rows:       rows, Figures: shown.Figures, Tables: shown.Tables,
}

const days = shared.Days

// Values of the dimension Rule: whether idle users are forgotten.
var (
	ruled   = by.Rule.Is("24h")
	unruled = by.Rule.Is("none")
)

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	if rows, timing, err = shared.Each(r, shared.UnsampledEntries(r.Scope), shared.Daily, ofEntry); err != nil {
		return nil, nil, err
	}
	more, err := habitRows(r)
	return append(rows, more...), timing, err
}

func ofEntry(
	r *engine.Run, e catalogue.Entry, subject measure.Subject, d shared.DailyResult,
) (rows, timing []results.Row, err error) {
	c, users := d.Counts, r.Share(shared.DailyUsers(r.Scope)).Len()
	rows = slices.Concat(
		[]results.Row{number(e.Name, results.QUsers, "", float64(users)), kept(e.Name, c.Days[days-1].Kept)},
		regime(e.Name, c.Rule, ruled),
		regime(e.Name, c.NoRule, unruled),
		served(e.Name, c.Week),
		byDay(e.Name, c.Days, int64(users)),
		row.Activity(results.Daily, e.Name, c.Rule, ruled),
		quantiles(e.Name, subject, c.Rule, ruled),
		quantiles(e.Name, subject, c.NoRule, unruled))
	slabs := number(e.Name, results.QStoreTotal, results.Bytes, float64(d.Machine.Slabs)).Among(c.Rule.Alive)
	return rows, []results.Row{slabs}, nil
}

func number(strategy, quantity, unit string, value float64, where ...results.Condition) results.Row {
	return row.Number(results.Daily, strategy, quantity, unit, value).With(where...)
}

func rate(strategy, quantity string, r measure.Rate, where ...results.Condition) results.Row {
	return row.Rate(results.Daily, strategy, quantity, r).With(where...)
}

// kept is bytes with the rule over those without it, whose interval is clustered by user like that of any
// rate.
func kept(strategy string, r measure.Rate, where ...results.Condition) results.Row {
	return rate(strategy, results.QPayloadKept, r, where...).Among(r.Users)
}

func regime(strategy string, r measure.Regime, rule results.Condition) []results.Row {
	return []results.Row{
		number(strategy, results.QPayloadTotal, results.Bytes, float64(r.Payload), rule).Among(r.Alive),
		number(strategy, results.QUsersAlive, "", float64(r.Alive), rule),
		number(strategy, results.QInside, "", float64(r.WindowMisses), rule).Expect(0).Among(r.WindowChecks),
	}
}

// served is what was shown in some days.
func served(strategy string, s measure.Served, where ...results.Condition) (rows []results.Row) {
	for _, r := range []results.Row{
		rate(strategy, results.QRepeatRate, s.Repeats, ruled),
		rate(strategy, results.QRepeatRate, s.RepeatsNoRule, unruled),
		rate(strategy, results.QFPR, s.Fresh, ruled),
		rate(strategy, results.QFPR, s.FreshNoRule, unruled),
	} {
		rows = append(rows, r.With(where...))
	}
	return rows
}

// byDay is what each day served, and what its end found. Bytes are of a user of the population, also of those
// who have no history.
func byDay(strategy string, all []measure.Day, users int64) (rows []results.Row) {
	for i, d := range all {
		day := by.Day.At(float64(i + 1))
		bytes := func(sum int64, rule results.Condition) results.Row {
			return number(strategy, results.QBytesPerUser, results.Bytes, row.Mean(sum, users), rule, day).Among(users)
		}
		rows = append(rows, bytes(d.Kept.Hits, ruled), bytes(d.Kept.Queries, unruled), kept(strategy, d.Kept, day))
		rows = append(rows, served(strategy, d.Served, day)...)
	}
	return rows
}

// levels are those of the quantiles.
var levels = []float64{0.5, 0.9, 0.99, 0.999}

// quantiles is the distribution, over users with a history at the end, of the rate that theory expects of it
// and of its length.
func quantiles(strategy string, s measure.Subject, r measure.Regime, rule results.Condition) (rows []results.Row) {
	for _, q := range []struct {
		quantity, unit string
		of             func(held int) float64
	}{
		{results.QFPR, results.Ratio, s.Theory.FPR},
		{results.QBytesPerUser, results.Bytes, func(held int) float64 { return float64(s.Theory.Bytes(held)) }},
	} {
		users := map[float64]int64{} // by what theory expects of their histories
		total := int64(0)
		for held, n := range r.Held {
			if held > 0 && n > 0 {
				users[q.of(held)] += n
				total += n
			}
		}
		values := slices.Sorted(maps.Keys(users))
		for _, level := range levels {
			below := int64(0)
			for _, v := range values {
				if below += users[v]; float64(below) >= level*float64(total) {
					rows = append(rows, number(strategy, q.quantity, q.unit, v, rule, by.Quantile.At(level)).Among(total))
					break
				}
			}
		}
	}
	return rows
}
