package tradeoff

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"dejavu/bloom"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/experiments/shared"
	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/results"
	"dejavu/workload"
)

// Experiment is tradeoff.
var Experiment = experiment.Experiment{
	Name: results.Tradeoff, About: "every structure at one window and rate, and at one length: bytes, false positive rate, time",
	Needs: func(run.Scope) []run.Task { return []run.Task{counts.Task(), times.Task()} },
	Rows:  rows, Figures: Figures, Tables: func(c results.Cells) []results.Table { return []results.Table{table(c)} },
}

const (
	lengthBytes = 512 // of the longest history, where that is what all have alike

	// From three times the window on every strategy has been through a whole cycle; a
	// thousand articles hold whole cycles of all of them, or nearly.
	firstArticle = 3*catalogue.SizedWindow + 1
	cycle        = 1000

	recordedAtOnce = 10 // articles, as a refresh shows them
)

// usersOf is how many users each configuration has.
func usersOf(s run.Scope) int { return max(400, s.Users/1000) }

// contenders are the entries that can be made for a window and a rate.
func contenders(entries []catalogue.Entry) []catalogue.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e catalogue.Entry) bool { return e.Sized == nil })
}

// longest is the length of the longest history that a strategy has where it is
// measured. (What it may grow to by a chance that theory neglects is not counted.)
func longest(s catalogue.Strategy) (bytes int) {
	if catalogue.Endless(s) {
		return s.Bytes(catalogue.SizedWindow)
	}
	for read := firstArticle; read < firstArticle+cycle; read++ {
		bytes = max(bytes, s.Bytes(read))
	}
	return bytes
}

// within is the entry with the lowest rate that takes so many bytes at most. ok is
// false where even one with false positives all the time takes more.
func within(e catalogue.Entry, window, bytes int) (best catalogue.Strategy, ok bool) {
	fits := func(fpr float64) catalogue.Strategy {
		s, err := e.Sized(window, fpr)
		if err != nil || longest(s) > bytes {
			return nil
		}
		return s
	}
	low, high := math.Log(1e-9), math.Log(0.999)
	if best = fits(math.Exp(high)); best == nil {
		return nil, false
	}
	for range 25 {
		middle := (low + high) / 2
		if s := fits(math.Exp(middle)); s != nil {
			best, high = s, middle
		} else {
			low = middle
		}
	}
	return best, true
}

// A trade is one configuration of an entry, and what theory says of it where it is
// measured.
type trade struct {
	name     string
	alike    string // what it has alike with others, behind the names of its quantities
	strategy catalogue.Strategy

	worst, first, cycle int // see Steady
	fpr, bytes          float64
	least               int // window
}

// subject is the trade for measuring.
func (t trade) subject() measure.Subject {
	return measure.Subject{Name: t.name, Strategy: t.strategy, Theory: t.strategy}
}

// allTrades are the configurations that are compared: all of one window and rate,
// and all of one window and length. They take seconds to find, once in a run.
func allTrades(r *run.Run) ([]trade, error) {
	return run.Memo(r, "trades", func() (all []trade, err error) {
		for _, e := range contenders(r.Entries) {
			s, err := e.Sized(catalogue.SizedWindow, catalogue.SizedFPR)
			if err != nil {
				return nil, fmt.Errorf("%s for a window of %d at %v: %w", e.Name, catalogue.SizedWindow, catalogue.SizedFPR, err)
			}
			all = append(all, trade{name: e.Name, alike: results.AtRate, strategy: s})
			if s, ok := within(e, catalogue.SizedWindow, lengthBytes); ok && e.Name != "queue" {
				all = append(all, trade{name: e.Name, alike: results.InBytes, strategy: s})
			}
		}
		var group sync.WaitGroup
		for i := range all {
			group.Go(all[i].look)
		}
		group.Wait()
		return all, nil
	})
}

// look finds where a trade is to be measured, and theory's means over that cycle.
// One that never forgets is measured at the window and not beyond, where it was
// never meant to be.
func (t *trade) look() {
	t.first, t.cycle = firstArticle, cycle
	if catalogue.Endless(t.strategy) {
		t.first, t.cycle = catalogue.SizedWindow, 1
	}
	worst := -1.
	t.least = math.MaxInt
	for read := t.first; read < t.first+t.cycle; read++ {
		fpr := t.strategy.FPR(read)
		if fpr > worst {
			worst, t.worst = fpr, read
		}
		t.fpr += fpr / float64(t.cycle)
		t.bytes += float64(t.strategy.Bytes(read)) / float64(t.cycle)
		t.least = min(t.least, t.strategy.Window(read))
	}
}

// counted has a member for each of the trades.
type counted = []SteadyCounts

// counts measures all trades.
var counts = run.Measurement[counted]{
	Name: "tradeoff", Users: usersOf, Cost: 300,
	Make: func(ctx context.Context, r *run.Run, users measure.Range) (all counted, err error) {
		trades, err := allTrades(r)
		if err != nil {
			return nil, err
		}
		population, err := workload.NewFull(r.Seed, usersOf(r.Scope))
		if err != nil {
			return nil, err
		}
		r.Expect(users.Len() * len(trades))
		for _, t := range trades {
			c, err := Steady(ctx, r.Options, t.subject(), population, users, t.worst, t.first, t.cycle)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
		return all, nil
	},
}

// A timed is the time of a request, and of articles recorded, for the trades at one
// rate, each taken in turns.
type timed struct {
	Trades        []int // which of the trades those are
	Query, Record []stopwatch.Latency
}

var times = run.Timing[timed]{
	Name: "tradeoff-times", Cost: 2e6,
	Make: func(ctx context.Context, r *run.Run) (t timed, err error) {
		trades, err := allTrades(r)
		if err != nil {
			return t, err
		}
		var subjects []measure.Subject
		for i, trade := range trades {
			if trade.alike != results.AtRate {
				continue
			}
			subject := trade.subject()
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

func rows(r *run.Run) (rows, timing []results.Row, err error) {
	trades, err := allTrades(r)
	if err != nil {
		return nil, nil, err
	}
	all, err := counts.Of(r)
	if err != nil {
		return nil, nil, err
	}
	took, err := times.Of(r)
	if err != nil {
		return nil, nil, err
	}
	for i, t := range trades {
		rows = append(rows, t.rows(all[i])...)
	}
	for j, i := range took.Trades {
		t, query, record := trades[i], took.Query[j], took.Record[j]
		timing = append(timing,
			row.Time(results.Tradeoff, t.name, results.QQueryNanos+t.alike, query, float64(query.Candidates)),
			row.Time(results.Tradeoff, t.name, results.QRecordNanosEach+t.alike, record, float64(record.Candidates)))
	}
	curves, err := frontiers(contenders(r.Entries))
	return append(rows, curves...), timing, err
}

// rows are those of a trade.
func (t trade) rows(c SteadyCounts) (rows []results.Row) {
	add := func(r results.Row, theory float64) {
		rows = append(rows, r.Expect(theory).Among(cmp.Or(r.Count, c.Mean.Users)))
	}
	n := func(quantity, unit string, value float64) results.Row {
		return row.Number(results.Tradeoff, t.name, quantity+t.alike, unit, value)
	}
	most := float64(longest(t.strategy))
	add(n(results.QLongest, results.Bytes, most), most)
	add(n(results.QMeanBytes, results.Bytes, row.Mean(c.Payload, c.Mean.Users)), t.bytes)
	add(row.Rate(results.Tradeoff, t.name, results.QFPRWorst+t.alike, c.Worst), t.strategy.FPR(t.worst))
	add(row.Rate(results.Tradeoff, t.name, results.QFPRMean+t.alike, c.Mean), t.fpr)
	if catalogue.Endless(t.strategy) {
		add(n(results.QFixedCapacity, "", catalogue.SizedWindow), catalogue.SizedWindow)
	}
	add(n(results.QWindowLeast, "", float64(t.least)), float64(t.least))
	rows = append(rows, n(results.QInside, "", float64(c.WindowMisses)).Expect(0).Among(c.WindowChecks))
	return rows
}

// frontierRates are the rates at which an entry's length is computed.
var frontierRates = []float64{0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0001}

// frontiers are the lengths that theory gives each entry by rate, and what no
// structure can go below (bloom.WindowBound), with slack of the whole window and
// without any.
func frontiers(entries []catalogue.Entry) (rows []results.Row, err error) {
	add := func(name string, fpr, bytes float64) {
		rows = append(rows, row.Theory(results.Tradeoff, name, results.QLongestByRate, results.Bytes, bytes).At(fpr))
	}
	for _, e := range entries {
		for _, fpr := range frontierRates {
			s, err := e.Sized(catalogue.SizedWindow, fpr)
			if err != nil {
				return nil, fmt.Errorf("%s for a window of %d at %v: %w", e.Name, catalogue.SizedWindow, fpr, err)
			}
			add(e.Name, fpr, float64(longest(s)))
		}
	}
	for _, fpr := range frontierRates {
		add("bound, slack 400", fpr, bloom.WindowBound(catalogue.SizedWindow, catalogue.SizedWindow, fpr)/8)
		add("bound, slack 1", fpr, bloom.WindowBound(catalogue.SizedWindow, 1, fpr)/8)
	}
	return rows, nil
}
