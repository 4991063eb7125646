// Package shared holds what several packages of experiments need: the daily population with a strategy, times taken in
// turns, and means over the lives of the full population. A measurement is made once in a run.
package shared

import (
	"context"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/strategies"
	"dejavu/workload"
)

// A DailyResult is the daily population with one strategy.
type DailyResult struct {
	Counts  measure.DailyCounts
	Machine measure.DailyMachine
}

// DailyUsers returns how many users are simulated for thirty days: one in a hundred, but at least 20,000 or all. Thirty
// days of a user, with and without the rule of 24 hours, take the time of fifty lives of the full population.
func DailyUsers(s engine.Scope) int { return max(min(s.Users, 20_000), s.Users/100) }

// Days is the number of days that Daily simulates.
const Days = 30

// Daily measures thirty days of reading with an unsampled entry.
func Daily(e catalogue.Entry) engine.Measurement[DailyResult] {
	return engine.Measurement[DailyResult]{
		Name: "daily-" + e.Name, Users: DailyUsers, Cost: 80, Machine: true,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (result DailyResult, err error) {
			population, err := workload.NewDailyOf(r.Daily(), r.Seed, DailyUsers(r.Scope))
			if err != nil {
				return result, err
			}
			subject := r.Subject(e)
			result.Counts, result.Machine, err = measure.Daily(ctx, subject, population, users, Days, r.Options)
			r.Bytes(result.Machine.Slabs / int64(max(result.Machine.Parts, 1)))
			return result, err
		},
	}
}

// UnsampledEntries returns the full population's entries that run on all users.
func UnsampledEntries(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), catalogue.Entry.Sampled)
}

// Tasks returns the task of each entry.
func Tasks[T any](entries []catalogue.Entry, of func(catalogue.Entry) engine.Measurement[T]) (tasks []engine.Task) {
	for _, e := range entries {
		tasks = append(tasks, of(e))
	}
	return tasks
}

// Collect measures some things over the same users, one after the other.
func Collect[S, T any](r *engine.Run, users measure.Range, things []S, of func(S) (T, error)) (all []T, err error) {
	r.Expect(users.Len() * len(things))
	all = make([]T, len(things))
	for i, thing := range things {
		if all[i], err = of(thing); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// HotShown is the number of articles shown to a user whose requests are timed: a full life.
const HotShown = 600

// A HotRound is the time of requests to one user whose history is in the cache, for each strategy, all in turns.
type HotRound struct {
	Names     []string
	Latencies [][]stopwatch.Latency // by strategy, by number of candidates
}

// Of returns a name's times by number of candidates, or nil if it has none.
func (h HotRound) Of(name string) []stopwatch.Latency {
	if i := slices.Index(h.Names, name); i >= 0 {
		return h.Latencies[i]
	}
	return nil
}

// TimeHot times these subjects in turns, after shown articles.
func TimeHot(
	ctx context.Context, r *engine.Run, subjects []measure.Subject, shown int, sizes []int,
) (h HotRound, err error) {
	for _, s := range subjects {
		h.Names = append(h.Names, s.Name)
	}
	h.Latencies, err = stopwatch.Hot(ctx, subjects, shown, sizes, r.Seed)
	return h, err
}

// MeanOverLives returns the mean of f over the articles shown to users of the full population.
func MeanOverLives(f func(shown int) float64) float64 {
	sum := 0.
	for shown := workload.Least; shown <= workload.MaxShown; shown++ {
		sum += workload.ShownShare(shown) * f(shown)
	}
	return sum
}

// A Limited strategy records the first of the articles shown and no more: stopwatch.Hot shows all subjects the same.
type Limited struct {
	strategies.Strategy
	Articles int
}

// Record keeps the first articles of those shown.
func (l Limited) Record(history []byte, shown []strategies.ID) []byte {
	return l.Strategy.Record(history, shown[:min(len(shown), l.Articles)])
}
