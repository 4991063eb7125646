package daily_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dejavu/beyond/daily"
	"dejavu/bloom"
)

// The rate by days: golden values computed outside the project, by the
// recursion of Bose et al. (2008) for one day of 100 articles in 812 bits and
// 6 hashes, 0.020480, and 1 - (1-e)^days for their union, below which the rate
// lies as days share positions.
func TestFPRDays(t *testing.T) {
	f := build(t, daily.Config{Days: 30, Geometry: bloom.Geometry{Bits: 812, Hashes: 6}})
	for _, tt := range []struct {
		counts []int
		want   float64
	}{
		{nil, 0},
		{[]int{0, 0}, 0},
		{[]int{50}, 0.000878},
		{[]int{100}, 0.020480},
		{[]int{0, 100, 0}, 0.020480},
		{slices.Repeat([]int{100}, 5), 0.098229}, // shared positions, see package chain
		{slices.Repeat([]int{100}, 10), 0.186683},
		{append([]int{1}, slices.Repeat([]int{100}, 4)...), 0.079399},
	} {
		if got := f.FPRDays(tt.counts); math.Abs(got-tt.want) > 0.6e-6 {
			t.Errorf("FPRDays(%v) = %.7f, want %.6f", tt.counts, got, tt.want)
		}
	}
	if got, want := f.FPRDays(slices.Repeat([]int{100}, 30)), 1-math.Pow(1-0.020480, 30); got > want || got < 0.99*want {
		t.Errorf("thirty full days: %.6f, want just below %.6f", got, want)
	}
	// A heavy day is remembered like any other, and drives the rate alone.
	if got := f.FPRDays([]int{1, 500, 1}); got < bloom.Exact(500, f.Geometry) || got > bloom.Exact(500, f.Geometry)+1e-9 {
		t.Errorf("a day of 500 articles: %v, want that of one filter, %v", got, bloom.Exact(500, f.Geometry))
	}
	if got, want := f.FPR(100), f.FPRDays([]int{100}); got != want {
		t.Errorf("FPR(100) = %v, want that of one day, %v", got, want)
	}
}

// The preset is what SizedDays says, and no smaller filter would do, whatever
// its number of hashes.
func TestSizedDays(t *testing.T) {
	month, err := daily.SizedDays(30, 150, 0.01)
	if err != nil || month != daily.Month {
		t.Errorf("SizedDays(30, 150, 0.01) = %+v, %v, want the preset %+v", month, err, daily.Month)
	}
	for _, tt := range []struct {
		days, perDay int
		fpr          float64
	}{{30, 150, 0.01}, {30, 14, 0.02}, {30, 14, 0.25}, {7, 100, 0.02}, {2, 300, 0.001}, {32, 20, 0.1}} {
		c, err := daily.SizedDays(tt.days, tt.perDay, tt.fpr)
		if err != nil {
			t.Fatal(err)
		}
		full := slices.Repeat([]int{tt.perDay}, tt.days)
		if got := build(t, c).FPRDays(full); got > tt.fpr {
			t.Errorf("%+v: %v has a rate of %v", tt, c.Geometry, got)
		}
		for hashes := 1; hashes <= 32; hashes++ {
			less := daily.Config{Days: tt.days, Geometry: bloom.Geometry{Bits: c.Geometry.Bits - 1, Hashes: hashes}}
			if got := build(t, less).FPRDays(full); got <= tt.fpr {
				t.Errorf("%+v: %v will do, SizedDays says %v", tt, less.Geometry, c.Geometry)
			}
		}
	}
}

// Whoever reads at the pace is promised the window at every moment, and the
// rate; a smaller rate never costs less.
func TestSized(t *testing.T) {
	for _, window := range []int{1, 2, 29, 30, 31, 400, 407, 408} {
		c, err := daily.Sized(window, 0.02)
		if err != nil {
			t.Fatal(err)
		}
		perDay := max(1, (window-1+28)/29)
		p := newPaced(t, c, perDay, 1<<30)
		for read := range 62 * perDay {
			if p.Window(read) < min(read, window) {
				t.Fatalf("Sized(%d, 0.02): the window is %d after %d articles", window, p.Window(read), read)
			}
		}
		if got := p.FPR(60 * perDay); got > 0.02 {
			t.Errorf("Sized(%d, 0.02): the rate is %v when all days are full", window, got)
		}
	}
	before := 0
	for fpr := 0.99; fpr > 1e-7; fpr /= 1.3 {
		c, err := daily.Sized(400, fpr)
		if err != nil {
			t.Fatal(err)
		}
		if got := build(t, c).BytesDays(30); got < before {
			t.Errorf("Sized(400, %v) takes %d bytes, and %d do for a larger rate", fpr, got, before)
		} else {
			before = got
		}
	}
}

func TestSizedErrors(t *testing.T) {
	for _, tt := range []struct {
		days, perDay int
		fpr          float64
		want         string
	}{
		{1, 100, 0.02, "days is 1, want 2 to 32"},
		{33, 100, 0.02, "days is 33, want 2 to 32"},
		{30, 0, 0.02, "perDay is 0, want 1 or more"},
		{30, 100, 0, "fpr is 0, want it between 0 and 1"},
		{30, 100, 1, "fpr is 1, want it between 0 and 1"},
		{30, 100, math.NaN(), "fpr is NaN"},
		{30, 1 << 24, 0.01, "a day of 16777216 articles"},
	} {
		if _, err := daily.SizedDays(tt.days, tt.perDay, tt.fpr); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("SizedDays(%d, %d, %v): error %v, want %q", tt.days, tt.perDay, tt.fpr, err, tt.want)
		}
	}
	if _, err := daily.Sized(0, 0.02); err == nil || !strings.Contains(err.Error(), "window is 0, want 1 or more") {
		t.Errorf("Sized(0, 0.02): error %v", err)
	}
}
