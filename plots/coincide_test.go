package plots

import (
	"slices"
	"testing"

	"gonum.org/v1/plot/plotter"
)

func TestRises(t *testing.T) {
	curve := plotter.XYs{{X: 0, Y: 1}, {X: 1, Y: 2}, {X: 2, Y: 1}, {X: 3, Y: 1}, {X: 4, Y: 0}}
	parts := rises(curve)
	if len(parts) != 3 || len(parts[0]) != 2 || !slices.Equal(parts[1], curve[2:4]) || len(rises(nil)) != 0 {
		t.Errorf("the parts are %v", parts)
	}
}
