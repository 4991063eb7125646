package main

import (
	"fmt"

	"dejavu/results"
)

// monthTables are what each way errs and takes, day by day, and what its requests
// and its days' ends cost.
func monthTables(c cells) []results.Table {
	names := []string{results.Beyond + "daily", rebuilt, neverRebuilt, results.Beyond + "layered", results.Beyond + "layered-moved", asLong}
	days := []string{"1", "10", "20", "30", "31", "40", "50", "60", "61"}
	errs := byStrategy(c, "Two months at 150 articles a day, forgotten after 30 days: false positive rate after so many days [theory]",
		results.Month, results.QFPR, names, days,
		func(r results.Row) string { return percent(r.Value.Or(0)) + " [" + percent(r.Theory.Or(0)) + "]" })
	for i, row := range errs.Rows {
		bytes, _ := c.find(results.Month, row[0], "61", results.QBytesPerUser)
		old, _ := c.find(results.Month, row[0], "61", results.QExpired)
		errs.Rows[i] = append(row, text(bytes), fmt.Sprintf("%.3g %%", 100*old.Value.Or(0)))
	}
	errs.Header = append(errs.Header, "bytes at last", "older ones recognised")

	times := results.Table{
		Title:  "What a month costs: a candidate of a request, and the end of a day (in brackets: the lanes' time over it)",
		Header: []string{"way", "400 candidates", "4000 candidates", "end of a day"},
	}
	lanes := results.Beyond + "daily"
	for _, name := range []string{lanes, rebuilt, sameHashes} {
		row := []string{name}
		for _, x := range monthSizes {
			r, ok := c.find(results.Month, name, fmt.Sprint(x), results.QQueryNanos)
			if !ok {
				break
			}
			cell := fmt.Sprintf("%.1f ns", r.Value.Or(0))
			if ratio, ok := c.find(results.Month, lanes, fmt.Sprint(x), results.QQueryNanos+results.QOver+name); ok {
				cell += fmt.Sprintf(" (%.2f, %.2f to %.2f)", ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0))
			}
			row = append(row, cell)
		}
		if len(row) == 1 {
			continue
		}
		end := "–"
		if r, ok := c.find(results.Month, name, "1", results.QDayEnd); ok {
			end = text(r)
			if ratio, ok := c.find(results.Month, name, "1", results.QDayEnd+results.QOver+lanes); ok {
				end += fmt.Sprintf(" (1/%.0f, 1/%.0f to 1/%.0f)", ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0))
			}
		}
		times.Rows = append(times.Rows, append(row, end))
	}
	return []results.Table{errs, times}
}
