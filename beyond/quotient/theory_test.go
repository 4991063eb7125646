package quotient_test

import (
	"math"
	"sort"
	"testing"

	"dejavu/beyond/quotient"
	"dejavu/strategies/strategytest"
)

// By hand: 1 - (1 - 1/22572)^N for N = 1, 400 and 456.
func TestTheory(t *testing.T) {
	f := build(t, quotient.Window400)
	for read, want := range map[int]float64{0: 0, 1: 1. / 22572, 400: 0.0175654, 457: 0.0175654, 513: 0.0199998} {
		strategytest.Near(t, f.FPR(read), want, 0.5e-7, "FPR(%d)", read)
	}
}

// 605 bytes, of which 456 are in the open, 146 are 456 + 706 bits of unary, and 3 the header. Nothing of
// another number of generations is smaller, nor anything of a smaller range good enough.
func TestSized(t *testing.T) {
	c, err := quotient.Sized(400, 0.02)
	if err != nil || c != quotient.Window400 {
		t.Fatalf("Sized(400, 0.02) = %+v, %v, want %+v", c, err, quotient.Window400)
	}
	f := build(t, c)
	strategytest.Equal(t, f.Bytes(456), 456+146+3, "bytes")
	for generations := 2; generations <= 128; generations++ {
		c := quotient.Config{Generations: generations, Generation: (399 + generations - 2) / (generations - 1)}
		c.Range = 64 + sort.Search(1<<17, func(more int) bool {
			c.Range = 64 + more
			return build(t, c).FPR(generations*c.Generation) <= 0.02
		})
		if got := build(t, c).Bytes(1 << 20); got < 605 {
			t.Errorf("%+v takes %d bytes", c, got)
		}
	}
	c.Range--
	if got := build(t, c).FPR(456); got <= 0.02 {
		t.Errorf("a smaller range does with %v", got)
	}
}

// Whatever is asked for is kept at every moment.
func TestSizedKeepsItsPromise(t *testing.T) {
	for _, tt := range []struct {
		window int
		fpr    float64
	}{{1, 0.5}, {1, 0.999}, {2, 0.01}, {60, 0.3}, {399, 0.02}, {401, 0.001}, {1000, 0.02}, {4000, 0.1}, {400, 1e-6}} {
		c, err := quotient.Sized(tt.window, tt.fpr)
		if err != nil {
			t.Error(err)
			continue
		}
		f := build(t, c)
		for read := range 3 * c.Generations * c.Generation {
			if window, rate := f.Window(read), f.FPR(read); window < min(read, tt.window) || rate > tt.fpr {
				t.Fatalf("Sized(%d, %v): after %d articles a window of %d and a rate of %v", tt.window, tt.fpr, read, window, rate)
			}
		}
	}
	strategytest.RefusesTargets(t, quotient.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 8322946":    {0, 0.02},
		"window is 8322947":                 {8322947, 0.02},
		"fpr is 0, want it between 0 and 1": {400, 0},
		"fpr is 1":                          {400, 1},
		"fpr is NaN":                        {400, math.NaN()},
		"fpr is 1e-08, want at least 4e-07 for 400 articles": {400, 1e-8},
	})
}
