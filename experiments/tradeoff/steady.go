// Package tradeoff measures every structure at one window and rate, for users who
// have been shown articles for long.
package tradeoff

import (
	"context"

	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/workload"
)

// SteadyAsked is how many fresh candidates a user of Steady is asked at a time.
const SteadyAsked = 100

// spread is the step from one user's place in the cycle to the next one's: near the
// golden section of a thousand, so that few users lie evenly over it, too.
const spread = 619

// SteadyCounts is what a strategy does to users who have read for long: whole
// numbers, the same on every machine.
type SteadyCounts struct {
	// False positives among fresh candidates: after so many articles, the same for half of
	// the users; and, for the others, after numbers of articles spread evenly over a cycle.
	Worst measure.Rate `json:"worst"`
	Mean  measure.Rate `json:"mean"`

	WindowChecks int64 `json:"window_checks"` // articles inside the window, all of them asked for
	WindowMisses int64 `json:"window_misses"`
	Payload      int64 `json:"payload"` // lengths of the others' histories, summed
}

// Steady shows every second of these users worst articles, and the others a
// number that is spread evenly over the cycle from first on. Then it asks them for
// fresh candidates, and for every article of the window that theory guarantees.
func Steady(
	ctx context.Context, o measure.Options, s measure.Subject, population workload.Full, users measure.Range,
	worst, first, turn int,
) (SteadyCounts, error) {
	type worker struct {
		SteadyCounts
		measure.Asker
		ids     []strategies.ID
		fresh   [SteadyAsked]strategies.ID
		history []byte
	}
	workers, err := measure.Each(ctx, o, users, func() *worker {
		return &worker{ids: make([]strategies.ID, max(worst, first+turn-1))}
	}, func(w *worker, user int) {
		shown, rate := worst, &w.Worst
		if user%2 == 1 {
			shown, rate = first+user/2*spread%turn, &w.Mean
		}
		reader := population.Reader(user)
		reader.IDs(w.ids[:shown], 0)
		reader.IDs(w.fresh[:], workload.Fresh)
		w.history = s.Strategy.Record(w.history[:0], w.ids[:shown])
		rate.Add(SteadyAsked, w.Count(s.Strategy, w.history, w.fresh[:]))
		if window := s.Theory.Window(shown); window > 0 {
			w.WindowChecks += int64(window)
			w.WindowMisses += int64(window - w.Count(s.Strategy, w.history, w.ids[shown-window:shown]))
		}
		if user%2 == 1 {
			w.Payload += int64(len(w.history))
		}
	})
	var total SteadyCounts
	for _, w := range workers {
		measure.Sum(&total, w.SteadyCounts)
	}
	return total, err
}
