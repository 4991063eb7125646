package main

import (
	"cmp"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/results"
)

// daily is two days of reading: memory and error rate, with and without the
// rule that 24 hours without reading clear a history.
func daily(s *suite) (rows, timing []results.Row, err error) {
	return s.eachEntry(func(e catalogue.Entry, subject measure.Subject) (rows, timing []results.Row, err error) {
		if e.Share > 1 {
			return nil, nil, nil
		}
		d, err := s.daily(e)
		if err != nil {
			return nil, nil, err
		}
		rows = regimeRows(e, d.Counts.Rule,
			results.QPayloadRule, results.QAliveRule, results.QFPRRule, results.QRepeatsRule)
		rows = append(rows, regimeRows(e, d.Counts.NoRule,
			results.QPayloadNoRule, results.QAliveNoRule, results.QFPRNoRule, results.QRepeatsNoRule)...)
		rows = append(rows, row.Activity(results.Daily, e.Name, d.Counts.Rule)...)
		rows = append(rows, quantileRows(e, subject, d.Counts.Rule, "")...)
		rows = append(rows, quantileRows(e, subject, d.Counts.NoRule, ", no rule")...)

		slabs := number(results.Daily, e.Name, results.QStoreTotal, results.Bytes, float64(d.Machine.Slabs))
		slabs.Count = d.Counts.Rule.Alive
		return rows, append(timing, slabs), nil
	})
}

func regimeRows(e catalogue.Entry, r measure.Regime, payload, alive, fpr, repeats string) []results.Row {
	bytes := number(results.Daily, e.Name, payload, results.Bytes, float64(r.Payload))
	bytes.Count = r.Alive
	users := number(results.Daily, e.Name, alive, "", float64(r.Alive))
	again := number(results.Daily, e.Name, repeats, "", 1000*perUser(r.Repeats, r.Shown))
	again.Count = r.Shown
	missed := number(results.Daily, e.Name, results.QInside+ruleOf(payload), "", float64(r.WindowMisses))
	missed.Theory, missed.Count = results.Num(0), r.WindowChecks
	return []results.Row{bytes, users, rate(results.Daily, e.Name, fpr, r.Fresh), again, missed}
}

func ruleOf(quantity string) string {
	if quantity == results.QPayloadRule {
		return ", 24 h rule"
	}
	return ", no rule"
}

// quantileRows is the distribution, over users with a history at the end, of
// the rate that theory expects of it and of its length.
func quantileRows(e catalogue.Entry, s measure.Subject, r measure.Regime, rule string) (rows []results.Row) {
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
					r := number(results.Daily, e.Name, q.quantity+rule, q.unit, w.value)
					r.X, r.Count = results.Num(level), total
					rows = append(rows, r)
					break
				}
			}
		}
	}
	return rows
}
