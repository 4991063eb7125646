package describe

import (
	"math"
	"slices"
	"testing"

	"dejavu/experiments/text"
	"dejavu/measure/deal"
	"dejavu/store"
	"dejavu/strategies/strategytest"
)

// Ten repeats, by hand: four of age 1, three of age 2, two of age 5 and one of an age
// between 16 and 17, of which an hour's rule forgets two of age 2 and the oldest.
func TestWindows(t *testing.T) {
	all := []int64{1: 4, 2: 3, 5: 2, 16: 1}
	d := &Description{Repeats: 10, Ages: all, Rules: []store.Timestamp{3600}, Forgotten: [][]int64{{2: 2, 16: 1}}}
	for _, c := range []struct {
		idle   store.Timestamp
		share  float64
		window int
		has    float64
	}{
		{0, 0.4, 1, 0.4},
		{0, 0.41, 2, 0.7},
		{0, 0.7, 2, 0.7},
		{0, 0.9, 5, 0.9},
		{0, 1, deal.AgeTo(16), 1},
		{3600, 0.5, 2, 0.5},
		{3600, 0.7, 5, 0.7},
		{3600, 0.71, 0, 0.7}, // which no window has
		{7200, 0.7, 2, 0.7},  // of a rule that was not looked at, nothing is forgotten
	} {
		if window, has := d.Window(c.idle, c.share); window != c.window || math.Abs(has-c.has) > 1e-12 {
			t.Errorf("idle %d: %v of the repeats are in %d, %v; want %d, %v", c.idle, c.share, window, has, c.window, c.has)
		}
	}
	for _, c := range []struct {
		idle   store.Timestamp
		window int
		want   float64
	}{
		{0, 0, 0},
		{0, 1, 0.4},
		{0, 2, 0.7},
		{0, 4, 0.7},
		{0, 5, 0.9},
		{0, deal.AgeTo(16) - 1, 0.9},
		{0, deal.AgeTo(16), 1},
		{3600, 2, 0.5},
		{3600, 1000, 0.7},
	} {
		strategytest.Near(t, d.Within(c.idle, c.window), c.want, 1e-12,
			"idle %d: a window of %d has", c.idle, c.window)
	}
	table := WindowTable(d)
	want := [][]string{
		{RuleText(3600), percentOf(3, 10), "2", text.None, text.None, text.None},
		{"never", percentOf(0, 10), "2", "5", "17", "17"},
	}
	if !slices.EqualFunc(table.Rows, want, slices.Equal) {
		t.Errorf("the table is %q, want %q", table.Rows, want)
	}
	if empty := WindowTable(&Description{Ages: all}); len(empty.Rows) != 0 || len(empty.Header) != 6 {
		t.Errorf("without repeats: %+v", empty)
	}
}

// What has no exposure is left out; of 1 and 2 the Gini is 1/6.
func TestSkewLeavesOutZeros(t *testing.T) {
	got := skewOf([]uint32{0, 2, 0, 1})
	want := Skew{N: 2, Sum: 3, Quantiles: [...]int64{1, 1, 2, 2, 2, 2}, Once: 1, Top: 2}
	gini := got.Gini
	if got.Gini = 0; got != want || gini < 1./6-1e-12 || gini > 1./6+1e-12 {
		t.Errorf("%+v, Gini %v, want %+v, 1/6", got, gini, want)
	}
	if got := skewOf([]uint32{0, 0}); got != (Skew{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
