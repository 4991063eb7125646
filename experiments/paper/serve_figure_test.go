package paper

import (
	"testing"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
)

// On one processor there is no figure, and the reason is given.
func TestServeOnOneProcessor(t *testing.T) {
	one := results.Row{
		Experiment: results.Serve, Strategy: "queue", Where: results.Where(by.Goroutines.At(1)),
		Quantity: results.QRequestsPerSecond, Value: results.Num(1e6),
	}
	_, reason, _ := plots.NewData(serveFigures, []results.Row{one}).Lay(serveFigures[0])
	strategytest.Contains(t, reason, "one processor", "the reason is")
}
