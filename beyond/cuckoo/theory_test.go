package cuckoo_test

import (
	"math"
	"testing"

	"dejavu/beyond/cuckoo"
	"dejavu/strategies/strategytest"
)

// Rates by hand. In two buckets a fingerprint has one pair, so that there are 15 articles that a filter of 4
// bits can tell apart, and with two alive a fresh one is like one of them with 1 - (14/15)^2 = 29/225. The
// standard tells 255·178/2 = 22695 apart: 456/22695 = 0.0200925, less the half of its square and so on,
// 0.0198925 (computed outside the project).
func TestTheory(t *testing.T) {
	tiny := build(t, cuckoo.Config{Generations: 2, Capacity: 1, Buckets: 2, Slots: 4, Fingerprint: 4})
	standard := build(t, cuckoo.Standard)
	for _, tt := range []struct {
		filter *cuckoo.Filter
		read   int
		want   float64
	}{
		{tiny, 0, 0},
		{tiny, 1, 1. / 15},
		{tiny, 2, 29. / 225},
		{tiny, 1000, 29. / 225},
		{standard, 1, 1. / 22695},
		{standard, 456, 0.0198925},
		{standard, 457, 0.0174710},
		{standard, 513, 0.0198925},
	} {
		strategytest.Near(t, tt.filter.FPR(tt.read), tt.want, 1e-7, "FPR(%d)", tt.read)
	}
	// Fan et al. (2014, §5.1) have 1 - (1 - 2^-8)^6 = 0.0232 for two full buckets of
	// three, and these are full to 85 %.
	strategytest.Near(t, standard.Asymptotic(456), 0.01985, 1e-5, "Asymptotic(456)")
}

// The standard is what Sized gives.
func TestSized(t *testing.T) {
	c, err := cuckoo.Sized(400, 0.02)
	if err != nil || c != cuckoo.Standard {
		t.Errorf("Sized(400, 0.02) = %+v, %v, want %+v", c, err, cuckoo.Standard)
	}
	last := math.MaxInt
	for fpr := 1e-6; fpr < 0.9; fpr *= 1.1 {
		c := strategytest.Value(cuckoo.Sized(400, fpr))
		bytes := build(t, c).Bytes(1 << 20)
		if bytes > last {
			t.Errorf("Sized(400, %v) takes %d bytes, and %d at a lower rate", fpr, bytes, last)
		}
		last = bytes
	}
}

func TestSizedErrors(t *testing.T) {
	strategytest.RefusesTargets(t, cuckoo.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 65535":             {0, 0.02},
		"window is 65536, want 1 to 65535":         {65536, 0.02},
		"fpr is 0, want it between 0 and 1":        {400, 0},
		"fpr is 1, want it between 0 and 1":        {400, 1},
		"fpr is NaN":                               {400, math.NaN()},
		"fpr is 1e-300, want at least 1.9e-13 for": {400, 1e-300},
	})
}

func TestSizedKeepsItsPromise(t *testing.T) { strategytest.KeepsPromises(t, cuckoo.Sized, build) }
