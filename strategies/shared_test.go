package strategies_test

import (
	"bytes"
	"dejavu/strategies/strategytest"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dejavu/strategies"
)

// A layout's lengths are its arrays' with the header; no history has one of them, and
// what has another is named with those that would do.
func TestLayout(t *testing.T) {
	l := strategies.NewLayout("toy", 4, 10, 20, 30)
	if got := l.Sizes(); !slices.Equal(got, []int{14, 24, 34}) || l.HeaderBytes() != 4 {
		t.Errorf("sizes %d, a header of %d bytes", got, l.HeaderBytes())
	}
	for length, want := range map[int]int{0: 0, 1: 0, 13: 0, 14: 0, 15: 0, 23: 0, 24: 1, 33: 1, 34: 2, 99: 2} {
		err := l.CheckLength(make([]byte, length))
		if ok := length == 0 || slices.Contains(l.Sizes(), length); ok != (err == nil) {
			t.Errorf("a history of %d bytes: %v", length, err)
		} else if err != nil && (!strings.HasPrefix(err.Error(), "toy: ") || !strings.Contains(err.Error(), "[14 24 34]")) {
			t.Errorf("a history of %d bytes is refused with %q", length, err)
		}
		strategytest.Equal(t, l.Index(make([]byte, length)), want,
			"a history of %d bytes is the th of the lengths", length)
	}
	f := strategies.NewFixed("toy", 7)
	if f.Bytes(0) != 0 || f.Bytes(1) != 7 || f.Bytes(1<<20) != 7 || f.HeaderBytes() != 0 {
		t.Errorf("a fixed layout takes %d, %d and %d bytes, %d of them header", f.Bytes(0), f.Bytes(1), f.Bytes(1<<20),
			f.HeaderBytes())
	}
}

// Grow appends blank bytes, in place where there is room, and shortens nothing.
func TestGrow(t *testing.T) {
	dirty := bytes.Repeat([]byte{7}, 10)
	for _, c := range []struct {
		given []byte
		size  int
		want  []byte
		moves bool
	}{
		{dirty[:2:10], 2, []byte{7, 7}, false},
		{dirty[:2:10], 1, []byte{7, 7}, false},
		{slices.Clone(dirty)[:2:10], 5, []byte{7, 7, 0, 0, 0}, false},
		{slices.Clone(dirty)[:2:4], 5, []byte{7, 7, 0, 0, 0}, true},
		{nil, 3, []byte{0, 0, 0}, true},
	} {
		got := strategies.Grow(c.given, c.size)
		if !bytes.Equal(got, c.want) {
			t.Errorf("%d bytes grown to %d are %v, want %v", len(c.given), c.size, got, c.want)
		}
		if moved := len(c.given) == 0 || &got[0] != &c.given[0]; moved != c.moves {
			t.Errorf("%d bytes with room for %d move to grow to %d: %v", len(c.given), cap(c.given), c.size, moved)
		}
	}
}

// What a strategy is sized for, and a field, may be what the ends of the range are.
func TestRanges(t *testing.T) {
	for _, c := range []struct {
		window int
		fpr    float64
		want   string
	}{
		{1, 0.5, "<nil>"},
		{9, 0.5, "<nil>"},
		{0, 0.5, "x: window is 0, want 1 to 9"},
		{10, 0.5, "x: window is 10, want 1 to 9"},
		{1, 0, "x: fpr is 0, want it between 0 and 1, both excluded"},
		{1, 1, "x: fpr is 1, want it between 0 and 1, both excluded"},
		{1, math.NaN(), "x: fpr is NaN, want it between 0 and 1, both excluded"},
	} {
		strategytest.Equal(t, fmt.Sprint(strategies.ValidTarget("x", c.window, 9, c.fpr)), c.want,
			"a window of %d at %v", c.window, c.fpr)
	}
	for value, want := range map[int]string{-1: "x is -1, want at least 0", 0: "<nil>", math.MaxInt: "<nil>"} {
		strategytest.Equal(t, fmt.Sprint(strategies.Within("x", value, 0, math.MaxInt)), want, "%d", value)
	}
}
