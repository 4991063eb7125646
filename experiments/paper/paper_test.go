package paper

import (
	"testing"

	"dejavu/experiments/experimenttest"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// The queue's time is shown with the time of the paper's hash table, if there is one; other strategies have one way.
func TestBothWays(t *testing.T) {
	row := func(strategy string, nanos results.Number) results.Row {
		return results.Row{Strategy: strategy, Value: nanos, Unit: results.Nanoseconds}
	}
	for want, rows := range map[string][]results.Row{
		"5 ns by a scan, 7 ns by the paper's hash table": {row("queue", results.Num(5)), row("queue", results.Num(7))},
		"5 ns by a scan": {row("queue", results.Num(5)), {}},
		"5 ns":           {row("single", results.Num(5)), row("single", results.Num(7))},
	} {
		strategytest.Equal(t, bothWays(rows...), want, "the cell is")
	}
}

// TestGolden runs each experiment whole, over few users, and compares what it prints.
func TestGolden(t *testing.T) {
	experimenttest.Golden(t, Extend, 1000)
	experimenttest.Golden(t, Fill, 1000)
	experimenttest.Golden(t, FPR, 1000)
	experimenttest.Golden(t, Hashes, 1000)
	experimenttest.Golden(t, Latency, 1000)
	experimenttest.Golden(t, Memory, 1000)
	experimenttest.Golden(t, Sizing, 1000)
	experimenttest.Golden(t, Table1, 1200, "chain-sized")
	experimenttest.Golden(t, Window, 1000, "chain-literal")
}
