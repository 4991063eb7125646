package paper

import (
	"fmt"
	"slices"
	"testing"

	"dejavu/strategies/strategytest"

	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// A point and its interval become shares of the unit at their own x, less one. Where
// the unit is zero, or unknown, there is no share.
func TestExcess(t *testing.T) {
	unit := []plots.Point{plots.At(0, 0), plots.At(100, 0.5), plots.At(200, 0.25)}
	points := []plots.Point{
		{X: 0, Y: 1, Low: 1, High: 1},
		{X: 200, Y: 0.5, Low: 0.25, High: 1},
		{X: 100, Y: 0.25, Low: 0, High: 0.5},
		{X: 300, Y: 1, Low: 1, High: 1},
	}
	want := []plots.Point{{X: 200, Y: 1, Low: 0, High: 3}, {X: 100, Y: -0.5, Low: -1, High: 0}}
	if got := fPRExcess(points, unit); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Marks of two strategies with the same rates stand in different places.
func TestEveryThird(t *testing.T) {
	var points []plots.Point
	for x := range 24 {
		points = append(points, plots.At(float64(x), 0))
	}
	if got := everyThird(points, 4); len(got) != 8 || got[0].X != 1 || got[7].X != 22 {
		t.Errorf("the fifth strategy has marks at %v", got)
	}
	strategytest.Equal(t, len(everyThird(points[:23], 4)), 23, "marks of few")
}

// The figure of the formulas has a line for each strategy that has an approximation, but for variants.
func TestFormulas(t *testing.T) {
	var rows []results.Row
	for _, strategy := range []string{"queue", "single", "chain", "chain-sized"} {
		for formula, theory := range map[string]float64{results.ExactFormula: 0.02, results.AsymptoticFormula: 0.0199} {
			if strategy != "queue" || formula == results.ExactFormula {
				rows = append(rows, results.Row{
					Experiment: results.FPR, Strategy: strategy, Quantity: results.QFPR, Unit: results.Ratio,
					Where: results.Where(by.Articles.At(500), by.Formula.Is(formula)), Theory: results.Num(theory),
				})
			}
		}
	}
	i := slices.IndexFunc(fPRFigures, func(f plots.Figure) bool { return f.Name == "fpr-formulas" })
	sheet, reason, err := plots.NewData(fPRFigures, rows).Lay(fPRFigures[i])
	if err != nil || reason != "" {
		t.Fatal(reason, err)
	}
	var lines []string
	for _, series := range sheet.Panels[0].Series {
		lines = append(lines, fmt.Sprintf("%s %.3f", series.Look.Name, series.Line[0].Y))
	}
	strategytest.EqualSlices(t, lines, []string{"Single filter -0.005", "Chain of five -0.005"}, "the lines are")
}
