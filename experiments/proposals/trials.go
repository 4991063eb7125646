// Package proposals measures what the sources advise beside a filter: a second
// check, growing, deleting, sizes by activity.
package proposals

import (
	"context"

	"dejavu/measure"
	"dejavu/workload"
)

// A Tally is what trials come to: rates, clustered by user, and sums. All of it
// is whole numbers, the same on every machine.
type Tally struct {
	Rates []measure.Rate `json:"rates"`
	Sums  []int64        `json:"sums"`
	Users int64          `json:"users"`
}

// NewTally has room for so many rates and sums.
func NewTally(rates, sums int) Tally {
	return Tally{Rates: make([]measure.Rate, rates), Sums: make([]int64, sums)}
}

// A Trial is done with one user: a number, that user's order of articles, and
// where to count. It may keep memory between users.
type Trial func(user int, reader workload.Reader, t *Tally)

// Trials does a trial with each of these users. begin makes one for each worker.
func Trials(ctx context.Context, o measure.Options, population workload.Full, users measure.Range, rates, sums int, begin func() Trial) (Tally, error) {
	type worker struct {
		Tally
		try Trial
	}
	workers, err := measure.Each(ctx, o, users, func() *worker {
		return &worker{NewTally(rates, sums), begin()}
	}, func(w *worker, user int) {
		w.try(user, population.Reader(user), &w.Tally)
		w.Users++
	})
	total := NewTally(rates, sums)
	for _, w := range workers {
		measure.Sum(&total, w.Tally)
	}
	return total, err
}
