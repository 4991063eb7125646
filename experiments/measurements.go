package main

import (
	"fmt"
	"runtime"
	"time"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/workload"
)

// A planned measurement: its name, its cost in arbitrary units, and how it is made.
type planned struct {
	name string
	cost float64
	make func() error
}

// The costs of a user in each kind of measurement, roughly in microseconds.
const (
	fullCost      = 10
	dailyCost     = 4
	churnCost     = 20
	tradeoffCost  = 300
	monthCost     = 8000
	proposalsCost = 0.5
	snapshotCost  = 15
	hotCost       = 2e6 // in all
	shipCost      = 3e6 // in all
	pipelineCost  = 2
)

func fullName(e catalogue.Entry) string  { return "full-" + e.Name }
func dailyName(e catalogue.Entry) string { return "daily-" + e.Name }
func churnName(e catalogue.Entry) string { return "churn-" + e.Name }

const (
	hotName     = "hot"
	heldHotName = "hot-held"
	hashesName  = "hashes"
)

// measurements is what an experiment with these needs asks the suite for.
func (s *suite) measurements(n needs) (all []planned) {
	cost := func(users int, each float64) float64 { return float64(s.share(users).Len()) * each }
	for _, e := range fullEntries() {
		if n.full {
			all = append(all, planned{
				fullName(e), cost(e.Users(s.users), fullCost), func() error { return only(s.full(e)) },
			})
		}
		if n.daily && e.Share == 1 {
			all = append(all, planned{
				dailyName(e), cost(s.users, dailyCost), func() error { return only(s.daily(e)) },
			})
		}
		if n.churn && e.Churn > 0 {
			all = append(all, planned{
				churnName(e), cost(e.Returning(s.users), churnCost), func() error { return only(s.churn(e)) },
			})
		}
	}
	if n.hot {
		hot := planned{name: hotName, make: func() error { return only(s.hot()) }}
		if s.timed() {
			hot.cost = hotCost
		}
		all = append(all, hot)
	}
	if n.held {
		all = append(all, planned{name: heldHotName, make: func() error { return only(s.heldHot()) }})
	}
	if n.tradeoff {
		all = append(all, planned{
			tradeoffName, cost(tradeoffReaders(s.users), tradeoffCost), func() error { return only(s.tradeoffs()) },
		})
	}
	if n.month {
		all = append(all,
			planned{monthName, cost(monthReaders(s.users), monthCost), func() error { return only(s.months()) }},
			planned{name: monthTimesName, make: func() error { return only(s.monthTimes()) }})
	}
	if n.proposals {
		all = append(all, planned{
			proposalsName, cost(s.users, proposalsCost), func() error { return only(s.tryProposals()) },
		})
	}
	if n.pipeline {
		lanes := cost(pipelineReaders(s.users), pipelineCost*float64(len(pipelineLanes)*len(pipelineDelays)))
		outages := cost(outageReaders(s.users), pipelineCost*float64(len(outageLanes)))
		all = append(all, planned{pipelineName, lanes + outages, func() error { return only(s.livePath()) }})
	}
	if n.hashes {
		all = append(all, planned{
			hashesName, cost(hashesFilters(s.users), 9*2*hashesCost), func() error { return only(s.hashes()) },
		})
	}
	if n.ship {
		ship := planned{name: shipName, make: func() error { return only(s.shipped()) }}
		if s.timed() {
			ship.cost = shipCost
		}
		all = append(all, ship)
	}
	if n.snapshot {
		_ = eachBackedUp(func(e catalogue.Entry) error {
			all = append(all, planned{
				snapshotName(e.Name), cost(backedUpReaders(s.users), snapshotCost), func() error { return only(s.restarted(e)) },
			})
			return nil
		})
	}
	return all
}

// prepare makes the measurements of an experiment, for rows to come.
func (s *suite) prepare(x experiment) error {
	for _, m := range s.measurements(x.needs) {
		if err := m.make(); err != nil {
			return err
		}
	}
	return nil
}

// only is the error of a measurement that is made for later.
func only(_ any, err error) error { return err }

// plan is what the experiments will measure, without what was saved before.
func (s *suite) plan(chosen []experiment) (plan []planned) {
	have := s.savedNames()
	for _, x := range chosen {
		for _, m := range s.measurements(x.needs) {
			if !have[m.name] {
				have[m.name] = true
				plan = append(plan, m)
			}
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

func (r fullResult) plus(next fullResult) fullResult {
	r.Counts.Add(&next.Counts)
	r.Machine.Add(next.Machine)
	if next.Extended != nil {
		r.Extended.Add(*next.Extended)
	}
	return r
}

// servedFor is how long each number of goroutines serves: a third of a second,
// less for fewer users than a third of a million.
func servedFor(users int) time.Duration {
	return min(333*time.Millisecond, time.Duration(users)*time.Microsecond)
}

// full measures the full population with an entry.
func (s *suite) full(e catalogue.Entry) (fullResult, error) {
	return measured(s, fullName(e), func() (r fullResult, err error) {
		users := e.Users(s.users)
		population, err := workload.NewFull(s.seed, users)
		if err != nil {
			return r, err
		}
		subject, err := s.subject(e)
		if err != nil {
			return r, err
		}
		readers := s.share(users)
		s.progress.expect(readers.Len())
		objects := measure.HeapObjects()
		if e.IsBeyond() { // too few readers for what is asked of millions alive at once
			r.Counts, r.Machine, err = measure.Full(s.ctx, subject, population, readers, s.options, nil)
			return r, err
		}
		r.Counts, r.Machine, err = measure.Full(s.ctx, subject, population, readers, s.options,
			func(part measure.Alive) error {
				timed := part.First == 0 // one part is as good as another
				if timed {
					cold, err := measure.MeasureCold(s.ctx, part, s.seed)
					if err != nil {
						return err
					}
					r.Cold = &cold
				}
				if err := s.extend(e, subject, population, part, &r); err != nil {
					return err
				}
				if !timed {
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
func (s *suite) extend(e catalogue.Entry, old measure.Subject, population workload.Full,
	part measure.Alive, r *fullResult,
) error {
	if e.Longer == nil {
		return nil
	}
	longer, keeps, err := e.Longer()
	if err != nil {
		return fmt.Errorf("%s for N = 1000: %w", e.Name, err)
	}
	subject := measure.Subject{Name: e.Name, Strategy: longer, Theory: longer}
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

func (r dailyResult) plus(next dailyResult) dailyResult {
	r.Counts.Add(next.Counts)
	r.Machine.Add(next.Machine)
	return r
}

// daily measures the daily population with an entry.
func (s *suite) daily(e catalogue.Entry) (dailyResult, error) {
	return measured(s, dailyName(e), func() (r dailyResult, err error) {
		users := e.Users(s.users)
		population, subject, err := s.visited(e, users)
		if err != nil {
			return r, err
		}
		readers := s.share(users)
		s.progress.expect(readers.Len())
		r.Counts, r.Machine, err = measure.Daily(s.ctx, subject, population, readers, s.options)
		return r, err
	})
}

// visited is an entry and so many readers who come back to it day by day.
func (s *suite) visited(e catalogue.Entry, users int) (population workload.Daily, subject measure.Subject, err error) {
	if population, err = workload.NewDailyOf(s.habits(), s.seed, users); err == nil {
		subject, err = s.subject(e)
	}
	return population, subject, err
}

// churnDays is how many days the daily population comes back for: five more than
// the histories need until they grow no more.
const churnDays = measure.WarmUp + 5

// A churnResult is what one strategy's histories took, midnight by midnight.
type churnResult struct {
	Users     int
	Together  int // of these, in one store at least
	Midnights []measure.Midnight
}

func (r churnResult) plus(next churnResult) churnResult {
	r.Users += next.Users
	r.Together = min(r.Together, next.Together)
	for day := range r.Midnights {
		r.Midnights[day].Add(next.Midnights[day])
	}
	return r
}

// churn lets the daily population come back to an entry, day after day.
func (s *suite) churn(e catalogue.Entry) (churnResult, error) {
	return measured(s, churnName(e), func() (r churnResult, err error) {
		users := e.Returning(s.users)
		population, subject, err := s.visited(e, users)
		if err != nil {
			return r, err
		}
		readers := s.share(users)
		r.Users, r.Together = readers.Len(), readers.Len()
		s.progress.expect(r.Users * churnDays)
		r.Midnights, err = measure.Churn(s.ctx, subject, population, readers, churnDays, s.options)
		return r, err
	})
}
