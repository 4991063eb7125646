package tradeoff

import (
	"slices"
	"testing"

	"dejavu/plots"
)

// A rate becomes one over it, ascending; a rate of zero has no place on the axis.
func TestByOdds(t *testing.T) {
	got := byOdds([]plots.Point{plots.At(0.5, 100), plots.At(0, 300), plots.At(0.25, 200), plots.At(1, 50)})
	if want := []plots.Point{plots.At(1, 50), plots.At(2, 100), plots.At(4, 200)}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
