package measure

import (
	"context"

	"dejavu/strategies"
	"dejavu/workload"
)

const (
	// MonthDays is how long an article must be remembered in the month experiment,
	// the day it was shown included.
	MonthDays = 30

	// MonthAsked is how many fresh candidates a reader is asked at a day's end, and
	// how many expired articles.
	MonthAsked = 500
	expired    = 50

	// MonthEnd is how many days readers live: two months, and a day of the third.
	MonthEnd = 61
)

// MonthGrid is the numbers of days gone by at which readers are asked, at the end of
// the day before.
var MonthGrid = []int{1, 5, 10, 15, 20, 25, 30, 31, 35, 40, 45, 50, 55, 60, 61}

// A Monthly is a way to remember a month of exposures.
type Monthly struct {
	Name string

	// Strategy, as it is on a day where it is strategies.Dated.
	Strategy strategies.Strategy

	// Nightly, if not nil, is done before a day's first request: the history anew
	// from the log of the days that still count, oldest first.
	Nightly func(history []byte, log [][]strategies.ID) []byte
}

// A MonthPoint is what was found after so many days.
type MonthPoint struct {
	Days    int   `json:"days"`
	Fresh   Rate  `json:"fresh"`   // fresh candidates taken for seen
	Expired Rate  `json:"expired"` // articles older than the month recognised
	Bytes   int64 `json:"bytes"`   // lengths of histories, summed

	WindowChecks int64 `json:"window_checks"` // articles of the month, all of them asked for
	WindowMisses int64 `json:"window_misses"`
}

// MonthCounts has a member for each of MonthGrid: whole numbers, the same on every
// machine.
type MonthCounts []MonthPoint

// Add adds what was counted of other readers.
func (c MonthCounts) Add(d MonthCounts) {
	for i := range c {
		p, q := &c[i], &d[i]
		p.Fresh = p.Fresh.Plus(q.Fresh)
		p.Expired = p.Expired.Plus(q.Expired)
		p.Bytes += q.Bytes
		p.WindowChecks += q.WindowChecks
		p.WindowMisses += q.WindowMisses
	}
}

func newMonthCounts() MonthCounts {
	c := make(MonthCounts, len(MonthGrid))
	for i, days := range MonthGrid {
		c[i].Days = days
	}
	return c
}

// on is the strategy as it is on a day.
func (m Monthly) on() (days []strategies.Strategy) {
	dated, ok := m.Strategy.(strategies.Dated)
	for day := range MonthEnd {
		if ok {
			days = append(days, dated.On(day))
		} else {
			days = append(days, m.Strategy)
		}
	}
	return days
}

// Month shows each of these readers two months of articles, day by day, and asks
// at the end of some days: for fresh articles, for those of the last MonthDays days,
// all of them, and for older ones.
func Month(ctx context.Context, o Options, m Monthly, population workload.Month, readers Range) (MonthCounts, error) {
	type worker struct {
		counts MonthCounts
		ids    []strategies.ID
		fresh  [MonthAsked]strategies.ID
		seen   []bool
		log    [][]strategies.ID
	}
	all := population.Before(MonthEnd)
	on := m.on()
	workers := make([]*worker, o.workers())
	for i := range workers {
		workers[i] = &worker{counts: newMonthCounts(), ids: make([]strategies.ID, all), seen: make([]bool, all)}
	}
	err := each(ctx, o, workers, readers, func(w *worker, user int) {
		reader := population.Reader(user)
		reader.IDs(w.ids, 0)
		picks := population.Picks(user)
		var history []byte
		next := 0
		for day := range MonthEnd {
			if m.Nightly != nil {
				w.log = w.log[:0]
				for d := max(0, day-MonthDays+1); d < day; d++ {
					w.log = append(w.log, w.ids[population.Before(d):population.Before(d+1)])
				}
				history = m.Nightly(history, w.log)
			}
			shown := population.Before(day + 1)
			history = on[day].Record(history, w.ids[population.Before(day):shown])
			if day+1 != MonthGrid[next] {
				continue
			}
			p := &w.counts[next]
			reader.IDs(w.fresh[:], workload.Fresh+next*MonthAsked)
			next++
			ask := func(candidates []strategies.ID) (hits int) {
				seen := w.seen[:len(candidates)]
				on[day].Seen(history, candidates, seen)
				return count(seen, true)
			}
			p.Fresh.Add(MonthAsked, ask(w.fresh[:]))
			oldest := population.Before(max(0, day-MonthDays+1))
			p.WindowChecks += int64(shown - oldest)
			p.WindowMisses += int64(shown - oldest - ask(w.ids[oldest:shown]))
			p.Bytes += int64(len(history))
			if oldest >= expired {
				from := picks.At(day, oldest-expired+1)
				p.Expired.Add(expired, ask(w.ids[from:from+expired]))
			}
		}
	})
	total := newMonthCounts()
	for _, w := range workers {
		total.Add(w.counts)
	}
	return total, err
}
