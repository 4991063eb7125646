package replay

import (
	"fmt"
	"strconv"

	"dejavu/experiments/text"
	"dejavu/measure/deal"
	"dejavu/results"
)

// Tables are the tables of a replay.
func Tables(c results.Cells) (tables []results.Table) {
	names := named(c)
	var ages, bins, times []string
	for age := 1; age < 1<<20; age *= 2 {
		ages = append(ages, fmt.Sprint(deal.AgeOf(deal.AgeBin(age))))
		bins = append(bins, fmt.Sprint(age))
	}
	for bin := range deal.ElapsedBins {
		times = append(times, fmt.Sprint(deal.ElapsedFrom(bin)))
	}
	ages, bins = filled(c, names, results.QRetention, ages), filled(c, names, results.QFPRByActivity, bins)
	times = filled(c, names, results.QAfter, times)
	share := func(r results.Row) string { return fmt.Sprintf("%.4g [%d]", r.Value.Or(0), r.Count) }
	after := text.ByStrategy(c, "Share of repeats recognised, by the time since they were shown, from [so many repeats]", results.Replay, results.QAfter, names, times, share)
	for i, x := range times {
		seconds, _ := strconv.Atoi(x) // as it was written above
		after.Header[i+1] = text.Elapsed(seconds)
	}
	for _, t := range []results.Table{
		table(c, names),
		causes(c, names),
		text.ByStrategy(c, "Share of repeats recognised, by how many articles ago they were shown [so many repeats]", results.Replay, results.QRetention, names, ages, share),
		after,
		text.ByStrategy(c, "False positive rate by articles recorded of a user over the log, in powers of two from", results.Replay, results.QFPRByActivity, names, bins,
			func(r results.Row) string { return text.Percent(r.Value.Or(0)) }),
	} {
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// named are the strategies of a replay, in the order of its rows.
func named(c results.Cells) (names []string) {
	for _, r := range c.Of(results.Replay) {
		if r.Quantity == results.QFPR && !r.X.IsSet() {
			names = append(names, r.Strategy)
		}
	}
	return names
}

// filled are those of the places where any strategy has a number.
func filled(c results.Cells, names []string, quantity string, xs []string) (some []string) {
	for _, x := range xs {
		for _, name := range names {
			if _, ok := c.Find(results.Replay, name, x, quantity); ok {
				some = append(some, x)
				break
			}
		}
	}
	return some
}

// table has a line for each strategy.
func table(c results.Cells, names []string) results.Table {
	exposures, _ := c.Find(results.Replay, "", "", results.QExposures)
	users, _ := c.Find(results.Replay, "", "", results.QUsers)
	t := results.Table{
		Title: fmt.Sprintf("Replay of %.0f exposures of %.0f users", exposures.Value.Or(0), users.Value.Or(0)),
		Header: []string{
			"strategy", "FPR", "95 %", "theory, all new", "distinct", "suppressed of 100", "repeats", "recognised", "repeats shown",
			"with a history", "bytes a user", "payload", "store",
		},
	}
	for _, name := range names {
		get := func(quantity string) results.Row {
			r, _ := c.Find(results.Replay, name, "", quantity)
			return r
		}
		f := get(results.QFPR)
		theory := func(quantity string) string {
			if v, ok := get(quantity).Theory.Get(); ok {
				return text.Percent(v)
			}
			return text.None
		}
		recognised := text.None
		if r := get(results.QRecognised); r.Count > 0 {
			recognised = fmt.Sprintf("%.3g %%", 100*r.Value.Or(0))
		}
		payload := get(results.QPayloadTotal)
		t.Rows = append(t.Rows, []string{
			name, text.Percent(f.Value.Or(0)), text.Percent(f.Low.Or(0)) + " to " + text.Percent(f.High.Or(0)),
			theory(results.QFPR), theory(results.QFPRDistinct),
			fmt.Sprintf("%.3g", get(results.QSuppressed).Value.Or(0)),
			text.Of(get(results.QRepeats)), recognised, text.Of(get(results.QRepeatsShown)),
			fmt.Sprint(payload.Count), text.Of(get(results.QBytesPerUser)), text.Of(payload), text.Of(get(results.QStoreTotal)),
		})
	}
	return t
}
