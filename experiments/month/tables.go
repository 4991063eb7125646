package month

import (
	"fmt"

	"dejavu/experiments/text"
	"dejavu/results"
	"dejavu/results/by"
)

// rates are the false positives and bytes of each way, day by day.
var rates = text.Table{
	Title: "Two months at 150 articles a day, forgotten after 30 days: false positive rate after so many days [theory]",
	Lines: of(results.QFPR, by.Day.At(End)),
	Columns: append(append([]text.Column{text.Strategy()},
		text.Along(by.Day, []string{"1", "10", "20", "30", "31", "40", "50", "60", "61"}, of(results.QFPR), text.WithTheory)...),
		text.Cell("bytes at last", of(results.QBytesPerUser, by.Day.At(End)), text.Of),
		text.Cell("older ones recognised", of(results.QExpired, by.Day.At(End)), func(r results.Row) string {
			return fmt.Sprintf("%.3g %%", 100*r.Value.Or(0))
		})),
}

// costs are what requests and days' ends cost, and the lanes' time over that of another.
var costs = text.Table{
	Title:   "What a month costs: a candidate of a request, and the end of a day (in brackets: the lanes' time over it)",
	Lines:   of(results.QQueryNanos, by.Candidates.At(400)),
	Columns: []text.Column{text.Strategy(), query(400), query(4000), dayEnd},
}

// of is a quantity of every way.
func of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, where...).In(results.Month).Of(results.Any)
}

// query is the time of a candidate, and the lanes' over it, where it is another way's.
func query(candidates float64) text.Column {
	at := by.Candidates.At(candidates)
	column := text.Column{Header: fmt.Sprintf("%v candidates", candidates), Queries: []results.Query{of(results.QQueryNanos, at)}}
	names := []string{rebuilt, sameHashes}
	for _, name := range names {
		column.Queries = append(column.Queries, of(results.QTimeRatio, at, over[name]).Of(lanesName))
	}
	column.Show = func(r ...results.Row) string {
		cell := fmt.Sprintf("%.1f ns", r[0].Value.Or(0))
		for i, ratio := range r[1:] {
			if names[i] == r[0].Strategy && ratio.Value.IsSet() {
				cell += fmt.Sprintf(" (%.2f, %.2f to %.2f)", ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0))
			}
		}
		return cell
	}
	return column
}

// dayEnd is the time of the end of a day, and one over its quotient with the lanes'.
var dayEnd = text.Column{
	Header:  "end of a day",
	Queries: []results.Query{of(results.QDayEnd), of(results.QTimeRatio, overLanes)},
	Show: func(r ...results.Row) string {
		cell := text.Of(r[0])
		if ratio := r[1]; ratio.Value.IsSet() {
			cell += fmt.Sprintf(" (1/%.0f, 1/%.0f to 1/%.0f)", ratio.Value.Or(0), ratio.Low.Or(0), ratio.High.Or(0))
		}
		return cell
	},
}
