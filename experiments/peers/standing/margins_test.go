package standing_test

import (
	"testing"

	"dejavu/experiments/peers/standing"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
)

// Of bytes, which an allocator rounds, two per cent decide nothing; of what was measured
// one after the other, ten do not.
func TestMargins(t *testing.T) {
	stands := func(quantity string, theirs float64, want standing.Standing) {
		t.Helper()
		row := func(strategy string, v float64) results.Row {
			return results.Row{
				Experiment: results.Peers, Strategy: strategy, Where: results.Where(by.Users.At(1e6)), Quantity: quantity,
				Value: results.Num(v),
			}
		}
		rows := standing.NewRows([]results.Row{
			row(standing.OurName("chain"), 1000), row(standing.Name("swift", "chain"), theirs),
		})
		for _, v := range append(rows.Verdicts(), rows.Others()...) {
			if v.Quantity == quantity {
				strategytest.Equal(t, v.Standing, want, "%s of 1000 beside theirs of %v", quantity, theirs)
				return
			}
		}
		t.Fatalf("no verdict on %s", quantity)
	}
	stands(results.QBytesPerUser, 1019, standing.Level)
	stands(results.QBytesPerUser, 1021, standing.Ahead)
	stands(results.QBytesPerUser, 981, standing.Level)
	stands(results.QBytesPerUser, 979, standing.Behind)
	stands(results.QForcedPause, 1099, standing.Level)
	stands(results.QForcedPause, 1101, standing.Ahead)
	stands(results.QForcedPause, 910, standing.Level)
	stands(results.QForcedPause, 908, standing.Behind)
}
