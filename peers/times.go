package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"dejavu/peers/library"
	"dejavu/results"
	"dejavu/strategies"
)

// timeQuantities are what a turn takes of each subject.
var timeQuantities = []string{results.QFreshNanos, results.QSeenNanos, results.QMixedNanos, results.QRecordNanos}

const (
	request = 40
	update  = 10

	readers = 8 // ask in turn; together they stay in the nearest cache
	asked   = 1 << 17 / (request * segment) * request * segment
	segment = 128 // requests between two looks at the clock

	// Articles between two looks at the clock: a whole number of the chain's
	// turns, the single filter's lives and the dual filter's.
	recordSegment = 1500
	recorded      = 20 * recordSegment
)

// numbers are n random IDs, the same for the same seed.
func numbers(seed uint64, n int) []strategies.ID {
	r := rand.New(rand.NewPCG(seed, 1))
	ids := make([]strategies.ID, n)
	for i := range ids {
		ids[i] = strategies.ID(r.Uint64())
	}
	return ids
}

// A stage is what one subject is timed on.
type stage struct {
	subject
	asked    library.Users // readers whose memory is full
	recorder library.Users // one reader who goes on reading
	shown    int           // articles of his
	rounds   [4][]float64  // by quantity
}

// script is what is asked and recorded, the same for all.
type script struct {
	shown     [readers][]strategies.ID
	questions [3][]strategies.ID // fresh, seen, mixed; request r goes to reader r%readers
	articles  []strategies.ID
}

func newScript() *script {
	s := &script{articles: numbers(3, recorded+500)}
	least := slices.MinFunc(library.Kinds, func(a, b library.Kind) int { return a.Shown - b.Shown }).Shown
	for i := range s.shown {
		s.shown[i] = numbers(uint64(100+i), 500)
	}
	fresh := numbers(2, asked)
	r := rand.New(rand.NewPCG(4, 1))
	for q := range s.questions {
		s.questions[q] = slices.Clone(fresh)
		for i := range s.questions[q] {
			if q == 1 || q == 2 && r.IntN(2) == 0 {
				s.questions[q][i] = s.shown[i/request%readers][r.IntN(least)]
			}
		}
	}
	return s
}

// times takes them in turns and returns the rows.
func times(rounds int, say func(string)) []results.Row {
	say("times")
	script := newScript()
	var stages []*stage
	for _, s := range append([]subject{nothing}, subjects()...) {
		st := &stage{subject: s, asked: s.create(readers), recorder: s.create(1)}
		for i, ids := range script.shown {
			st.asked.Record(i, ids[:s.kind.Shown])
		}
		stages = append(stages, st)
	}
	for round := range rounds {
		order := slices.Clone(stages)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for q := range timeQuantities {
			for _, st := range order {
				st.rounds[q] = append(st.rounds[q], st.turn(script, q))
			}
		}
		say(fmt.Sprintf("turn %d of %d", round+1, rounds))
	}

	ours := map[string]*stage{}
	for _, st := range stages {
		if st.ours {
			ours[st.kind.Name] = st
		}
	}
	var rows []results.Row
	for _, st := range stages {
		for q, quantity := range timeQuantities {
			x, count := float64(request), int64(asked)
			if quantity == results.QRecordNanos {
				x, count = update, recorded
			}
			add := func(quantity, unit string, rounds []float64) {
				r := row(st.name, x, quantity, unit, median(rounds))
				low, high := between(rounds)
				r.Low, r.High, r.Count = results.Num(low), results.Num(high), count*int64(len(rounds))
				rows = append(rows, r)
			}
			add(quantity, results.Nanoseconds, st.rounds[q])
			if st.ours || st.name == nothing.name {
				continue
			}
			ratios := slices.Clone(st.rounds[q])
			for i := range ratios {
				ratios[i] /= ours[st.kind.Name].rounds[q][i]
			}
			add(quantity+results.OverOurs, results.Ratio, ratios)
		}
	}
	return rows
}

// turn is the time of one candidate or article, in nanoseconds: the median over
// segments, so that an interruption is one segment's.
func (st *stage) turn(s *script, q int) float64 {
	var segments []float64
	if timeQuantities[q] == results.QRecordNanos {
		for at := 0; at < recorded; at += recordSegment {
			segments = append(segments, st.record(s.articles, at))
		}
		return median(segments)
	}
	seen := make([]bool, request)
	questions := s.questions[q]
	for at := 0; at < asked; {
		begin := time.Now()
		for range segment {
			st.asked.Seen(at/request%readers, questions[at:at+request], seen)
			at += request
		}
		segments = append(segments, float64(time.Since(begin))/(segment*request))
	}
	return median(segments[1:]) // the first warms up
}

// record is the time of an article in a segment of updates. A filter that wears
// out is emptied when it holds what it was made for. A static one is built anew
// at each update, from articles that somebody else must have kept.
func (st *stage) record(articles []strategies.ID, at int) float64 {
	begin := time.Now()
	for end := at + recordSegment; at < end; at += update {
		if st.lib.Static {
			st.recorder.Record(0, articles[at:at+500])
			continue
		}
		st.recorder.Record(0, articles[at:at+update])
		if st.shown += update; st.kind.Wears && st.shown%st.kind.Shown == 0 {
			st.recorder.Forget(0)
		}
	}
	return float64(time.Since(begin)) / recordSegment
}

// median is the middle one, or the upper of two.
func median(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

// between is the interval around the median: the second and the last but one.
func between(values []float64) (low, high float64) {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[1], sorted[len(sorted)-2]
}
