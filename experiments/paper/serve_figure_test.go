package paper

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// syntheticServe is a run of the experiment serve on a machine of 16 processors,
// where every doubling costs a strategy a twentieth.
func syntheticServe() (rows []results.Row) {
	add := func(strategy, quantity string, v float64, where ...results.Condition) {
		rows = append(rows, results.Row{
			Experiment: results.Serve, Strategy: strategy, Where: results.Where(where...), Quantity: quantity,
			Value: results.Num(v), Count: 1e6,
		})
	}
	for i, name := range []string{"queue", "single", "dual", "dual-blanked", "chain"} {
		for k := range 5 {
			n := math.Exp2(float64(k))
			served := (4 + float64(i)) * 2e5 * n * math.Pow(0.95, float64(k))
			add(name, results.QRequestsPerSecond, served, by.Goroutines.At(n))
			add(name, results.QFairness, 1-0.01*float64(k), by.Goroutines.At(n))
		}
	}
	return rows
}

func TestServeOnOneProcessor(t *testing.T) {
	rows := slices.DeleteFunc(syntheticServe(), func(r results.Row) bool {
		return r.Experiment == results.Serve && r.Coordinate(by.Goroutines).Or(1) > 1
	})
	_, reason, _ := plots.NewData(serveFigures, rows).Lay(serveFigures[0])
	strategytest.Contains(t, reason, "one processor", "the reason is")
	_, reason, _ = plots.NewData(serveFigures, nil).Lay(serveFigures[0])
	strategytest.Contains(t, reason, "no rows of experiment serve", "the reason is")
}

func TestServeBars(t *testing.T) {
	s, reason, err := plots.NewData(serveFigures, syntheticServe()).Lay(serveFigures[0])
	if err != nil || reason != "" || len(s.Panels) != 1 {
		t.Fatalf("the panels are %v, %s, %v", s.Panels, reason, err)
	}
	const want = "Queue (as many users as fit)|Single filter|Dual filter|Chain of five"
	if p := s.Panels[0]; len(p.Series) != 8 || strings.Join(p.Y.Names, "|") != want {
		t.Errorf("%d bars of %q, want two of each of %s", len(p.Series), p.Y.Names, want)
	}
}
