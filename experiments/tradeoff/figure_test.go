package tradeoff

import (
	"slices"
	"testing"

	"dejavu/plots"
)

// The stairs hold the points that no other betters in both coordinates, and end at
// the edge.
func TestFront(t *testing.T) {
	p := func(x, y float64) plots.Point { return plots.Point{X: x, Y: y} }
	for _, c := range []struct {
		name string
		all  []plots.Point
		want []plots.Point
	}{
		{"one", []plots.Point{p(1, 1)}, []plots.Point{p(1, 1), p(9, 1)}},
		{"worse in both", []plots.Point{p(1, 1), p(2, 2)}, []plots.Point{p(1, 1), p(9, 1)}},
		{"each better in one", []plots.Point{p(3, 1), p(1, 3), p(2, 2)}, []plots.Point{p(1, 3), p(2, 2), p(3, 1), p(9, 1)}},
		{"the same place, twice", []plots.Point{p(1, 2), p(1, 1), p(1, 1)}, []plots.Point{p(1, 1), p(9, 1)}},
		{"as good in one, worse in the other", []plots.Point{p(1, 2), p(2, 2), p(3, 1)}, []plots.Point{p(1, 2), p(3, 1), p(9, 1)}},
	} {
		if got := front(c.all, 9); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
