// Package daily is thirty days of reading: memory, false positive rate and repeats shown,
// with and without the rule that 24 hours without reading clear a history, by the day.
package daily

import (
	"cmp"
	"fmt"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/experiments/shared"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
)

// Experiment is daily.
var Experiment = experiment.Experiment{
	Name: results.Daily, About: "thirty days of reading: memory and repeats shown with and without the 24 h rule",
	Needs: func(s run.Scope) []run.Task { return append(shared.Dailies(s), habitTasks(s)...) },
	Rows:  rows, Figures: Figures, Tables: tables,
}

func rows(r *run.Run) (rows, timing []results.Row, err error) {
	if rows, timing, err = shared.Each(r, shared.OfAll(r.Scope), shared.Daily, ofEntry); err != nil {
		return nil, nil, err
	}
	more, err := habitRows(r)
	return append(rows, more...), timing, err
}

func ofEntry(r *run.Run, e catalogue.Entry, subject measure.Subject, d shared.DailyResult) (rows, timing []results.Row, err error) {
	c, users := d.Counts, r.Share(shared.DailyUsers(r.Scope)).Len()
	slabs := row.Number(results.Daily, e.Name, results.QStoreTotal, results.Bytes, float64(d.Machine.Slabs)).Among(c.Rule.Alive)
	return slices.Concat(
		[]results.Row{
			row.Number(results.Daily, e.Name, results.QDailyUsers, "", float64(users)),
			share(e.Name, results.QKept, c.Days[days-1].Kept),
		},
		regime(e, c.Rule, results.QPayloadRule, results.QAliveRule, ruled),
		regime(e, c.NoRule, results.QPayloadNoRule, results.QAliveNoRule, unruled),
		[]results.Row{
			row.Rate(results.Daily, e.Name, results.QRepeatsRule, c.Week.Repeats), row.Rate(results.Daily, e.Name, results.QRepeatsNoRule, c.Week.RepeatsNoRule),
			row.Rate(results.Daily, e.Name, results.QFPRRule, c.Week.Fresh), row.Rate(results.Daily, e.Name, results.QFPRNoRule, c.Week.FreshNoRule),
		},
		byDay(e.Name, c.Days, users),
		row.Activity(results.Daily, e.Name, c.Rule),
		quantiles(e, subject, c.Rule, ""),
		quantiles(e, subject, c.NoRule, unruled),
	), []results.Row{slabs}, nil
}

const days = shared.Days

// What stands behind a quantity of either rule.
const (
	ruled   = ", 24 h rule"
	unruled = ", no rule"
)

func regime(e catalogue.Entry, r measure.Regime, payload, alive, rule string) []results.Row {
	return []results.Row{
		row.Number(results.Daily, e.Name, payload, results.Bytes, float64(r.Payload)).Among(r.Alive),
		row.Number(results.Daily, e.Name, alive, "", float64(r.Alive)),
		row.Number(results.Daily, e.Name, results.QInside+rule, "", float64(r.WindowMisses)).Expect(0).Among(r.WindowChecks),
	}
}

// byDay is what each day served, and what its end found.
func byDay(strategy string, all []measure.Day, users int) (rows []results.Row) {
	bytes := func(quantity string, sum int64) results.Row {
		return row.Number(results.Daily, strategy, quantity, results.Bytes, row.Mean(sum, int64(users))).Among(int64(users))
	}
	for i, d := range all {
		for _, r := range []results.Row{
			bytes(results.QBytesByDayRule, d.Kept.Hits), bytes(results.QBytesByDayNoRule, d.Kept.Queries),
			share(strategy, results.QKeptByDay, d.Kept),
			row.Rate(results.Daily, strategy, results.QRepeatsByDayRule, d.Repeats), row.Rate(results.Daily, strategy, results.QRepeatsByDayNoRule, d.RepeatsNoRule),
			row.Rate(results.Daily, strategy, results.QFPRByDayRule, d.Fresh), row.Rate(results.Daily, strategy, results.QFPRByDayNoRule, d.FreshNoRule),
		} {
			rows = append(rows, r.At(float64(i+1)))
		}
	}
	return rows
}

// share is bytes with the rule over those without it, whose interval is clustered by
// user like that of any rate.
func share(strategy, quantity string, kept measure.Rate) results.Row {
	r := row.Rate(results.Daily, strategy, quantity, kept)
	r.Count = kept.Users
	return r
}

// perThousand is a rate for people.
func perThousand(r results.Row) string { return fmt.Sprintf("%.3g", 1000*r.Value.Or(0)) }

// quantiles is the distribution, over users with a history at the end, of the rate
// that theory expects of it and of its length.
func quantiles(e catalogue.Entry, s measure.Subject, r measure.Regime, rule string) (rows []results.Row) {
	for _, q := range []struct {
		quantity, unit string
		of             func(held int) float64
	}{
		{results.QFPRQuantile, results.Ratio, s.Theory.FPR},
		{results.QBytesQuantile, results.Bytes, func(held int) float64 { return float64(s.Theory.Bytes(held)) }},
	} {
		type weighted struct {
			value float64
			users int64
		}
		var all []weighted
		total := int64(0)
		for held, users := range r.Held {
			if held > 0 && users > 0 {
				all = append(all, weighted{q.of(held), users})
				total += users
			}
		}
		slices.SortStableFunc(all, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
		for _, level := range []float64{0.5, 0.9, 0.99, 0.999} {
			below := int64(0)
			for _, w := range all {
				if below += w.users; float64(below) >= level*float64(total) {
					// What theory expects of measured lives.
					rows = append(rows, row.Number(results.Daily, e.Name, q.quantity+rule, q.unit, w.value).At(level).Among(total))
					break
				}
			}
		}
	}
	return rows
}

func tables(c results.Cells) []results.Table {
	t := results.Table{
		Title:  "Thirty days of reading, with the 24 h rule / without: at the end, and over the last seven days",
		Header: []string{"strategy", "users with a history", "payload", "with the rule over without", "FPR", "repeats shown of 1000"},
	}
	for _, name := range catalogue.Names() {
		cells := []string{name}
		for _, q := range [][2]string{
			{results.QAliveRule, results.QAliveNoRule},
			{results.QPayloadRule, results.QPayloadNoRule},
			{results.QKept},
			{results.QFPRRule, results.QFPRNoRule},
			{results.QRepeatsRule, results.QRepeatsNoRule},
		} {
			with, ok := c.Find(results.Daily, name, "", q[0])
			if !ok {
				continue
			}
			of := text.Of
			if q[0] == results.QRepeatsRule {
				of = perThousand
			}
			cell := of(with)
			if without, ok := c.Find(results.Daily, name, "", q[1]); ok {
				cell += " / " + of(without)
			}
			cells = append(cells, cell)
		}
		if len(cells) > 1 {
			t.Rows = append(t.Rows, cells)
		}
	}
	days := text.ByStrategy(c, "Bytes of a user by days gone by, with the 24 h rule / without; in brackets, repeats shown of 1000 with the rule",
		results.Daily, results.QBytesByDayRule, catalogue.Names(), []string{"1", "2", "3", "7", "14", "21", "30"},
		func(r results.Row) string {
			free, _ := c.Find(results.Daily, r.Strategy, r.X.String(), results.QBytesByDayNoRule)
			repeats, _ := c.Find(results.Daily, r.Strategy, r.X.String(), results.QRepeatsByDayRule)
			return fmt.Sprintf("%s / %s [%s]", text.Of(r), text.Of(free), perThousand(repeats))
		})
	users := text.ByStrategy(c, "Thirty days of reading, over users: false positive rate and bytes at quantiles, with the 24 h rule",
		results.Daily, results.QFPRQuantile, catalogue.Names(), []string{"0.5", "0.9", "0.99", "0.999"},
		func(r results.Row) string {
			bytes, _ := c.Find(results.Daily, r.Strategy, r.X.String(), results.QBytesQuantile)
			return text.Percent(r.Value.Or(0)) + ", " + text.Of(bytes)
		})
	return append([]results.Table{t, days, users}, habitTables(c)...)
}
