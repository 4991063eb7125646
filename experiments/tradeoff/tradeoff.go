// Package tradeoff measures every structure at one window and rate, for users who have been shown articles for long.
package tradeoff

import (
	"cmp"
	"context"

	"dejavu/bloom"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// Experiment is tradeoff.
var Experiment = experiment.Experiment{
	Name:  results.Tradeoff,
	About: "every structure at one window and rate, and at one length: bytes, false positive rate, time",
	Needs: func(engine.Scope) []engine.Task {
		return []engine.Task{counts, times}
	},
	Dimensions: []results.Dimension{by.Sized, by.Target, by.Statistic, by.Candidates, by.Recorded},
	Rows:       rows, Figures: figures, Tables: tables,
}

const (
	lengthBytes    = 512                         // of the longest history, if all have that alike
	firstArticle   = 3*catalogue.SizedWindow + 1 // after a full rotation of all
	cycle          = 1000                        // articles: whole cycles of all, or nearly
	recordedAtOnce = 10                          // articles, as a refresh shows them
)

// What compared structures have alike: the rate, or the bytes.
var (
	AtRate  = by.Sized.Is("2 %")
	InBytes = by.Sized.Is("512 B")
)

// Statistics of a structure's moments.
var (
	Worst = by.Statistic.Is("worst") // the moment when theory is worst
	Mean  = by.Statistic.Is("mean")  // over a rotation
	Least = by.Statistic.Is("least")
)

// Of returns the query for a quantity of every structure.
func Of(quantity string, where ...results.Condition) results.Query {
	return results.Find(quantity, where...).In(results.Tradeoff).Of(results.Any)
}

// usersOf returns the number of users per configuration.
func usersOf(s engine.Scope) int { return max(400, s.Users/2000) }

// longest returns the length of the longest history of a strategy made for a window, without rare growth by chance.
func longest(s catalogue.Strategy, window int) int {
	first, last := catalogue.Settled(s, window, max(cycle, 2*window))
	return catalogue.Lengths(s, first, last).Bytes
}

// within returns the entry's lowest rate that fits into the given bytes, or nil if none does.
func within(e catalogue.Entry, window, bytes int) (best catalogue.Strategy) {
	catalogue.LowestFPR(1e-9, 1e-6, func(fpr float64) bool {
		s, err := e.Sized(window, fpr)
		if err != nil || longest(s, window) > bytes {
			return false
		}
		best = s // the last that fits has the lowest rate
		return true
	})
	return best
}

// A trade is one configuration of an entry, with its expected values if it is measured.
type trade struct {
	measure.Subject
	strategy    catalogue.Strategy // the subject's
	alike       results.Condition  // what it has alike with others
	first, last int                // articles shown, between which it is measured
	catalogue.Summary
}

// allTrades returns the compared configurations: some of equal window and rate, some of equal window and length. They
// take seconds to find, once in a run.
func allTrades(r *engine.Run) []trade {
	return catalogue.Must(engine.Memo(r, "trades", func() (all []trade, err error) {
		add := func(name string, s catalogue.Strategy, alike results.Condition) {
			t := trade{Subject: measure.Subject{Name: name, Strategy: s, Theory: s}, strategy: s, alike: alike}
			t.first, t.last = catalogue.Settled(s, catalogue.SizedWindow, cycle)
			all = append(all, t)
		}
		for _, e := range catalogue.Entries(r.Entries) {
			add(e.Name, catalogue.Must(e.Sized(catalogue.SizedWindow, catalogue.SizedFPR)), AtRate)
			if s := within(e, catalogue.SizedWindow, lengthBytes); s != nil && e.Name != "queue" {
				add(e.Name, s, InBytes)
			}
		}
		measure.Together(len(all), func(i int) {
			t := &all[i]
			t.Summary = catalogue.Over(t.strategy, t.first, t.last, 1)
		})
		return all, nil
	}))
}

// counts measures all trades, and has a member for each.
var counts = engine.Measurement[[]SteadyCounts]{
	Name: "tradeoff", Users: usersOf, Cost: 1400,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) ([]SteadyCounts, error) {
		population := catalogue.Must(workload.NewFull(r.Seed, usersOf(r.Scope)))
		return shared.Collect(r, users, allTrades(r), func(t trade) (SteadyCounts, error) {
			turn := t.last - t.first + 1
			return Steady(ctx, r.Options, t.Subject, population, users, t.WorstAt, t.first, turn)
		})
	},
}

// A timed is the time of a request, and of articles recorded, for the trades at one rate, each taken in turns.
type timed struct {
	Trades        []int // which of the trades those are
	Query, Record []stopwatch.Latency
}

var times = engine.Measurement[timed]{
	Name: "tradeoff-times", Cost: 4.7e5,
	Make: func(ctx context.Context, r *engine.Run, _ measure.Range) (t timed, err error) {
		var subjects []measure.Subject
		for i, trade := range allTrades(r) {
			if trade.alike != AtRate {
				continue
			}
			subject := trade.Subject
			if catalogue.Endless(trade.strategy) {
				subject.Strategy = shared.Limited{Strategy: trade.strategy, Articles: catalogue.SizedWindow}
			}
			subjects, t.Trades = append(subjects, subject), append(t.Trades, i)
		}
		query, err := stopwatch.Hot(ctx, subjects, firstArticle, stopwatch.Sizes[:1], r.Seed)
		if err != nil {
			return t, err
		}
		for _, q := range query {
			t.Query = append(t.Query, q[0])
		}
		t.Record, err = stopwatch.Recording(ctx, subjects, firstArticle, recordedAtOnce, r.Seed)
		return t, err
	},
}

func rows(r *engine.Run) (rows, timing []results.Row) {
	trades, all, took := allTrades(r), counts.Of(r), times.Of(r)
	for i, t := range trades {
		rows = append(rows, t.rows(all[i])...)
	}
	for j, i := range took.Trades {
		t, query, record := trades[i], took.Query[j], took.Record[j]
		timing = append(timing,
			row.Time(t.Name, results.QQueryNanos, query, float64(query.Candidates)).With(t.alike),
			row.Time(t.Name, results.QRecordNanosEach, record, float64(record.Candidates)).
				With(t.alike, by.Candidates.Is(""), by.Recorded.At(float64(record.Candidates))))
	}
	return append(rows, frontiers(catalogue.Entries(r.Entries))...), timing
}

func (t trade) rows(c SteadyCounts) (rows []results.Row) {
	add := func(r results.Row, theory float64, where ...results.Condition) {
		rows = append(rows, r.Expect(theory).Among(cmp.Or(r.Count, c.Mean.Users)).With(t.alike).With(where...))
	}
	n := func(quantity, unit string, value float64) results.Row {
		return row.Number(t.Name, quantity, unit, value)
	}
	most := float64(t.Summary.Bytes)
	add(n(results.QLongest, results.Bytes, most), most)
	add(n(results.QBytesPerUser, results.Bytes, row.Mean(c.Payload, c.Mean.Users)), t.MeanBytes)
	add(row.Rate(t.Name, results.QFPR, c.Worst), t.Worst, Worst)
	add(row.Rate(t.Name, results.QFPR, c.Mean), t.Mean, Mean)
	if catalogue.Endless(t.strategy) {
		add(n(results.QCapacity, "", catalogue.SizedWindow), catalogue.SizedWindow)
	}
	add(n(results.QWindow, "", float64(t.Window)), float64(t.Window), Least)
	inside := n(results.QInside, "", float64(c.WindowMisses)).Expect(0).Among(c.WindowChecks)
	return append(rows, inside.With(t.alike))
}

// frontierRates are the rates at which an entry's length is computed.
var frontierRates = []float64{0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0001}

// frontiers returns each entry's expected length by rate, and the least of any structure (bloom.WindowBound), with
// slack of the whole window and without any.
func frontiers(entries []catalogue.Entry) (rows []results.Row) {
	add := func(name string, fpr, bytes float64) {
		r := row.Theory(name, results.QLongest, results.Bytes, bytes)
		rows = append(rows, r.With(by.Target.At(fpr)))
	}
	for _, e := range entries {
		for _, fpr := range frontierRates {
			add(e.Name, fpr, float64(longest(catalogue.Must(e.Sized(catalogue.SizedWindow, fpr)), catalogue.SizedWindow)))
		}
	}
	for _, fpr := range frontierRates {
		add("bound, slack 400", fpr, bloom.WindowBound(catalogue.SizedWindow, catalogue.SizedWindow, fpr)/8)
		add("bound, slack 1", fpr, bloom.WindowBound(catalogue.SizedWindow, 1, fpr)/8)
	}
	return rows
}

// SteadyAsked is the number of fresh candidates per question to a user of Steady.
const SteadyAsked = 100

// spread is the step between users' places in the rotation, near its golden section, so that a few are even, too.
const spread = 619

// SteadyCounts holds a strategy's results for users who have read for long: whole numbers, the same on every machine.
type SteadyCounts struct {
	// False positives among fresh candidates. Worst is for half of the users, after the same number of articles. Mean
	// is for the others, spread evenly over a cycle.
	Worst measure.Rate `json:"worst"`
	Mean  measure.Rate `json:"mean"`

	WindowChecks int64 `json:"window_checks"` // articles inside the window, all of them asked for
	WindowMisses int64 `json:"window_misses"`
	Payload      int64 `json:"payload"` // lengths of the others' histories, summed
}

// Steady shows every second user worst articles, and the others a number spread evenly over a full rotation from first
// on. Then it asks for fresh candidates, and for every article of the guaranteed window.
func Steady(ctx context.Context, o measure.Options, s measure.Subject, population workload.Full, users measure.Range,
	worst, first, turn int,
) (SteadyCounts, error) {
	return measure.Each(ctx, o, users, func() (*SteadyCounts, func(user int)) {
		var c SteadyCounts
		var asker measure.Asker
		var fresh [SteadyAsked]strategies.ID
		var history []byte
		ids := make([]strategies.ID, max(worst, first+turn-1))
		return &c, func(user int) {
			shown, rate := worst, &c.Worst
			if user%2 == 1 {
				shown, rate = first+user/2*spread%turn, &c.Mean
			}
			reader := population.Reader(user)
			reader.IDs(ids[:shown], 0)
			reader.IDs(fresh[:], workload.Fresh)
			history = s.Strategy.Record(history[:0], ids[:shown])
			rate.Add(SteadyAsked, asker.Count(s.Strategy, history, fresh[:]))
			if window := s.Theory.Window(shown); window > 0 {
				c.WindowChecks += int64(window)
				c.WindowMisses += int64(window - asker.Count(s.Strategy, history, ids[shown-window:shown]))
			}
			if user%2 == 1 {
				c.Payload += int64(len(history))
			}
		}
	})
}
