package timing_test

import (
	"fmt"
	"strings"
	"testing"

	"dejavu/beyond/timing"
	"dejavu/bloom"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var (
	_ strategies.Strategy = (*timing.Filter)(nil)
	_ strategies.Theory   = (*timing.Filter)(nil)
)

// window400 is Sized(400, 0.02).
var window400 = timing.Config{Window: 400, Geometry: bloom.Geometry{Bits: 3263, Hashes: 6}}

func build(t testing.TB, c timing.Config) *timing.Filter {
	t.Helper()
	f, err := timing.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Lives are longer than the stamps, which go round after 511, 3, 127 and 255 articles.
func TestKit(t *testing.T) {
	for _, c := range []timing.Config{
		window400,
		{Window: 1, Geometry: bloom.Geometry{Bits: 32, Hashes: 1}},
		{Window: 100, Geometry: bloom.Geometry{Bits: 500, Hashes: 3}},
		{Window: 199, Geometry: bloom.Geometry{Bits: 1601, Hashes: 5}},
	} {
		t.Run(fmt.Sprintf("%d in %v", c.Window, c.Geometry), func(t *testing.T) {
			f := build(t, c)
			strategytest.Run(t, strategytest.Subject{
				Strategy: f, Theory: f,
				Forgets: func(read, age int) bool { return age > min(read, c.Window) },
				Reads:   []int{2*c.Window + 1},
				Life:    4*c.Window + 20,
			})
		})
	}
}

func FuzzKit(f *testing.F) { strategytest.Fuzz(f, build(f, window400)) }

// Stored histories must stay readable: a change of the layout has to be meant.
func TestLayout(t *testing.T) {
	if got, want := strategytest.Digest(build(t, window400)), "d9b44ab7f62e7891"; got != want {
		t.Errorf("layout digest %s, want %s", got, want)
	}
}

// The window is exact for many times as long as the stamps go round. At 30 cells and
// 20 hashes an article none of these is recognised by chance.
func TestCases(t *testing.T) {
	f := build(t, timing.Config{Window: 100, Geometry: bloom.Geometry{Bits: 3000, Hashes: 20}})
	size := f.Bytes(1)
	strategytest.RunCases(t, f, strategytest.IDs(1, 900), []strategytest.Case{
		{Read: 0, Bytes: 0, Window: 0},
		{Read: 1, Bytes: size, Window: 1},
		{Read: 100, Bytes: size, Window: 100},
		{Read: 101, Bytes: size, Window: 100},
		{Read: 127, Bytes: size, Window: 100},
		{Read: 128, Bytes: size, Window: 100},
		{Read: 800, Bytes: size, Window: 100},
	}, nil)
}

// The cells of a filter without time, nine bits each, and the header.
func TestSized(t *testing.T) {
	c, err := timing.Sized(400, 0.02)
	if err != nil || c != window400 {
		t.Fatalf("Sized(400, 0.02) = %+v, %v, want %+v", c, err, window400)
	}
	if got, want := build(t, c).Bytes(400), (3263*9+7)/8+6; got != want || got != 3677 {
		t.Errorf("%d bytes, want %d", got, want)
	}
	for _, tt := range []struct {
		window int
		fpr    float64
		want   string
	}{
		{0, 0.02, "window is 0, want 1 to 65534"},
		{65535, 0.02, "window is 65535"},
		{400, 1, "fpr is 1"},
	} {
		if _, err := timing.Sized(tt.window, tt.fpr); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Sized(%d, %v): error %v, want %q", tt.window, tt.fpr, err, tt.want)
		}
	}
	for want, c := range map[string]timing.Config{
		"Window is 0, want 1 to 65534":             {Geometry: window400.Geometry},
		"Geometry.Bits is 31, want 32 to 16777216": {Window: 1, Geometry: bloom.Geometry{Bits: 31, Hashes: 1}},
		"Hashes": {Window: 1, Geometry: bloom.Geometry{Bits: 100}},
	} {
		if _, err := timing.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New(%+v): error %v, want %q", c, err, want)
		}
	}
}

// Histories damaged by hand: three articles of one cell each, in 32 cells of two bits.
func TestValidate(t *testing.T) {
	f := build(t, timing.Config{Window: 1, Geometry: bloom.Geometry{Bits: 33, Hashes: 1}})
	for _, tt := range []struct {
		name string
		at   int
		to   byte
		want string // in the error; none where empty
	}{
		{"as recorded", 14, 0, ""},
		{"no time", 9, 0, "stamp 0 and cell"},
		{"a time that is none", 9, 4, "stamp 4 and cell"},
		{"a cell that is none", 12, 1, "stamp 3 and cell"},
		{"the newest stamp is nowhere", 8, 0, "no cell has the newest stamp, 3"},
		{"a time that has gone by", 9, 2, "cell 32 is 2 articles old, and not looked at for 1 more, before 3"},
		{"a bit behind the cells", 8, 0x40, "1 bits are set beyond the last cell"},
		{"more cells than an article has", 3, 0x0f, "cells of stamp 3, want 1 at most"},
		{"a bit behind the header", 14, 0x80, "stamp 3 and cell"},
	} {
		history := f.Record(nil, []strategies.ID{0, 1 << 63, 1<<64 - 1})
		if len(history) != 15 {
			t.Fatalf("%d bytes", len(history))
		}
		history[tt.at] = tt.to
		err := f.Validate(history)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %x: error %v, want %q", tt.name, history, err, tt.want)
		}
	}
}
