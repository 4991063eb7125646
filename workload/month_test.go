package workload

import (
	"testing"

	"dejavu/strategies/strategytest"
)

// A week has 1050 articles, a month several thousand, and what was shown before a day is the sum of the days.
func TestMonth(t *testing.T) {
	m := strategytest.Value(NewMonth(1, 10))
	sum := 0
	for day := range 100 {
		if m.Before(day) != sum {
			t.Fatalf("%d articles before day %d, want %d", m.Before(day), day, sum)
		}
		sum += m.Articles(day)
	}
	if got := m.Before(7 * 5); got != 7*5*PerDay {
		t.Errorf("five weeks have %d articles, want %d a day", got, PerDay)
	}
	if _, err := NewMonth(1, 0); err == nil {
		t.Error("no users are a population")
	}
	if m.Reader(3).ID(5) != reader(1, 3).ID(5) {
		t.Error("a reader has another order than in the other populations of the seed")
	}
}
