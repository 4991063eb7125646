package counting_test

import (
	"testing"

	"dejavu/beyond/counting"
	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

// Sized is the smallest filter at its window, and grows with what is asked.
func TestSized(t *testing.T) {
	c := strategytest.Value(counting.Sized(500, 0.02))
	// m = 4078 and k = 6 were computed outside the project.
	strategytest.Equal(t, c, (counting.Config{Capacity: 500, Geometry: bloom.Geometry{Bits: 4078, Hashes: 6}}),
		"Sized(500, 0.02)")
	last := 0
	for _, fpr := range []float64{0.9, 0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0.001, 1e-6} {
		c := strategytest.Value(counting.Sized(400, fpr))
		f := build(t, c)
		if f.FPR(400) > fpr || f.Bytes(400) < last {
			t.Errorf("Sized(400, %v): %v in %d bytes, after %d", fpr, f.FPR(400), f.Bytes(400), last)
		}
		last = f.Bytes(400)
	}
}
