package main

import (
	"fmt"
	"math"
	"sync"

	"dejavu/bloom"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/queue"
	"dejavu/results"
	"dejavu/single"
	"dejavu/workload"
)

const (
	tradeoffName  = "tradeoff"
	tradeoffBytes = 512 // of the longest history, where that is what all have alike

	// From three times the window on every wheel has turned; a thousand articles
	// hold whole turns of all of them, or nearly.
	tradeoffFirst = 3*catalogue.SizedWindow + 1
	tradeoffTurn  = 1000

	recordedAtOnce = 10 // articles, as a refresh shows them
)

// tradeoffReaders is how many readers each configuration of the trade-off has.
func tradeoffReaders(users int) int { return max(400, users/1000) }

// A contender is a structure that can be made for a window and a rate.
type contender struct {
	name  string
	sized func(window int, fpr float64) (catalogue.Strategy, error)
}

// contenders are the paper's strategies, each sized for what is asked, and all
// that the catalogue can size.
func contenders() []contender {
	all := []contender{
		{"queue", func(window int, _ float64) (catalogue.Strategy, error) {
			return queue.New(queue.Config{Window: window})
		}},
		{"single", catalogue.SizedBy(func(window int, fpr float64) (single.Config, error) {
			g, err := bloom.BestGeometry(window, fpr)
			return single.Config{Capacity: window, Geometry: g}, err
		}, single.New)},
		{"dual", catalogue.SizedBy(func(window int, fpr float64) (dual.Config, error) {
			g, err := bloom.BestGeometry(2*window, fpr)
			g.Bits = max(g.Bits, bloom.MinLaneBits)
			return dual.Config{Capacity: 2 * window, Threshold: window, Geometry: g}, err
		}, dual.New)},
	}
	for _, e := range entries {
		if e.Sized != nil {
			all = append(all, contender{e.Name, e.Sized})
		}
	}
	return all
}

// endless reports whether a strategy never forgets, so that its rate has no end.
func endless(s catalogue.Strategy) bool {
	return s.Window(10*catalogue.SizedWindow) > 5*catalogue.SizedWindow
}

// longest is the length of the longest history that a strategy has where it is
// measured. (What it may grow to by a chance that theory neglects is not counted.)
func longest(s catalogue.Strategy) (bytes int) {
	if endless(s) {
		return s.Bytes(catalogue.SizedWindow)
	}
	for read := tradeoffFirst; read < tradeoffFirst+tradeoffTurn; read++ {
		bytes = max(bytes, s.Bytes(read))
	}
	return bytes
}

// within is the contender with the lowest rate that takes so many bytes at most.
// ok is false where even one that errs all the time takes more.
func (c contender) within(window, bytes int) (best catalogue.Strategy, ok bool) {
	fits := func(fpr float64) catalogue.Strategy {
		s, err := c.sized(window, fpr)
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

// A trade is one configuration of a contender, and what theory says of it where
// it is measured.
type trade struct {
	contender string
	alike     string // what it has alike with others, behind the names of its quantities
	strategy  catalogue.Strategy

	worst, first, turn int // see measure.Steady
	fpr, bytes         float64
	least              int // window
}

// trades are the configurations that are compared: all of one window and rate,
// and all of one window and length. They take seconds to find.
func trades() (all []trade, err error) {
	for _, c := range contenders() {
		s, err := c.sized(catalogue.SizedWindow, catalogue.SizedFPR)
		if err != nil {
			return nil, fmt.Errorf("%s for a window of %d at %v: %w", c.name, catalogue.SizedWindow, catalogue.SizedFPR, err)
		}
		all = append(all, trade{contender: c.name, alike: results.AtRate, strategy: s})
		if s, ok := c.within(catalogue.SizedWindow, tradeoffBytes); ok && c.name != "queue" {
			all = append(all, trade{contender: c.name, alike: results.InBytes, strategy: s})
		}
	}
	var group sync.WaitGroup
	for i := range all {
		group.Go(all[i].look)
	}
	group.Wait()
	return all, nil
}

// look finds where a trade is to be measured, and theory's means over that turn.
// One that never forgets is measured at the window and not beyond, where it was
// never meant to be.
func (t *trade) look() {
	t.first, t.turn = tradeoffFirst, tradeoffTurn
	if endless(t.strategy) {
		t.first, t.turn = catalogue.SizedWindow, 1
	}
	worst := -1.
	t.least = math.MaxInt
	for read := t.first; read < t.first+t.turn; read++ {
		fpr := t.strategy.FPR(read)
		if fpr > worst {
			worst, t.worst = fpr, read
		}
		t.fpr += fpr / float64(t.turn)
		t.bytes += float64(t.strategy.Bytes(read)) / float64(t.turn)
		t.least = min(t.least, t.strategy.Window(read))
	}
}

// trades are found once in a run.
func (s *suite) trades() ([]trade, error) {
	if all, ok := s.made["trades"]; ok {
		return all.([]trade), nil
	}
	all, err := trades()
	if err == nil {
		s.made["trades"] = all
	}
	return all, err
}

// A tradeoffResult has a member for each of the trades.
type tradeoffResult struct {
	Counts        []measure.SteadyCounts
	Query, Record []measure.Latency // one after the other in turns; of those at one rate, nil for the others
	Timed         []int             // which of the trades those are
}

func (r tradeoffResult) plus(next tradeoffResult) tradeoffResult {
	for i := range r.Counts {
		r.Counts[i].Add(next.Counts[i])
	}
	return r
}

// tradeoffs measures all trades.
func (s *suite) tradeoffs() (tradeoffResult, error) {
	return measured(s, tradeoffName, func() (r tradeoffResult, err error) {
		all, err := s.trades()
		if err != nil {
			return r, err
		}
		users := tradeoffReaders(s.users)
		population, err := workload.NewFull(s.seed, users)
		if err != nil {
			return r, err
		}
		readers := s.share(users)
		s.progress.expect(readers.Len() * len(all))
		var subjects []measure.Subject
		for i, t := range all {
			subject := measure.Subject{Name: t.contender, Strategy: t.strategy, Theory: t.strategy}
			counts, err := measure.Steady(s.ctx, s.options, subject, population, readers, t.worst, t.first, t.turn)
			if err != nil {
				return r, err
			}
			r.Counts = append(r.Counts, counts)
			if t.alike == results.AtRate {
				if endless(t.strategy) {
					subject.Strategy = reader{t.strategy, catalogue.SizedWindow}
				}
				subjects, r.Timed = append(subjects, subject), append(r.Timed, i)
			}
		}
		if !s.timed() {
			return r, nil
		}
		query, err := measure.Hot(s.ctx, subjects, tradeoffFirst, measure.Sizes[:1], s.seed)
		if err != nil {
			return r, err
		}
		for _, q := range query {
			r.Query = append(r.Query, q[0])
		}
		r.Record, err = measure.Recording(s.ctx, subjects, tradeoffFirst, recordedAtOnce, s.seed)
		return r, err
	})
}

// tradeoff compares every structure at one window and rate, and at one length.
func tradeoff(s *suite) (rows, timing []results.Row, err error) {
	all, err := s.trades()
	if err != nil {
		return nil, nil, err
	}
	measured, err := s.tradeoffs()
	if err != nil {
		return nil, nil, err
	}
	for i, t := range all {
		c := measured.Counts[i]
		add := func(r results.Row, theory float64) {
			r.Theory = results.Num(theory)
			if r.Count == 0 {
				r.Count = c.Mean.Users
			}
			rows = append(rows, r)
		}
		n := func(quantity, unit string, value float64) results.Row {
			return number(results.Tradeoff, t.contender, quantity+t.alike, unit, value)
		}
		most := float64(longest(t.strategy))
		add(n(results.QLongest, results.Bytes, most), most)
		add(n(results.QMeanBytes, results.Bytes, perUser(c.Payload, c.Mean.Users)), t.bytes)
		add(rate(results.Tradeoff, t.contender, results.QFPRWorst+t.alike, c.Worst), t.strategy.FPR(t.worst))
		add(rate(results.Tradeoff, t.contender, results.QFPRMean+t.alike, c.Mean), t.fpr)
		if endless(t.strategy) {
			add(n(results.QWearsOut, "", catalogue.SizedWindow), catalogue.SizedWindow)
		}
		add(n(results.QWindowLeast, "", float64(t.least)), float64(t.least))
		misses := n(results.QInside, "", float64(c.WindowMisses))
		misses.Count = c.WindowChecks
		add(misses, 0)
	}
	for j, i := range measured.Timed {
		if j >= len(measured.Query) {
			break // times are the first shard's
		}
		for _, q := range []struct {
			quantity string
			latency  measure.Latency
		}{{results.QQueryNanos, measured.Query[j]}, {results.QRecordNanosEach, measured.Record[j]}} {
			per := q.latency
			each := float64(per.Candidates)
			r := number(results.Tradeoff, all[i].contender, q.quantity+all[i].alike, results.Nanoseconds, per.P50/each)
			if low, high, ok := per.Between(); ok {
				r.Low, r.High = results.Num(low/each), results.Num(high/each)
			}
			r.X, r.Count = results.Num(each), per.Requests
			timing = append(timing, r)
		}
	}
	curves, err := frontiers()
	return append(rows, curves...), timing, err
}

// frontierRates are the rates at which a contender's length is computed.
var frontierRates = []float64{0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0001}

// frontiers are the lengths that theory gives each contender by rate, and what no
// structure can go below (bloom.WindowBound), with slack of the whole window and
// without any.
func frontiers() (rows []results.Row, err error) {
	add := func(name string, fpr, bytes float64) {
		rows = append(rows, results.Row{
			Experiment: results.Tradeoff, Strategy: name, X: results.Num(fpr),
			Quantity: results.QLongestByRate, Unit: results.Bytes, Theory: results.Num(bytes),
		})
	}
	for _, c := range contenders() {
		for _, fpr := range frontierRates {
			s, err := c.sized(catalogue.SizedWindow, fpr)
			if err != nil {
				return nil, fmt.Errorf("%s for a window of %d at %v: %w", c.name, catalogue.SizedWindow, fpr, err)
			}
			add(c.name, fpr, float64(longest(s)))
		}
	}
	for _, fpr := range frontierRates {
		add("bound, slack 400", fpr, bloom.WindowBound(catalogue.SizedWindow, catalogue.SizedWindow, fpr)/8)
		add("bound, slack 1", fpr, bloom.WindowBound(catalogue.SizedWindow, 1, fpr)/8)
	}
	return rows, nil
}
