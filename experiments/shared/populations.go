// Package shared holds the measurements that several experiments ask for: the full and the daily population
// with a strategy, what is timed while all histories are alive, the time of a request to one user, and the
// change of N.
//
// Each is made once in a run, however many ask. What one experiment alone measures is in its own package.
package shared

import (
	"context"
	"runtime"
	"slices"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/measure/alive"
	"dejavu/results"
	"dejavu/workload"
)

// A FullResult is the full population with one strategy.
type FullResult struct {
	Counts  measure.FullCounts
	Machine measure.FullMachine
}

// Full is every user of an entry shown a life of articles.
func Full(e catalogue.Entry) engine.Measurement[FullResult] {
	return engine.Measurement[FullResult]{
		Name: "full-" + e.Name, Users: func(s engine.Scope) int { return e.Users(s.Users) }, Cost: 10, Machine: true,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (FullResult, error) {
			timed := r.Timed() && !e.IsBeyond()
			result, times, err := live(ctx, r, e, users, timed)
			if err == nil && timed {
				err = Alive(e).Keep(r, times)
			}
			return result, err
		},
	}
}

// An AliveResult is what was timed while the histories of a part of the full population were alive.
type AliveResult struct {
	Cold        alive.Cold       // requests to random users
	Serving     []alive.Serving  // by goroutines, one to all processors
	Collection  alive.Collection // of garbage, while all processors serve
	HeapObjects int64            // that all histories of the part take
}

// Alive is timed in passing by Full. Entries beyond the paper have too few users for what is asked of
// millions alive at once, and are not timed.
func Alive(e catalogue.Entry) engine.Measurement[AliveResult] {
	full := Full(e).Task()
	return engine.Measurement[AliveResult]{
		Name: "alive-" + e.Name, Along: &full,
		Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (AliveResult, error) {
			_, times, err := live(ctx, r, e, r.Share(e.Users(r.Users)), true)
			return times, err
		},
	}
}

// live measures the full population, and times the first part of it.
func live(
	ctx context.Context, r *engine.Run, e catalogue.Entry, users measure.Range, timed bool,
) (result FullResult, times AliveResult, err error) {
	population := catalogue.Must(workload.NewFull(r.Seed, e.Users(r.Users)))
	subject := r.Subject(e)
	var during func(measure.Alive) error
	if timed {
		before := alive.HeapObjects()
		during = func(part measure.Alive) error {
			if part.First != users.From {
				return nil // one part is as good as another
			}
			times.HeapObjects = -before
			return times.take(ctx, part, r.Users, r.Seed)
		}
	}
	result.Counts, result.Machine, err = measure.Full(ctx, subject, population, users, r.Options, during)
	for _, h := range result.Machine.Held {
		r.Held(h.Slabs / int64(max(result.Machine.Parts, 1)))
	}
	return result, times, err
}

// take times a part. Users go on reading while they are served, so that comes last.
func (t *AliveResult) take(ctx context.Context, part measure.Alive, users int, seed uint64) (err error) {
	if t.Cold, err = alive.TimeCold(ctx, part, seed); err != nil {
		return err
	}
	t.HeapObjects += alive.HeapObjects()
	processors := runtime.GOMAXPROCS(0)
	for n := 1; ; n = min(2*n, processors) {
		serving, err := alive.Serve(ctx, part, n, servedFor(users), seed)
		if err != nil {
			return err
		}
		t.Serving = append(t.Serving, serving)
		if n == processors {
			break
		}
	}
	t.Collection, err = alive.Collect(ctx, part, processors, seed)
	return err
}

// servedFor is how long each number of goroutines serves: a third of a second, less for fewer users than a
// third of a million.
func servedFor(users int) time.Duration {
	return min(333*time.Millisecond, time.Duration(users)*time.Microsecond)
}

// FullTasks are the tasks of Full for each entry of the full population.
func FullTasks(s engine.Scope) []engine.Task { return Tasks(s.Full(), Full) }

// PaperEntries are the entries of the full population that are the paper's.
func PaperEntries(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), catalogue.Entry.IsBeyond)
}

// AliveTasks are the tasks of Alive for each of PaperEntries.
func AliveTasks(s engine.Scope) []engine.Task { return Tasks(PaperEntries(s), Alive) }

// Extended takes one user in twenty of the full population through the change of N from 500 to 1000; the
// entry must be one with Longer.
func Extended(e catalogue.Entry) engine.Measurement[measure.ExtendCounts] {
	return engine.Measurement[measure.ExtendCounts]{
		Name: "extended-" + e.Name, Users: func(s engine.Scope) int { return e.Users(s.Users) }, Cost: 0.5,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (result measure.ExtendCounts, err error) {
			population := catalogue.Must(workload.NewFull(r.Seed, e.Users(r.Users)))
			old := r.Subject(e)
			longer := e.Lengthened()
			subject := measure.Subject{Name: e.Name, Strategy: longer, Theory: longer}
			return measure.Extend(ctx, r.Options, subject, e.Keeps, old, population, users)
		},
	}
}

// ExtendedTasks are the tasks of Extended for each entry that has a longer strategy.
func ExtendedTasks(s engine.Scope) []engine.Task { return Tasks(ExtendableEntries(s), Extended) }

// ExtendableEntries are the entries of the full population that have a longer strategy.
func ExtendableEntries(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), func(e catalogue.Entry) bool { return e.Longer == "" })
}

// A DailyResult is the daily population with one strategy.
type DailyResult struct {
	Counts  measure.DailyCounts
	Machine measure.DailyMachine
}

// DailyUsers is how many users of a run are simulated for thirty days: one in a hundred, but 20,000 where
// there are so many. Thirty days of a user, with the rule of 24 hours and without it, take as long as fifty
// lives of the full population.
func DailyUsers(s engine.Scope) int { return max(min(s.Users, leastDaily), s.Users/100) }

const leastDaily = 20_000

// Days is how many days of reading Daily simulates.
const Days = 30

// Daily is thirty days of reading with an entry that all users have.
func Daily(e catalogue.Entry) engine.Measurement[DailyResult] {
	return engine.Measurement[DailyResult]{
		Name: "daily-" + e.Name, Users: DailyUsers, Cost: 90, Machine: true,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (result DailyResult, err error) {
			population, err := workload.NewDailyOf(r.Daily(), r.Seed, DailyUsers(r.Scope))
			if err != nil {
				return result, err
			}
			subject := r.Subject(e)
			result.Counts, result.Machine, err = measure.Daily(ctx, subject, population, users, Days, r.Options)
			r.Held(result.Machine.Slabs / int64(max(result.Machine.Parts, 1)))
			return result, err
		},
	}
}

// DailyTasks are the tasks of Daily for each entry that all users have.
func DailyTasks(s engine.Scope) []engine.Task { return Tasks(UnsampledEntries(s), Daily) }

// UnsampledEntries are the entries of the full population that all users have.
func UnsampledEntries(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), catalogue.Entry.Sampled)
}

// Tasks are the tasks that each entry needs.
func Tasks[T any](entries []catalogue.Entry, of func(catalogue.Entry) engine.Measurement[T]) (tasks []engine.Task) {
	for _, e := range entries {
		tasks = append(tasks, of(e).Task())
	}
	return tasks
}

// Each collects the rows that every entry contributes by what was measured of it.
func Each[T any](r *engine.Run, entries []catalogue.Entry, of func(catalogue.Entry) engine.Measurement[T],
	rows func(r *engine.Run, e catalogue.Entry, subject measure.Subject, found T) (rows, timing []results.Row, err error),
) (all, timing []results.Row, err error) {
	for _, e := range entries {
		found, err := of(e).Of(r)
		if err != nil {
			return nil, nil, err
		}
		more, times, err := rows(r, e, r.Subject(e), found)
		if err != nil {
			return nil, nil, err
		}
		all, timing = append(all, more...), append(timing, times...)
	}
	return all, timing, nil
}
