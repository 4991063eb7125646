package plots

import (
	"slices"
	"testing"
)

// The stairs hold the points that no other betters in both coordinates, and end at
// the edge.
func TestFront(t *testing.T) {
	p := func(x, y float64) point { return point{x: x, y: y} }
	for _, c := range []struct {
		name string
		all  []point
		want []point
	}{
		{"one", []point{p(1, 1)}, []point{p(1, 1), p(9, 1)}},
		{"worse in both", []point{p(1, 1), p(2, 2)}, []point{p(1, 1), p(9, 1)}},
		{"each better in one", []point{p(3, 1), p(1, 3), p(2, 2)}, []point{p(1, 3), p(2, 2), p(3, 1), p(9, 1)}},
		{"the same place, twice", []point{p(1, 2), p(1, 1), p(1, 1)}, []point{p(1, 1), p(9, 1)}},
		{"as good in one, worse in the other", []point{p(1, 2), p(2, 2), p(3, 1)}, []point{p(1, 2), p(3, 1), p(9, 1)}},
	} {
		if got := front(c.all, 9); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
