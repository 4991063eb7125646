package catalogue

import (
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A saw has a full rotation of ten articles, in which its rate and bytes rise and its window grows.
type saw struct{ strategies.Strategy }

func (saw) FPR(read int) float64 { return float64(read%10) / 100 }
func (saw) Bytes(read int) int   { return 50 + read%10 }
func (saw) Window(read int) int  { return 40 + read%10 }

// A full never forgets.
type full struct{ saw }

func (full) Window(read int) int { return read }

func TestSettled(t *testing.T) {
	if first, last := Settled(saw{}, 40, 100); first != 121 || last != 220 {
		t.Errorf("from %d to %d, want 121 to 220", first, last)
	}
	if first, last := Settled(full{}, 40, 100); first != 40 || last != 40 {
		t.Errorf("of a fixed capacity: from %d to %d, want 40", first, last)
	}
}

// Summaries by hand: a full rotation, steps of three with a remainder, and one article.
func TestOver(t *testing.T) {
	for _, c := range []struct {
		first, last, step int
		want              Summary
	}{
		{20, 29, 1, Summary{Bytes: 59, MeanBytes: 54.5, Window: 40, WindowMost: 49, Worst: 0.09, Mean: 0.045, WorstAt: 29}},
		{20, 29, 3, Summary{Bytes: 59, MeanBytes: 54.5, Window: 40, WindowMost: 49, Worst: 0.09, Mean: 0.045, WorstAt: 29}},
		{21, 25, 3, Summary{Bytes: 55, MeanBytes: 53, Window: 41, WindowMost: 45, Worst: 0.04, Mean: 0.028, WorstAt: 24}},
		{30, 30, 1, Summary{Bytes: 50, MeanBytes: 50, Window: 40, WindowMost: 40, Worst: 0, Mean: 0, WorstAt: 30}},
	} {
		got := Over(saw{}, c.first, c.last, c.step)
		strategytest.Near(t, got.Mean, c.want.Mean, 1e-12, "%d to %d by %d: a mean of", c.first, c.last, c.step)
		got.Mean = c.want.Mean
		strategytest.Equal(t, got, c.want, "%d to %d by %d", c.first, c.last, c.step)
	}
}

// The lowest rate that fits is found, from low on and within near of its logarithm.
func TestLowestFPR(t *testing.T) {
	for _, c := range []struct{ low, least, want float64 }{
		{1e-9, 0.02, 0.02}, {0.1, 0.02, 0.1}, {1e-9, 1, 0}, {0.9995, 0.02, 0}, {1e-9, 0.99, 0.99},
	} {
		got := LowestFPR(c.low, 1e-6, func(fpr float64) bool { return fpr >= c.least })
		strategytest.Between(t, got, c.want, c.want*(1+2e-6), "%v and more fits, from %v on", c.least, c.low)
	}
}
