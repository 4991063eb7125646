// Package shared holds measurements that several experiments need: the full and the daily population with a strategy,
// requests to random users while all histories are alive, the time of a request to one user, and the change of N.
//
// Each is made once in a run. A measurement for one experiment is in that experiment's package.
package shared

import (
	"context"
	"slices"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/measure/alive"
	"dejavu/measure/stopwatch"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/strategies"
	"dejavu/workload"
)

// A FullResult is the full population with one strategy.
type FullResult struct {
	Counts  measure.FullCounts
	Machine measure.FullMachine
	Alive   []alive.Cold // of the paper's strategies one, by the shard that makes the timings
}

// Full shows every user of an entry a life of articles. Strategies beyond the paper have too few users alive to be
// timed.
func Full(e catalogue.Entry) engine.Measurement[FullResult] {
	return engine.Measurement[FullResult]{
		Name: "full-" + e.Name, Users: func(s engine.Scope) int { return e.Users(s.Users) }, Cost: 6, Machine: true,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (result FullResult, err error) {
			population := catalogue.Must(workload.NewFull(r.Seed, e.Users(r.Users)))
			var during func(measure.Alive) error
			if r.Timed() && !e.IsBeyond() {
				during = func(part measure.Alive) error {
					if part.First != users.From {
						return nil // one part is enough
					}
					cold, err := alive.TimeCold(ctx, part, r.Seed)
					result.Alive = []alive.Cold{cold}
					return err
				}
			}
			result.Counts, result.Machine, err = measure.Full(ctx, r.Subject(e), population, users, r.Options, during)
			for _, h := range result.Machine.Held {
				r.Bytes(h.Slabs / int64(max(result.Machine.Parts, 1)))
			}
			return result, err
		},
	}
}

// PaperEntries returns the paper's entries of the full population.
func PaperEntries(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), catalogue.Entry.IsBeyond)
}

// Extended takes an entry with Longer, for one user in twenty, through the change of N from 500 to 1000.
func Extended(e catalogue.Entry) engine.Measurement[measure.ExtendCounts] {
	return engine.Measurement[measure.ExtendCounts]{
		Name: "extended-" + e.Name, Users: func(s engine.Scope) int { return e.Users(s.Users) }, Cost: 0.25,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (result measure.ExtendCounts, err error) {
			population := catalogue.Must(workload.NewFull(r.Seed, e.Users(r.Users)))
			old := r.Subject(e)
			longer := e.Lengthened()
			subject := measure.Subject{Name: e.Name, Strategy: longer, Theory: longer}
			change := measure.Change{Old: old, Longer: subject, Keeps: e.Keeps}
			return measure.Extend(ctx, r.Options, change, population, users)
		},
	}
}

// ExtendableEntries returns the full population's entries that have a longer strategy.
func ExtendableEntries(s engine.Scope) []catalogue.Entry {
	return slices.DeleteFunc(s.Full(), func(e catalogue.Entry) bool { return e.Longer == "" })
}

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

// Tasks returns a function that lists the entries' tasks in a scope.
func Tasks[T any](entries func(engine.Scope) []catalogue.Entry, of func(catalogue.Entry) engine.Measurement[T],
) func(engine.Scope) []engine.Task {
	return func(s engine.Scope) (tasks []engine.Task) {
		for _, e := range entries(s) {
			tasks = append(tasks, of(e))
		}
		return tasks
	}
}

// The tasks of these measurements for each entry that they are of.
var (
	FullTasks     = Tasks(engine.Scope.Full, Full)
	ExtendedTasks = Tasks(ExtendableEntries, Extended)
	DailyTasks    = Tasks(UnsampledEntries, Daily)
)

// ByEntry makes an experiment's rows: each entry adds rows computed from its measurement.
func ByEntry[T any](entries func(engine.Scope) []catalogue.Entry, of func(catalogue.Entry) engine.Measurement[T],
	rows func(r *engine.Run, e catalogue.Entry, found T) (rows, timing []results.Row, err error),
) func(*engine.Run) (rows, timing []results.Row, err error) {
	return func(r *engine.Run) (all, timing []results.Row, err error) {
		for _, e := range entries(r.Scope) {
			found, err := of(e).Of(r)
			if err != nil {
				return nil, nil, err
			}
			more, times, err := rows(r, e, found)
			if err != nil {
				return nil, nil, err
			}
			all, timing = append(all, more...), append(timing, times...)
		}
		return all, timing, nil
	}
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

// HotShown is the number of articles shown to the user of Hot: a full life.
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

// A HotResult is two rounds.
type HotResult struct{ Paper, Beyond HotRound }

// Of returns the times of an entry of the catalogue, the least number of candidates first.
func (h HotResult) Of(e catalogue.Entry) []stopwatch.Latency {
	if e.IsBeyond() {
		return h.Beyond.Of(e.Name)
	}
	return h.Paper.Of(e.Name)
}

// Hot times the catalogue, the queue's other way to answer ("queue-map"), the floor and nothing. Then, with the fewest
// candidates only, it times the strategies beyond the paper, with the single filter and the floor again, as times are
// compared within a turn.
var Hot = engine.Measurement[HotResult]{
	Name: "hot", Cost: 1.5e6,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (h HotResult, err error) {
		least := stopwatch.NewFloor(slices.Max(stopwatch.Sizes), r.Seed)
		floor := measure.Subject{Name: "floor", Strategy: least, Theory: stopwatch.Nothing{}}
		var paper, beyond []measure.Subject
		for _, e := range r.Full() {
			subject := r.Subject(e)
			if !e.IsBeyond() {
				paper = append(paper, subject)
			}
			if e.IsBeyond() || e.Name == "single" {
				beyond = append(beyond, subject)
			}
		}
		decoder := catalogue.Must(queue.NewDecoder(queue.Paper))
		paper = append(paper, measure.Subject{Name: "queue-map", Strategy: decoder, Theory: decoder}, floor,
			measure.Subject{Name: "nothing", Strategy: stopwatch.Nothing{}, Theory: stopwatch.Nothing{}})
		if h.Paper, err = TimeHot(ctx, r, paper, HotShown, stopwatch.Sizes); err != nil {
			return h, err
		}
		h.Beyond, err = TimeHot(ctx, r, append(beyond, floor), HotShown, stopwatch.Sizes[:1])
		return h, err
	},
}

// MeanOverLives returns the mean of f over the articles shown to users of the full population.
func MeanOverLives(f func(shown int) float64) float64 {
	sum := 0.
	for shown := workload.Least; shown <= workload.MaxShown; shown++ {
		sum += workload.ShownShare(shown) * f(shown)
	}
	return sum
}

// Remembers reports whether the article shown age articles ago, 1 being the newest, is always recognised.
func Remembers(s measure.Subject, read, age int) bool {
	if r, ok := s.Strategy.(measure.Rememberer); ok {
		return r.Remembers(read, age)
	}
	return age <= s.Theory.Window(read)
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

// MonthDays is the length of a month.
const MonthDays = 30

// A spread is a Dated strategy at the end of a full month. It spreads a newcomer's articles over the days.
type spread struct {
	strategies.Strategy // as it is on the month's last day
	on                  []strategies.Strategy
}

// FullMonth returns a strategy whose histories are full after MonthDays days of workload.PerDay articles, on the last
// day.
func FullMonth(dated strategies.Dated) strategies.Strategy {
	var s spread
	for day := range MonthDays {
		s.on = append(s.on, dated.On(day))
	}
	s.Strategy = s.on[MonthDays-1]
	return s
}

// Record spreads a newcomer's articles over the days.
func (s spread) Record(history []byte, shown []strategies.ID) []byte {
	if len(history) > 0 {
		return s.Strategy.Record(history, shown)
	}
	for day, on := range s.on {
		history = on.Record(history, shown[day*workload.PerDay:][:workload.PerDay])
	}
	return history
}
