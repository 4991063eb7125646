package pipeline

import (
	"strings"

	"dejavu/experiments/text"
	"dejavu/results"
)

// RealTable is the delay of the exposure service of the module live, which was measured,
// beside the repeats that are simulated for a stream without one; it has no lines where
// there are no such rows.
func RealTable(c results.Cells) results.Table {
	t := results.Table{
		Title:  "The live path for real: a show by the exposure service, and then a question by another call (live, `go run . rows`)",
		Header: []string{"durable in", "until filtered, median", "99th percentile", "articles not filtered then", "simulated without a delay: late repeats per 1000"},
	}
	for _, log := range results.LiveLogs {
		median, ok := c.Find(results.Pipeline, "chain", "", results.QUntilFiltered+log)
		if !ok {
			continue
		}
		late, _ := c.Find(results.Pipeline, "chain", "", results.QUntilFiltered+results.P99+log)
		missed, _ := c.Find(results.Pipeline, "chain", "", results.QNotFiltered+log)
		simulated := "–"
		if r, ok := c.Find(results.Pipeline, "chain", "0", results.QAgainLate); ok {
			simulated = perMille(r)
		}
		t.Rows = append(t.Rows, []string{
			strings.TrimPrefix(log, ", "), text.Of(median), text.Of(late),
			text.Of(missed) + " of " + text.Thousands(int(missed.Count)), simulated,
		})
	}
	return t
}
