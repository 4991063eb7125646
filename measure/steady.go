package measure

import (
	"context"

	"dejavu/strategies"
	"dejavu/workload"
)

// SteadyAsked is how many fresh candidates a reader of Steady is asked at a time.
const SteadyAsked = 100

// SteadyCounts is what a strategy does to readers who have read for long: whole
// numbers, the same on every machine.
type SteadyCounts struct {
	Worst Rate `json:"worst"` // fresh candidates taken for seen after so many articles, the same for all
	Mean  Rate `json:"mean"`  // and after numbers of articles spread evenly over a turn

	WindowChecks int64 `json:"window_checks"` // articles inside the window, all of them asked for, both times
	WindowMisses int64 `json:"window_misses"`
	Payload      int64 `json:"payload"` // lengths of histories at the second time, summed
	Readers      int64 `json:"readers"`
}

// Add adds what was counted of other readers.
func (c *SteadyCounts) Add(d SteadyCounts) {
	c.Worst = c.Worst.Plus(d.Worst)
	c.Mean = c.Mean.Plus(d.Mean)
	c.WindowChecks += d.WindowChecks
	c.WindowMisses += d.WindowMisses
	c.Payload += d.Payload
	c.Readers += d.Readers
}

// Steady shows each of these readers worst articles, asks, and goes on to a number
// of articles that is spread evenly over the turn from first on: reader i of them
// to first + i%turn. first must not be less than worst. What it asks for each time
// is fresh candidates, and every article of the window that theory promises.
func Steady(ctx context.Context, o Options, s Subject, population workload.Full, readers Range, worst, first, turn int) (SteadyCounts, error) {
	type worker struct {
		SteadyCounts
		ids   []strategies.ID
		fresh [SteadyAsked]strategies.ID
		seen  []bool
	}
	most := first + turn - 1
	workers := make([]*worker, o.workers())
	for i := range workers {
		workers[i] = &worker{ids: make([]strategies.ID, most), seen: make([]bool, max(most, SteadyAsked))}
	}
	err := each(ctx, o, workers, readers, func(w *worker, user int) {
		reader := population.Reader(user)
		last := first + user%turn
		reader.IDs(w.ids[:last], 0)
		var history []byte
		ask := func(rate *Rate, shown, from int) {
			reader.IDs(w.fresh[:], from)
			s.Strategy.Seen(history, w.fresh[:], w.seen[:SteadyAsked])
			rate.Add(SteadyAsked, count(w.seen[:SteadyAsked], true))
			if window := s.Theory.Window(shown); window > 0 {
				s.Strategy.Seen(history, w.ids[shown-window:shown], w.seen[:window])
				w.WindowChecks += int64(window)
				w.WindowMisses += int64(count(w.seen[:window], false))
			}
		}
		history = s.Strategy.Record(history, w.ids[:worst])
		ask(&w.Worst, worst, workload.Fresh)
		history = s.Strategy.Record(history, w.ids[worst:last])
		ask(&w.Mean, last, workload.Fresh+SteadyAsked)
		w.Payload += int64(len(history))
		w.Readers++
	})
	var total SteadyCounts
	for _, w := range workers {
		total.Add(w.SteadyCounts)
	}
	return total, err
}
