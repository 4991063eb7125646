package stopwatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

func TestBetweenWantsEnoughTurns(t *testing.T) {
	rounds := []float64{6, 1, 5, 2, 4, 3, 9, 7, 8}
	if low, high, ok := (Latency{Rounds: rounds}).Between(); ok {
		t.Errorf("interval of nine rounds is %v to %v, want none", low, high)
	}
	if low, high, ok := (Latency{Rounds: append(rounds, 10)}).Between(); !ok || low != 2 || high != 9 {
		t.Errorf("interval of 1..10 is %v to %v, %v, want 2 to 9", low, high, ok)
	}
}

// Batches of known durations, 1 to 1000 microseconds of 8 requests each, in two turns: quantiles are of batch means,
// to three digits, and lie within the turns' range.
func TestTimer(t *testing.T) {
	timer := newTimer(8)
	for turn := range 2 {
		for i := range 500 {
			timer.record(time.Duration(500*turn+i+1) * time.Microsecond)
		}
		timer.endRound()
	}
	timer.record(0)               // a stopped clock counts as a nanosecond,
	timer.record(11 * time.Hour)  // and a stopped machine as ten seconds
	timer.record(-time.Second)    // or one that is set back
	timer.record(8 * time.Second) // within the range
	got := timer.latency(40)
	near := func(what string, got, want float64) {
		strategytest.Between(t, got, 0.998*want, 1.002*want, "%s: ns", what)
	}
	near("P50", got.P50, 500e3/8)
	near("P99", got.P99, 992e3/8)
	near("P999", got.P999, 8e9/8)
	if len(got.Rounds) != 2 {
		t.Fatalf("%d turns, want 2", len(got.Rounds))
	}
	near("the first turn", got.Rounds[0], 250e3/8)
	near("the second turn", got.Rounds[1], 750e3/8)
	strategytest.Between(t, got.P50, got.Rounds[0], got.Rounds[1],
		"the median of the turns' medians %v", got.Rounds)
	if got.Candidates != 40 || got.Batches != 1004 || got.Requests != 8*1004 {
		t.Errorf("%d candidates, %d batches, %d requests, want 40, 1004 and eight times as many", got.Candidates, got.Batches,
			got.Requests)
	}
}

// watched is a strategy that notes what it is asked and shown: how often, how much at a time, and whether it is fresh.
type watched struct {
	strategies.Strategy
	asked, shown map[int]int // lengths, and how often
	before       map[strategies.ID]bool
	firsts       map[strategies.ID]bool // of the articles recorded together
	at           int                    // how many articles the history should have
	faults       []string
}

func newWatched(at int) *watched {
	return &watched{
		asked: map[int]int{}, shown: map[int]int{},
		before: map[strategies.ID]bool{}, firsts: map[strategies.ID]bool{}, at: at,
	}
}

// fresh checks both ends, as candidates follow each other.
func (w *watched) fresh(ids []strategies.ID) {
	for _, id := range []strategies.ID{ids[0], ids[len(ids)-1]} {
		if w.before[id] {
			w.faults = append(w.faults, fmt.Sprintf("%d was shown before", id))
		}
	}
}

// A history is its number of articles, in bytes of 255.
func (w *watched) Record(history []byte, shown []strategies.ID) []byte {
	if len(history) == 0 {
		for _, id := range shown {
			w.before[id] = true
		}
		return slices.Repeat([]byte{1}, len(shown))
	}
	w.shown[len(shown)]++
	w.firsts[shown[0]] = true
	w.fresh(shown)
	if len(history) < w.at || len(history) >= w.at+Batch*len(shown) {
		w.faults = append(w.faults, fmt.Sprintf("recorded after %d articles", len(history)))
	}
	return append(history, make([]byte, len(shown))...)
}

func (w *watched) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	w.asked[len(candidates)]++
	w.fresh(candidates)
	if len(history) != w.at || len(candidates) != len(seen) {
		w.faults = append(w.faults,
			fmt.Sprintf("asked after %d articles for %d candidates in %d places", len(history), len(candidates), len(seen)))
	}
}

// Requests ask about fresh candidates; each batch is counted once, and the warm-up not at all. Recorded articles are
// fresh, and follow the articles shown.
func TestWhatIsTimed(t *testing.T) {
	const shown = 30
	one, two := newWatched(shown), newWatched(shown)
	subjects := []measure.Subject{{Name: "one", Strategy: one}, {Name: "two", Strategy: two}}
	hot, err := Hot(t.Context(), subjects, shown, []int{100, 4000}, 1)
	if err != nil || len(hot) != 2 || len(hot[0]) != 2 {
		t.Fatal(hot, err)
	}
	for i, w := range []*watched{one, two} {
		if hot[i][0].Candidates != 100 || hot[i][0].Batches != 120*Rounds || hot[i][1].Candidates != 4000 ||
			hot[i][1].Batches != 20*Rounds {
			t.Errorf("the times are %+v", hot[i])
		}
		if len(w.asked) != 2 || w.asked[100] <= 120*Rounds*Batch || w.asked[4000] <= 20*Rounds*Batch || len(w.faults) > 0 {
			t.Errorf("asked %v, %d faults: %.3q", w.asked, len(w.faults), w.faults)
		}
	}
	// A divisor of the fresh articles, too few for all batches: all are recorded, and then again.
	const articles = 2 * 83
	if (1<<18-shown)%articles != 0 {
		t.Fatal("the last of the fresh articles are never recorded")
	}
	times, err := Recording(t.Context(), subjects, shown, articles, 1)
	if err != nil || len(times) != 2 || times[1].Candidates != articles || times[1].Batches != 300*Rounds ||
		times[1].Requests != 300*Rounds*Batch {
		t.Errorf("the times are %+v, %v", times, err)
	}
	strategytest.Equal(t, len(two.firsts), (1<<18-shown)/articles, "different requests are recorded")
	if len(two.shown) != 1 || two.shown[articles] <= 300*Rounds*Batch || len(two.faults) > 0 {
		t.Errorf("shown %v, %d faults: %.3q", two.shown, len(two.faults), two.faults)
	}
}

// Each work is done in a batch as often as it asks, and an interrupted run returns no times.
func TestTurns(t *testing.T) {
	var done [2]int
	works := []func(){func() { done[0]++ }, func() { done[1]++ }}
	times, err := Turns(t.Context(), works, []int{3, 7})
	if err != nil || len(times) != 2 {
		t.Fatal(times, err)
	}
	for i, each := range []int{3, 7} {
		if l := times[i]; done[i] != 5*each*Rounds || l.Candidates != each || l.Batches != 5*Rounds ||
			l.Requests != int64(done[i]) || len(l.Rounds) != Rounds {
			t.Errorf("done %d times: %+v", done[i], l)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if times, err := Turns(ended, works, []int{1, 1}); !errors.Is(err, context.Canceled) || times != nil {
		t.Errorf("after the end: %v, %v", times, err)
	}
}

// A small effort times fewer batches, in the same number of turns, and at least one a turn.
func TestEffort(t *testing.T) {
	for _, c := range []struct {
		effort                         float64
		batches, warmUp, timed, warmed int
	}{{1, 300, 30, 300, 30}, {0.1, 300, 30, 30, 3}, {0.1, 25, 30, 2, 3}, {0.1, 3, 0, 1, 0}} {
		prepared, done := 0, 0
		w := Work{40, 2, c.batches, c.warmUp, func() { prepared++ }, func() { done++ }}
		times := strategytest.Value(Interleaved(WithEffort(t.Context(), c.effort), []Work{w}))
		l := times[0]
		if l.Batches != int64(Rounds*c.timed) || len(l.Rounds) != Rounds ||
			done != Rounds*(c.timed+c.warmed) || prepared != done {
			t.Errorf("%+v: %d batches timed in %d turns, %d done", c, l.Batches, len(l.Rounds), done)
		}
	}
	strategytest.Equal(t, Effort(t.Context()), 1, "effort")
}
