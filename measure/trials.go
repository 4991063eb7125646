package measure

import (
	"context"

	"dejavu/strategies"
	"dejavu/workload"
)

// A Tally is what trials come to: rates, clustered by reader, and sums. All of it
// is whole numbers, the same on every machine.
type Tally struct {
	Rates   []Rate  `json:"rates"`
	Sums    []int64 `json:"sums"`
	Readers int64   `json:"readers"`
}

// NewTally has room for so many rates and sums.
func NewTally(rates, sums int) Tally {
	return Tally{Rates: make([]Rate, rates), Sums: make([]int64, sums)}
}

// Add adds what was counted of other readers, of a Tally with the same room.
func (t *Tally) Add(u Tally) {
	for i := range t.Rates {
		t.Rates[i] = t.Rates[i].Plus(u.Rates[i])
	}
	for i := range t.Sums {
		t.Sums[i] += u.Sums[i]
	}
	t.Readers += u.Readers
}

// A Trial is done with one reader: a number, that reader's order of articles, and
// where to count. It may keep memory between readers.
type Trial func(user int, reader workload.Reader, t *Tally)

// Trials does a trial with each of these readers. begin makes one for each worker.
func Trials(ctx context.Context, o Options, population workload.Full, readers Range, rates, sums int, begin func() Trial) (Tally, error) {
	type worker struct {
		Tally
		try Trial
	}
	workers := make([]*worker, o.workers())
	for i := range workers {
		workers[i] = &worker{NewTally(rates, sums), begin()}
	}
	err := each(ctx, o, workers, readers, func(w *worker, user int) {
		w.try(user, population.Reader(user), &w.Tally)
		w.Readers++
	})
	total := NewTally(rates, sums)
	for _, w := range workers {
		total.Add(w.Tally)
	}
	return total, err
}

// An Asker asks a history and counts the answers, in memory of its own.
type Asker struct{ seen []bool }

// Count is how many of the candidates a history remembers.
func (a *Asker) Count(s strategies.Strategy, history []byte, candidates []strategies.ID) int {
	if len(candidates) > len(a.seen) {
		a.seen = make([]bool, len(candidates))
	}
	s.Seen(history, candidates, a.seen[:len(candidates)])
	return count(a.seen[:len(candidates)], true)
}
