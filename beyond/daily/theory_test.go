package daily_test

import (
	"math"
	"slices"
	"testing"

	"dejavu/beyond/daily"
	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

// The rate by days: golden values computed outside the project, by the recursion of Bose et al. (2008) for one day of
// 100 articles in 812 bits and 6 hashes, 0.020480, and 1 - (1-e)^days for their union. The rate lies below it, as days
// share positions.
func TestFPRDays(t *testing.T) {
	f := build(t, daily.Config{Days: 30, Geometry: bloom.Geometry{Bits: 812, Hashes: 6}})
	rates := func(counts []int, want float64) {
		t.Helper()
		strategytest.Near(t, f.FPRDays(counts), want, 0.6e-6, "FPRDays(%v)", counts)
	}
	rates(nil, 0)
	rates([]int{0, 0}, 0)
	rates([]int{50}, 0.000878)
	rates([]int{100}, 0.020480)
	rates([]int{0, 100, 0}, 0.020480)
	rates(slices.Repeat([]int{100}, 5), 0.098229) // shared positions, see package chain
	rates(slices.Repeat([]int{100}, 10), 0.186683)
	rates(append([]int{1}, slices.Repeat([]int{100}, 4)...), 0.079399)
	if got, want := f.FPRDays(slices.Repeat([]int{100}, 30)), 1-math.Pow(1-0.020480, 30); got > want || got < 0.99*want {
		t.Errorf("thirty full days: %.6f, want just below %.6f", got, want)
	}
	// A heavy day is remembered like any other, and dominates the rate.
	if got := f.FPRDays([]int{1, 500, 1}); got < bloom.Exact(500, f.Geometry) || got > bloom.Exact(500, f.Geometry)+1e-9 {
		t.Errorf("a day of 500 articles: %v, want that of one filter, %v", got, bloom.Exact(500, f.Geometry))
	}
	strategytest.Equal(t, f.FPR(100), f.FPRDays([]int{100}), "FPR(100)")
}

// The preset meets 1 % on thirty full days of 150 articles, and no smaller filter does, whatever its number of hashes.
func TestMonthIsTheSmallest(t *testing.T) {
	full := slices.Repeat([]int{150}, daily.Month.Days)
	strategytest.AtMost(t, build(t, daily.Month).FPRDays(full), 0.01, "the preset's rate")
	for hashes := 1; hashes <= 32; hashes++ {
		less := daily.Month
		less.Geometry = bloom.Geometry{Bits: less.Geometry.Bits - 1, Hashes: hashes}
		if got := build(t, less).FPRDays(full); got <= 0.01 {
			t.Errorf("%v will do, the preset is %v", less.Geometry, daily.Month.Geometry)
		}
	}
}
