package counting_test

import (
	"math"
	"testing"

	"dejavu/beyond/counting"
	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

// The rate by articles read: golden values computed outside the project from the
// recursion of Bose et al. (2008), as for package single.
func TestTheory(t *testing.T) {
	f := build(t, counting.Paper)
	for read, want := range map[int]float64{
		0: 0, 200: 0.000280, 300: 0.002104, 500: 0.020268, 1000: 0.211128, 1500: 0.499930, 2000: 0.725167, 3000: 0.930626,
	} {
		if got := f.FPR(read); math.Abs(got-want) > 0.5e-6 {
			t.Errorf("FPR(%d) = %.7f, want %.6f", read, got, want)
		}
		if f.Window(read) != read {
			t.Errorf("Window(%d) = %d, want all", read, f.Window(read))
		}
		want := 2032
		if read == 0 {
			want = 0
		}
		if got := f.Bytes(read); got != want {
			t.Errorf("Bytes(%d) = %d, want %d", read, got, want)
		}
	}
}

// Sized is the smallest filter at its window, and grows with what is asked.
func TestSized(t *testing.T) {
	c, err := counting.Sized(500, 0.02)
	strategytest.Must(t, err)
	// m = 4078 and k = 6 were computed outside the project.
	if want := (counting.Config{Capacity: 500, Geometry: bloom.Geometry{Bits: 4078, Hashes: 6}}); c != want {
		t.Errorf("Sized(500, 0.02) = %+v, want %+v", c, want)
	}
	last := 0
	for _, fpr := range []float64{0.9, 0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0.001, 1e-6} {
		c, err := counting.Sized(400, fpr)
		strategytest.Must(t, err)
		f := build(t, c)
		if f.FPR(400) > fpr || f.Bytes(400) < last {
			t.Errorf("Sized(400, %v): %v in %d bytes, after %d", fpr, f.FPR(400), f.Bytes(400), last)
		}
		last = f.Bytes(400)
	}
}

func TestSizedErrors(t *testing.T) {
	strategytest.RefusesTargets(t, counting.Sized, map[string]strategytest.Target{
		"n = 0 articles: want 1 or more":                             {0, 0.02},
		"false-positive rate of 0: want more than 0":                 {400, 0},
		"false-positive rate of 1: want more than 0 and less than 1": {400, 1},
		"false-positive rate of NaN":                                 {400, math.NaN()},
		"16777216 articles at a false-positive rate of 1e-09":        {1 << 24, 1e-9},
	})
}
