package chain

import (
	"testing"

	"dejavu/strategies/strategytest"

	"dejavu/bloom"
)

// The bound that saves Best the exact rate never exceeds it, beyond rounding, and where it matters it is less than a
// per cent below.
func TestAtLeast(t *testing.T) {
	worst := 1.
	for _, links := range []int{1, 5, 57} {
		for _, capacity := range []int{1, 8, 25, 100, 400} {
			for _, bits := range []int{64, 65, 100, 178, 812, 1150, 3835, 100_000} {
				for _, hashes := range []int{1, 2, 6, 11, 24, 64} {
					c := Config{Links: links, Capacity: capacity, Geometry: bloom.Geometry{Bits: bits, Hashes: hashes}}
					bound, exact := atLeast(c), rate(c)
					strategytest.AtMost(t, bound, exact*(1+1e-9), "%+v: the bound", c)
					if full := bloom.Fill(capacity, c.Geometry); bits >= 812 && hashes < 12 && 0.4 < full && full < 0.6 {
						worst = min(worst, bound/exact)
					}
				}
			}
		}
	}
	if worst < 0.99 || worst == 1 {
		t.Errorf("the bound is down to %v of the rate", worst)
	}
}
