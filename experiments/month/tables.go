package month

import (
	"fmt"

	"dejavu/experiments/text"
	"dejavu/results"
)

// tables are the false positives and bytes of each way, day by day, and what its requests
// and its days' ends cost.
func tables(c results.Cells) []results.Table {
	names := []string{lanesName, rebuilt, neverRebuilt, results.Beyond + "layered", results.Beyond + "layered-moved", asLong}
	days := []string{"1", "10", "20", "30", "31", "40", "50", "60", "61"}
	rates := text.ByStrategy(c, "Two months at 150 articles a day, forgotten after 30 days: false positive rate after so many days [theory]",
		results.Month, results.QFPR, names, days,
		text.WithTheory)
	for i, row := range rates.Rows {
		bytes, _ := c.Find(results.Month, row[0], "61", results.QBytesPerUser)
		old, _ := c.Find(results.Month, row[0], "61", results.QExpired)
		rates.Rows[i] = append(row, text.Of(bytes), fmt.Sprintf("%.3g %%", 100*old.Value.Or(0)))
	}
	rates.Header = append(rates.Header, "bytes at last", "older ones recognised")

	times := results.Table{
		Title:  "What a month costs: a candidate of a request, and the end of a day (in brackets: the lanes' time over it)",
		Header: []string{"way", "400 candidates", "4000 candidates", "end of a day"},
	}
	for _, name := range []string{lanesName, rebuilt, sameHashes} {
		row := []string{name}
		for _, x := range sizes {
			r, ok := c.Find(results.Month, name, fmt.Sprint(x), results.QQueryNanos)
			if !ok {
				break
			}
			cell := fmt.Sprintf("%.1f ns", r.Value.Or(0))
			if ratio, ok := c.Find(results.Month, lanesName, fmt.Sprint(x), results.QQueryNanos+results.QOver+name); ok {
				cell += fmt.Sprintf(" (%.2f, %.2f to %.2f)", ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0))
			}
			row = append(row, cell)
		}
		if len(row) == 1 {
			continue
		}
		end := text.None
		if r, ok := c.Find(results.Month, name, "1", results.QDayEnd); ok {
			end = text.Of(r)
			if ratio, ok := c.Find(results.Month, name, "1", results.QDayEnd+results.QOver+lanesName); ok {
				end += fmt.Sprintf(" (1/%.0f, 1/%.0f to 1/%.0f)", ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0))
			}
		}
		times.Rows = append(times.Rows, append(row, end))
	}
	return []results.Table{rates, times}
}
