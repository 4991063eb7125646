package layered_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dejavu/beyond/layered"
	"dejavu/bloom"
)

// What the layers hold, by hand: ten articles on each of days 0 to 9, but none
// on day 8. Day 9 is the third of the second week.
func TestHeld(t *testing.T) {
	all, moved := build(t, smallAll), build(t, smallMoved)
	counts := []int{10, 10, 10, 10, 10, 10, 10, 10, 0, 10}
	for _, tt := range []struct {
		days       int
		all, moved layered.Held
	}{
		{0, layered.Held{}, layered.Held{}},
		{1, layered.Held{Day: 10, Week: 10, All: 10}, layered.Held{Day: 10}},
		{2, layered.Held{Day: 10, Week: 20, All: 20}, layered.Held{Day: 10, Week: 10}},
		{7, layered.Held{Day: 10, Week: 70, All: 70}, layered.Held{Day: 10, Week: 60}},
		{8, layered.Held{Day: 10, Week: 10, All: 80}, layered.Held{Day: 10, All: 70}},
		{10, layered.Held{Day: 10, Week: 20, All: 90}, layered.Held{Day: 10, Week: 10, All: 70}},
	} {
		if got := all.Held(counts[:tt.days]); got != tt.all {
			t.Errorf("after %d days all layers hold %+v, want %+v", tt.days, got, tt.all)
		}
		if got := moved.Held(counts[:tt.days]); got != tt.moved {
			t.Errorf("after %d days the layers hold %+v, want %+v", tt.days, got, tt.moved)
		}
	}
}

// Each layer's share and the union: golden values computed outside the project,
// by the recursion of Bose et al. (2008), of filters of 812/6 and 4064/6.
func TestShares(t *testing.T) {
	small, large := bloom.Geometry{Bits: 812, Hashes: 6}, bloom.Geometry{Bits: 4064, Hashes: 6}
	f := build(t, layered.Config{Day: small, Week: small, All: large})
	h := layered.Held{Day: 50, Week: 100, All: 500}
	want := [layered.Layers]float64{0.000878, 0.020480, 0.020268}
	for i, got := range f.Shares(h) {
		if math.Abs(got-want[i]) > 0.5e-6 {
			t.Errorf("share of layer %d: %.7f, want %.6f", i, got, want[i])
		}
	}
	if got, want := f.FPRHeld(h), 1-(1-0.000878)*(1-0.020480)*(1-0.020268); math.Abs(got-want) > 1.5e-6 {
		t.Errorf("all layers: %.7f, want %.6f", got, want)
	}
	// Lanes share positions: five links' golden value of package chain has no
	// three of 100, but the union is just above.
	m := build(t, moved(small))
	if got, union := m.FPRHeld(layered.Held{Day: 100, Week: 100, All: 100}), 0.060189; got > union || got < 0.999*union {
		t.Errorf("three lanes of 100: %.6f, want just below %.6f", got, union)
	}
	if got, want := m.FPR(100), 0.020480; math.Abs(got-want) > 0.5e-6 {
		t.Errorf("a day of 100 alone: %.6f, want %.6f", got, want)
	}
}

// Promises are kept where the layers are full; beside them, one filter of the
// same bytes that holds all articles errs less often than three that repeat them.
func TestSized(t *testing.T) {
	for _, h := range []layered.Held{{Day: 150, Week: 1050, All: 4500}, {Day: 1, Week: 1, All: 1}, {Day: 20, Week: 100, All: 400}} {
		for _, fpr := range []float64{0.5, 0.02, 1e-4} {
			c, err := layered.SizedFor(h, fpr)
			if err != nil {
				t.Fatal(err)
			}
			f := build(t, c)
			if got := f.FPRHeld(h); got > fpr || got < 0.9*fpr && h.Day > 1 {
				t.Errorf("SizedFor(%+v, %v): the rate is %v", h, fpr, got)
			}
			if got := bloom.Exact(h.All, f.One(h.All)); got >= f.FPRHeld(h) {
				t.Errorf("SizedFor(%+v, %v): the rate is %v, and %v in one filter", h, fpr, f.FPRHeld(h), got)
			}
			if c, err = layered.SizedMoved(h, fpr); err != nil {
				t.Fatal(err)
			}
			if got := build(t, c).FPRHeld(h); got > fpr {
				t.Errorf("SizedMoved(%+v, %v): the rate is %v", h, fpr, got)
			}
			for hashes := 1; hashes <= 24 && c.All.Bits > bloom.MinLaneBits; hashes++ {
				less := bloom.Geometry{Bits: c.All.Bits - 1, Hashes: hashes}
				if got := bloom.ExactShared(less, h.Day, h.Week, h.All); got <= fpr {
					t.Errorf("SizedMoved(%+v, %v): %v will do, not only %v", h, fpr, less, c.All)
				}
			}
		}
	}
	before := 0
	for fpr := 0.99; fpr > 1e-6; fpr /= 1.3 {
		c, err := layered.Sized(400, fpr)
		if err != nil {
			t.Fatal(err)
		}
		f := build(t, c)
		if got := f.FPR(400); got > fpr {
			t.Errorf("Sized(400, %v): the rate is %v", fpr, got)
		}
		if f.Bytes(400) < before {
			t.Errorf("Sized(400, %v) takes %d bytes, and %d do for a larger rate", fpr, f.Bytes(400), before)
		}
		before = f.Bytes(400)
	}
}

// The preset is 1 % a layer.
func TestPresets(t *testing.T) {
	for n, got := range map[int]bloom.Geometry{150: layered.Month.Day, 1050: layered.Month.Week, 4500: layered.Month.All} {
		// A smallest filter is a bit larger, or a few: all its numbers of hashes do with as many.
		want, err := bloom.BestGeometry(n, 0.01)
		if err != nil || got != want {
			t.Errorf("a layer of %d articles is %v, want %v (%v)", n, got, want, err)
		}
	}
	if layered.MonthMoved != moved(layered.Month.All) {
		t.Errorf("the preset whose articles are moved is %+v, want layers as that of all time", layered.MonthMoved)
	}
}

func TestSizedErrors(t *testing.T) {
	full := layered.Held{Day: 1, Week: 7, All: 30}
	for _, tt := range []struct {
		held layered.Held
		fpr  float64
		want string
	}{
		{layered.Held{Week: 7, All: 30}, 0.02, "0 articles in the layer of day, want 1 or more"},
		{layered.Held{Day: 1, Week: -1, All: 30}, 0.02, "-1 articles in the layer of week, want 1 or more"},
		{layered.Held{Day: 1, Week: 7}, 0.02, "0 articles in the layer of all time, want 1 or more"},
		{full, 0, "fpr is 0, want it between 0 and 1"},
		{full, 1, "fpr is 1, want it between 0 and 1"},
		{full, math.NaN(), "fpr is NaN"},
		{layered.Held{Day: 1, Week: 7, All: 1 << 24}, 0.001, "16777"},
	} {
		for name, size := range map[string]func(layered.Held, float64) (layered.Config, error){"SizedFor": layered.SizedFor, "SizedMoved": layered.SizedMoved} {
			if _, err := size(tt.held, tt.fpr); err == nil || !strings.HasPrefix(err.Error(), "layered: ") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s(%+v, %v): error %v, want %q", name, tt.held, tt.fpr, err, tt.want)
			}
		}
	}
	if _, err := layered.Sized(0, 0.02); err == nil || !strings.Contains(err.Error(), "window is 0, want 1 or more") {
		t.Errorf("Sized(0, 0.02): error %v", err)
	}
}

// A filter of its own layers' length: all of the payload, the best hashes.
func TestOne(t *testing.T) {
	f := build(t, layered.Month)
	g := f.One(4500)
	if bits := 1441 + 10075 + 43171; g.Bits != bits {
		t.Errorf("%d bits, want all %d", g.Bits, bits)
	}
	for hashes := 1; hashes < 20; hashes++ {
		if other := (bloom.Geometry{Bits: g.Bits, Hashes: hashes}); bloom.Exact(4500, other) < bloom.Exact(4500, g) {
			t.Errorf("%v errs less often than %v", other, g)
		}
	}
	if !slices.Equal(f.Sizes(), []int{(1441+7)/8 + (10075+7)/8 + (43171+7)/8 + 4}) {
		t.Errorf("sizes %v", f.Sizes())
	}
}
