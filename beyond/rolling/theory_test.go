package rolling_test

import (
	"math"
	"testing"

	"dejavu/beyond/rolling"
	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

// The rate is that of a filter of all articles remembered: golden values of bloom.Exact computed outside the
// project (Bose et al. 2008), here for three generations of 100 and of 500 in the paper's 4064 positions.
func TestTheory(t *testing.T) {
	paper := bloom.Geometry{Bits: 4064, Hashes: 6}
	for _, tt := range []struct {
		generation, read, window int
		fpr                      float64
	}{
		{100, 0, 0, 0},
		{100, 200, 200, 0.000280},
		{100, 300, 300, 0.002104},
		{100, 900, 300, 0.002104},
		{500, 500, 500, 0.020268},
		{500, 1000, 1000, 0.211128},
		{500, 1500, 1500, 0.499930},
		{500, 2000, 1500, 0.499930},
		{500, 1_000_000, 1500, 0.499930},
	} {
		f := build(t, rolling.Config{Generation: tt.generation, Geometry: paper})
		strategytest.Near(t, f.FPR(tt.read), tt.fpr, 0.5e-6, "generations of %d: FPR(%d)", tt.generation, tt.read)
		strategytest.Equal(t, f.Window(tt.read), tt.window, "generations of %d: Window(%d)", tt.generation, tt.read)
	}
}

// Whatever is asked for is met at every moment, and a position less misses it.
func TestSizedKeepsItsPromise(t *testing.T) {
	for _, tt := range []struct {
		window int
		fpr    float64
	}{{1, 0.5}, {2, 0.01}, {3, 0.1}, {4, 0.1}, {399, 0.02}, {400, 0.02}, {401, 0.001}, {402, 0.3}, {1, 0.999}} {
		c, err := rolling.Sized(tt.window, tt.fpr)
		if err != nil {
			t.Fatalf("Sized(%d, %v): %v", tt.window, tt.fpr, err)
		}
		f := build(t, c)
		for read := range 7 * c.Generation {
			if f.Window(read) < min(read, tt.window) {
				t.Fatalf("Sized(%d, %v): the window is %d after %d articles", tt.window, tt.fpr, f.Window(read), read)
			}
			if read%c.Generation == 0 && f.FPR(read) > tt.fpr {
				t.Fatalf("Sized(%d, %v): the rate is %v after %d articles", tt.window, tt.fpr, f.FPR(read), read)
			}
		}
		if smaller := c; c.Generation > 1 {
			smaller.Generation--
			if got := build(t, smaller).Window(3*smaller.Generation + 1); got >= tt.window {
				t.Errorf("Sized(%d, %v): generations of %d would do, their window is %d", tt.window, tt.fpr, smaller.Generation,
					got)
			}
		}
		if smaller := c; c.Geometry.Bits > bloom.MinLaneBits {
			smaller.Geometry.Bits--
			if got := build(t, smaller).FPR(3 * c.Generation); got <= tt.fpr {
				t.Errorf("Sized(%d, %v): %v does with a position less: %v", tt.window, tt.fpr, c.Geometry, got)
			}
		}
	}
}

func TestSizedErrors(t *testing.T) {
	strategytest.RefusesTargets(t, rolling.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 131071":                            {0, 0.02},
		"window is 131072, want 1 to 131071":                       {131072, 0.02},
		"fpr is 0, want it between 0 and 1":                        {400, 0},
		"fpr is 1, want it between 0 and 1":                        {400, 1},
		"fpr is NaN":                                               {400, math.NaN()},
		"fpr is 1e-300, want at least 1.6e-18 for 131071 articles": {131071, 1e-300},
	})
}
