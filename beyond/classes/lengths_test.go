package classes

import (
	"testing"

	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

// Lengths are those of bloom.BestGeometry in whole bytes; what is asked for is
// met, and not with a hash less, and not in a byte less.
func TestShortest(t *testing.T) {
	counts := []int{1, 2, 3, 5, 30, 31, 100, 400, 1000, 4095}
	for _, fpr := range []float64{0.9, 0.5, 0.1, 0.02, 0.001, 1e-6} {
		got := strategytest.Value(shortest(counts, fpr))
		for i, n := range counts {
			best := strategytest.Value(bloom.BestGeometry(n, fpr))
			strategytest.Equal(t, got[i].Bits, (best.Bits+7)/8*8, "%d articles at %v take %v", n, fpr, got[i])
			strategytest.AtMost(t, bloom.Exact(n, got[i]), fpr, "%d articles at %v: the rate of %v", n, fpr, got[i])
			if less := (bloom.Geometry{Bits: got[i].Bits, Hashes: got[i].Hashes - 1}); bloom.Exact(n, less) <= fpr {
				t.Errorf("%d articles at %v: %v would do for %v", n, fpr, less, got[i])
			}
		}
	}
}
