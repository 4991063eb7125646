package main

import (
	"fmt"
	"runtime"
	"time"

	"dejavu/measure"
	"dejavu/workload"
)

// A planned measurement: its name, and its cost in arbitrary units.
type planned struct {
	name string
	cost float64
}

// The costs of a user in each kind of measurement, roughly in microseconds.
const (
	fullCost  = 10
	dailyCost = 4
	churnCost = 20
	hotCost   = 2e6 // in all
)

func fullName(e entry) string  { return "full-" + e.name }
func dailyName(e entry) string { return "daily-" + e.name }
func churnName(e entry) string { return "churn-" + e.name }

const (
	hotName    = "hot"
	hashesName = "hashes"
)

// plan is what the experiments will measure, without what was saved before.
func (s *suite) plan(chosen []experiment) []planned {
	var plan []planned
	have := s.savedNames()
	want := func(name string, cost float64) {
		if !have[name] {
			have[name] = true
			plan = append(plan, planned{name, cost})
		}
	}
	for _, x := range chosen {
		if x.needs.full {
			for _, e := range catalogue {
				want(fullName(e), float64(e.users(s.users))*fullCost)
			}
		}
		if x.needs.daily {
			for _, e := range catalogue {
				if e.share == 1 {
					want(dailyName(e), float64(s.users)*dailyCost)
				}
			}
		}
		if x.needs.churn {
			for _, e := range catalogue {
				if e.churn > 0 {
					want(churnName(e), float64(e.returning(s.users))*churnCost)
				}
			}
		}
		if x.needs.hot {
			want(hotName, hotCost)
		}
		if x.needs.hashes {
			want(hashesName, float64(hashesFilters(s.users))*9*2*hashesCost)
		}
	}
	return plan
}

// A fullResult is the full population with one strategy, and what was asked of
// its histories while they were alive.
type fullResult struct {
	Counts  measure.FullCounts
	Machine measure.FullMachine

	Cold *measure.Cold // requests to random readers

	Extended *measure.ExtendCounts // N made longer, where the catalogue says how

	Serving     []measure.Serving  // by goroutines, one to all processors
	Collection  measure.Collection // of garbage, while all processors serve
	HeapObjects int64              // that all histories of a part take
}

// servedFor is how long each number of goroutines serves: a third of a second,
// less for fewer users than a third of a million.
func servedFor(users int) time.Duration {
	return min(333*time.Millisecond, time.Duration(users)*time.Microsecond)
}

// full measures the full population with an entry.
func (s *suite) full(e entry) (fullResult, error) {
	return measured(s, fullName(e), func() (r fullResult, err error) {
		users := e.users(s.users)
		population, err := workload.NewFull(s.seed, users)
		if err != nil {
			return r, err
		}
		subject, err := e.subject()
		if err != nil {
			return r, err
		}
		s.progress.expect(users)
		objects := measure.HeapObjects()
		r.Counts, r.Machine, err = measure.Full(s.ctx, subject, population, s.share(users), s.options,
			func(part measure.Alive) error {
				if r.Cold == nil { // one part is as cold as another
					cold, err := measure.MeasureCold(s.ctx, part, s.seed)
					if err != nil {
						return err
					}
					r.Cold = &cold
				}
				if err := s.extend(e, subject, population, part, &r); err != nil {
					return err
				}
				if r.Serving != nil {
					return nil
				}
				r.HeapObjects = measure.HeapObjects() - objects
				processors := runtime.GOMAXPROCS(0)
				for n := 1; ; n = min(2*n, processors) {
					serving, err := measure.Serve(s.ctx, part, n, servedFor(users), s.seed)
					if err != nil {
						return err
					}
					r.Serving = append(r.Serving, serving)
					if n == processors {
						break
					}
				}
				var err error
				r.Collection, err = measure.Collect(s.ctx, part, processors, s.seed)
				return err
			})
		return r, err
	})
}

// extend hands the live histories to the entry's longer strategy.
func (s *suite) extend(e entry, old measure.Subject, population workload.Full,
	part measure.Alive, r *fullResult,
) error {
	if e.longer == nil {
		return nil
	}
	longer, keeps, err := e.longer()
	if err != nil {
		return fmt.Errorf("%s for N = 1000: %w", e.name, err)
	}
	subject := measure.Subject{Name: e.name, Strategy: longer, Theory: longer}
	counts, err := measure.Extend(s.ctx, s.options, subject, keeps, old, population, part)
	if err != nil {
		return err
	}
	if r.Extended == nil {
		r.Extended = new(measure.ExtendCounts)
	}
	r.Extended.Add(counts)
	return nil
}

// A dailyResult is the daily population with one strategy.
type dailyResult struct {
	Counts  measure.DailyCounts
	Machine measure.DailyMachine
}

// daily measures the daily population with an entry.
func (s *suite) daily(e entry) (dailyResult, error) {
	return measured(s, dailyName(e), func() (r dailyResult, err error) {
		users := e.users(s.users)
		population, err := workload.NewDaily(s.seed, users)
		if err != nil {
			return r, err
		}
		subject, err := e.subject()
		if err != nil {
			return r, err
		}
		s.progress.expect(users)
		r.Counts, r.Machine, err = measure.Daily(s.ctx, subject, population, s.share(users), s.options)
		return r, err
	})
}

// churnDays is how many days the daily population comes back for: five more than
// the histories need until they grow no more.
const churnDays = measure.WarmUp + 5

// A churnResult is what one strategy's histories took, midnight by midnight.
type churnResult struct {
	Users     int
	Midnights []measure.Midnight
}

// churn lets the daily population come back to an entry, day after day.
func (s *suite) churn(e entry) (churnResult, error) {
	return measured(s, churnName(e), func() (r churnResult, err error) {
		r.Users = e.returning(s.users)
		population, err := workload.NewDaily(s.seed, r.Users)
		if err != nil {
			return r, err
		}
		subject, err := e.subject()
		if err != nil {
			return r, err
		}
		s.progress.expect(r.Users * churnDays)
		r.Midnights, err = measure.Churn(s.ctx, subject, population, s.share(r.Users), churnDays, s.options)
		return r, err
	})
}
