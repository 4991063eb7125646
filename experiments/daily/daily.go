// Package daily is two days of reading: memory and false positive rate, with and
// without the rule that 24 hours without reading clear a history.
package daily

import (
	"cmp"
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
	Name: results.Daily, About: "two days of reading: memory and false positive rate with and without the 24 h rule",
	Needs: shared.Dailies, Rows: rows, Figures: Figures, Tables: tables,
}

func rows(r *run.Run) (rows, timing []results.Row, err error) {
	return shared.Each(r, shared.OfAll(r.Scope), shared.Daily, ofEntry)
}

func ofEntry(_ *run.Run, e catalogue.Entry, subject measure.Subject, d shared.DailyResult) (rows, timing []results.Row, err error) {
	rule, free := d.Counts.Rule, d.Counts.NoRule
	slabs := row.Number(results.Daily, e.Name, results.QStoreTotal, results.Bytes, float64(d.Machine.Slabs)).Among(rule.Alive)
	return slices.Concat(
		regime(e, rule, results.QPayloadRule, results.QAliveRule, results.QFPRRule, results.QRepeatsRule, ruled),
		regime(e, free, results.QPayloadNoRule, results.QAliveNoRule, results.QFPRNoRule, results.QRepeatsNoRule, unruled),
		row.Activity(results.Daily, e.Name, rule),
		quantiles(e, subject, rule, ""),
		quantiles(e, subject, free, unruled),
	), []results.Row{slabs}, nil
}

// What stands behind a quantity of either rule.
const (
	ruled   = ", 24 h rule"
	unruled = ", no rule"
)

func regime(e catalogue.Entry, r measure.Regime, payload, alive, fpr, repeats, rule string) []results.Row {
	return []results.Row{
		row.Number(results.Daily, e.Name, payload, results.Bytes, float64(r.Payload)).Among(r.Alive),
		row.Number(results.Daily, e.Name, alive, "", float64(r.Alive)),
		row.Rate(results.Daily, e.Name, fpr, r.Fresh),
		row.Number(results.Daily, e.Name, repeats, "", 1000*row.Mean(r.Repeats, r.Shown)).Among(r.Shown),
		row.Number(results.Daily, e.Name, results.QInside+rule, "", float64(r.WindowMisses)).Expect(0).Among(r.WindowChecks),
	}
}

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
		Title:  "Two days of reading: with the 24 h rule / without",
		Header: []string{"strategy", "users with a history", "payload", "FPR", "repeats shown of 1000"},
	}
	for _, name := range catalogue.Names() {
		cells := []string{name}
		for _, q := range [][2]string{
			{results.QAliveRule, results.QAliveNoRule},
			{results.QPayloadRule, results.QPayloadNoRule},
			{results.QFPRRule, results.QFPRNoRule},
			{results.QRepeatsRule, results.QRepeatsNoRule},
		} {
			with, ok := c.Find(results.Daily, name, "", q[0])
			without, _ := c.Find(results.Daily, name, "", q[1])
			if ok {
				cells = append(cells, text.Of(with)+" / "+text.Of(without))
			}
		}
		if len(cells) > 1 {
			t.Rows = append(t.Rows, cells)
		}
	}
	users := text.ByStrategy(c, "Two days of reading, over users: false positive rate and bytes at quantiles, with the 24 h rule",
		results.Daily, results.QFPRQuantile, catalogue.Names(), []string{"0.5", "0.9", "0.99", "0.999"},
		func(r results.Row) string {
			bytes, _ := c.Find(results.Daily, r.Strategy, r.X.String(), results.QBytesQuantile)
			return text.Percent(r.Value.Or(0)) + ", " + text.Of(bytes)
		})
	return []results.Table{t, users}
}
