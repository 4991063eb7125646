package shared

import (
	"math"
	"slices"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/measure/stopwatch"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// recorder is a strategy that keeps the numbers of articles recorded.
type recorder struct {
	strategies.Strategy
	shown *[]int
}

func (r recorder) Record(history []byte, shown []strategies.ID) []byte {
	*r.shown = append(*r.shown, len(shown))
	return history
}

// A limited strategy is shown the first articles, and no more.
func TestLimited(t *testing.T) {
	var shown []int
	l := Limited{recorder{shown: &shown}, 2}
	l.Record(nil, make([]strategies.ID, 3))
	l.Record(nil, make([]strategies.ID, 1))
	strategytest.EqualSlices(t, shown, []int{2, 1}, "shown")
}

// A round has the times of its names alone.
func TestHotRound(t *testing.T) {
	h := HotRound{Names: []string{"queue", "chain"}, Latencies: slices.Repeat([][]stopwatch.Latency{{}}, 2)}
	h.Latencies[1] = []stopwatch.Latency{{Candidates: 40}}
	if h.Of("nobody") != nil || len(h.Of("queue")) != 0 || h.Of("chain")[0].Candidates != 40 {
		t.Errorf("%+v of nobody, %+v, %+v", h.Of("nobody"), h.Of("queue"), h.Of("chain"))
	}
}

func TestMeanOverLives(t *testing.T) {
	strategytest.Near(t, MeanOverLives(func(int) float64 { return 1 }), 1, 1e-12, "the shares of all lives sum to")
	// The mean life, of the shares and of a million users. A life is at most MaxShown articles with a
	// standard deviation well below that, so the mean of a million is within 5 standard errors, the bound
	// below, but for one run in a million; the seed is fixed, so it is all or never.
	const users = 1_000_000
	population := catalogue.Must(workload.NewFull(2016, users))
	sum, squares := 0., 0.
	for user := range users {
		shown := float64(population.Shown(user))
		sum, squares = sum+shown, squares+shown*shown
	}
	mean := sum / users
	deviation := math.Sqrt((squares/users - mean*mean) / users)
	want := MeanOverLives(func(shown int) float64 { return float64(shown) })
	strategytest.Near(t, mean, want, 5*deviation,
		"articles that a user is shown on average, ± %.3f", deviation)
}
