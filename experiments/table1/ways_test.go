package table1

import (
	"slices"
	"testing"

	"dejavu/results"
	"dejavu/results/by"
)

// A queue's time is named for what it is of, and the paper's way stands beside it where latency ran; no other's is.
func TestBothWays(t *testing.T) {
	at40 := by.Candidates.At(40)
	row := func(experiment, strategy, quantity string, value float64, where ...results.Condition) results.Row {
		return results.Row{
			Experiment: experiment, Strategy: strategy, Quantity: quantity, Unit: results.Nanoseconds,
			Value: results.Num(value),
		}.With(where...)
	}
	rows := []results.Row{
		row(results.Table1, "queue", results.QPayloadPerUser, 4000),
		row(results.Table1, "single", results.QPayloadPerUser, 508),
		row(results.Table1, "queue", results.QRequestTime, 600, at40, median),
		row(results.Table1, "single", results.QRequestTime, 80, at40, median),
	}
	decoded := row(results.Latency, "queue-map", results.QRequestTime, 7000, at40, by.History.Is("hot"), median)
	for want, rows := range map[string][]results.Row{
		"600 ns by a scan": rows,
		"600 ns by a scan, 7000 ns by the paper's hash table": append(slices.Clip(rows), decoded),
	} {
		got := Headline.Of(results.NewCells(rows))
		i := slices.Index(got.Header, "request of 40")
		if len(got.Rows) != 2 || got.Rows[0][i] != want || got.Rows[1][i] != "80 ns" {
			t.Errorf("%q, want %q and 80 ns", got.Rows, want)
		}
	}
}
