package measure

import (
	"context"
	"testing"
	"time"
)

func TestHotReports(t *testing.T) {
	if testing.Short() {
		t.Skip("times two strategies for a second")
	}
	two := subjects(t)[1:3]
	hot, err := Hot(context.Background(), two, 500, Sizes, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, latencies := range hot {
		for i, l := range latencies {
			low, high, ok := l.Between()
			if !ok || l.Candidates != Sizes[i] || !(0 < l.P50 && l.P50 <= l.P99 && l.P99 <= l.P999) || low > high || low <= 0 || len(l.Rounds) != Rounds {
				t.Errorf("latency of %d candidates: %+v", Sizes[i], l)
			}
		}
	}
}

func TestBetweenWantsEnoughTurns(t *testing.T) {
	rounds := []float64{6, 1, 5, 2, 4, 3, 9, 7, 8}
	if low, high, ok := (Latency{Rounds: rounds}).Between(); ok {
		t.Errorf("interval of nine rounds is %v to %v, want none", low, high)
	}
	if low, high, ok := (Latency{Rounds: append(rounds, 10)}).Between(); !ok || low != 2 || high != 9 {
		t.Errorf("interval of 1..10 is %v to %v, %v, want 2 to 9", low, high, ok)
	}
}

// Batches of known durations, 1 to 1000 microseconds of 8 requests each, in two
// turns: quantiles are of batch means, to the three digits that are kept, and lie
// within what the turns found.
func TestTimer(t *testing.T) {
	timer := newTimer(8)
	for turn := range 2 {
		for i := range 500 {
			timer.Record(time.Duration(500*turn+i+1) * time.Microsecond)
		}
		timer.endRound()
	}
	timer.Record(0)               // a clock that stands still counts as a nanosecond,
	timer.Record(11 * time.Hour)  // and a machine that does as ten seconds
	timer.Record(-time.Second)    // or one that is set back
	timer.Record(8 * time.Second) // within the range
	got := timer.latency(40)
	near := func(what string, got, want float64) {
		if got < 0.998*want || got > 1.002*want {
			t.Errorf("%s is %v ns, want %v", what, got, want)
		}
	}
	near("P50", got.P50, 500e3/8)
	near("P99", got.P99, 992e3/8)
	near("P999", got.P999, 8e9/8)
	if len(got.Rounds) != 2 {
		t.Fatalf("%d turns, want 2", len(got.Rounds))
	}
	near("the first turn", got.Rounds[0], 250e3/8)
	near("the second turn", got.Rounds[1], 750e3/8)
	if got.P50 < got.Rounds[0] || got.P50 > got.Rounds[1] {
		t.Errorf("the median %v lies outside of the turns' medians %v", got.P50, got.Rounds)
	}
	if got.Candidates != 40 || got.Batches != 1004 || got.Requests != 8*1004 {
		t.Errorf("%d candidates, %d batches, %d requests, want 40, 1004 and eight times as many", got.Candidates, got.Batches, got.Requests)
	}
}
