package layered_test

import (
	"testing"

	"dejavu/beyond/layered"
	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

// What the layers hold, by hand: ten articles on each of days 0 to 9, but none
// on day 8. Day 9 is the third of the second week.
func TestHeld(t *testing.T) {
	all, moved := build(t, smallAll), build(t, smallMoved)
	counts := []int{10, 10, 10, 10, 10, 10, 10, 10, 0, 10}
	hold := func(days int, wantAll, wantMoved layered.Held) {
		t.Helper()
		strategytest.Equal(t, all.Held(counts[:days]), wantAll, "after %d days all layers hold", days)
		strategytest.Equal(t, moved.Held(counts[:days]), wantMoved, "after %d days the layers hold", days)
	}
	hold(0, layered.Held{}, layered.Held{})
	hold(1, layered.Held{Day: 10, Week: 10, All: 10}, layered.Held{Day: 10})
	hold(2, layered.Held{Day: 10, Week: 20, All: 20}, layered.Held{Day: 10, Week: 10})
	hold(7, layered.Held{Day: 10, Week: 70, All: 70}, layered.Held{Day: 10, Week: 60})
	hold(8, layered.Held{Day: 10, Week: 10, All: 80}, layered.Held{Day: 10, All: 70})
	hold(10, layered.Held{Day: 10, Week: 20, All: 90}, layered.Held{Day: 10, Week: 10, All: 70})
}

// The union of the layers' rates: golden values computed outside the project,
// by the recursion of Bose et al. (2008), of filters of 812/6 and 4064/6.
func TestFPRHeld(t *testing.T) {
	small, large := bloom.Geometry{Bits: 812, Hashes: 6}, bloom.Geometry{Bits: 4064, Hashes: 6}
	f := build(t, layered.Config{Day: small, Week: small, All: large})
	h := layered.Held{Day: 50, Week: 100, All: 500}
	strategytest.Near(t, f.FPRHeld(h), 1-(1-0.000878)*(1-0.020480)*(1-0.020268), 1.5e-6, "all layers")
	// Lanes share positions: five links' golden value of package chain has no
	// three of 100, but the union is just above.
	m := build(t, moved(small))
	if got, union := m.FPRHeld(layered.Held{Day: 100, Week: 100, All: 100}), 0.060189; got > union || got < 0.999*union {
		t.Errorf("three lanes of 100: %.6f, want just below %.6f", got, union)
	}
	strategytest.Near(t, m.FPR(100), 0.020480, 0.5e-6, "a day of 100 alone")
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
	strategytest.Equal(t, layered.MonthMoved, moved(layered.Month.All), "the preset whose articles are moved is")
}

// Lengths by days, the textbook rates, and the set bits of a first day, by hand.
func TestTheoryOfDays(t *testing.T) {
	all, moved := build(t, smallAll), build(t, smallMoved)
	for days, want := range map[int][2]int{0: {0, 0}, 1: {216, 92}, 2: {216, 180}, 7: {216, 180}, 8: {216, 267}} {
		strategytest.Equal(t, [2]int{all.BytesDays(days), moved.BytesDays(days)}, want, "on day %d: bytes", days)
	}
	union := 1 - (1-bloom.Asymptotic(20, smallAll.Day))*(1-bloom.Asymptotic(20, smallAll.Week))*(1-bloom.Asymptotic(20,
		smallAll.All))
	strategytest.Near(t, all.Asymptotic(20), union, 1e-14, "all layers: by the textbook")
	strategytest.Near(t, moved.Asymptotic(20), bloom.Asymptotic(20, smallMoved.All), 1e-14,
		"a day's lane: by the textbook")
	if ones, of := all.Fill(nil); ones != 0 || of != 83+401+1200 {
		t.Errorf("a newcomer's layers: %d of %d bits", ones, of)
	}
	if ones, of := moved.Fill(nil); ones != 0 || of != 701 {
		t.Errorf("a newcomer's lane: %d of %d bits", ones, of)
	}
}
