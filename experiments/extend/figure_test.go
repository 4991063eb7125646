package extend

import (
	"slices"
	"testing"

	"dejavu/plots"
)

// Where histories start empty the rate jumps at the change: the curve begins there.
func TestSinceChange(t *testing.T) {
	got := sinceChange([]plots.Point{plots.At(-50, 0.02), plots.At(-1, 0.02), plots.At(0, 0), plots.At(50, 0.001)})
	if !slices.Equal(got, []plots.Point{plots.At(0, 0), plots.At(50, 0.001)}) {
		t.Errorf("the curve is %v", got)
	}
}
