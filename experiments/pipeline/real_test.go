package pipeline

import (
	"testing"

	"dejavu/results"
)

// A log that was not measured has no line, and those after it have; what was not simulated
// is a dash.
func TestRealTable(t *testing.T) {
	row := func(quantity, x string, value float64, count int64) results.Row {
		r := results.Row{Experiment: results.Pipeline, Strategy: "chain", Quantity: quantity, Unit: results.Nanoseconds, Value: results.Num(value), Count: count}
		if x != "" {
			r.X = results.Num(0)
		}
		return r
	}
	name := results.LiveLogs[1]
	missed := row(results.QNotFiltered+name, "", 3, 12000)
	missed.Unit = ""
	again := row(results.QAgainLate, "0", 0.0125, 1000)
	again.Unit = results.Ratio
	rows := []results.Row{
		row(results.QUntilFiltered+name, "", 2e6, 1000),
		row(results.QUntilFiltered+results.P99+name, "", 5e6, 1000),
		missed,
	}
	for _, simulated := range []string{"–", perMille(again)} {
		got := RealTable(results.NewCells(rows)).Rows
		if len(got) != 1 || len(got[0]) != 5 || got[0][0] != "Kafka" || got[0][1] == got[0][2] || got[0][3] != "3 of 12,000" || got[0][4] != simulated {
			t.Errorf("%q, want a line of Kafka, 3 of 12,000 and %s", got, simulated)
		}
		rows = append(rows, again)
	}
	if got := RealTable(results.NewCells(nil)).Rows; len(got) != 0 {
		t.Errorf("of nothing: %q", got)
	}
}
