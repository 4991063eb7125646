// Package stopwatch times strategies in turns, many times, so that what slows the machine down for a while slows all
// of them. Results are medians of turns, and intervals come from the turns' spread.
package stopwatch

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dejavu/measure"
	"dejavu/strategies"
)

// Requests are timed in batches, as reading the clock takes time. Quantiles are over means of batches.
const (
	Batch        = 8              // requests of a batch
	Rounds       = 11             // turns that the strategies take, interleaved
	LeastTurns   = 10             // that an interval needs
	hotBatches   = 300            // batches a turn
	warmUp       = 30             // batches before
	longestBatch = 10_000_000_000 // nanoseconds
)

// Sizes lists the numbers of candidates of a request at which latency is measured.
var Sizes = []int{40, 100, 400, 1000, 4000}

// A Latency is the time in nanoseconds of a request with that number of candidates, by the means of Batches.
type Latency struct {
	Candidates int       `json:"candidates"`
	P50        float64   `json:"p50"`
	P99        float64   `json:"p99"`
	P999       float64   `json:"p999"`
	Requests   int64     `json:"requests"`
	Batches    int64     `json:"batches"` // batches that the quantiles are over
	Rounds     []float64 `json:"rounds"`  // the medians of the single turns, in their order
}

// Between returns the second and the last but one of the turns' medians: an interval of 98.8 % at 11 turns, if enough.
func (l Latency) Between() (low, high float64, ok bool) {
	if len(l.Rounds) < LeastTurns {
		return 0, 0, false
	}
	sorted := slices.Sorted(slices.Values(l.Rounds))
	return sorted[1], sorted[len(sorted)-2], true
}

type timer struct {
	per        int // requests a batch
	all, round *hdrhistogram.Histogram
	rounds     []float64
}

func newTimer(per int) *timer {
	return &timer{per: per, all: hdrhistogram.New(1, longestBatch, 3), round: hdrhistogram.New(1, longestBatch, 3)}
}

func (t *timer) record(batchTime time.Duration) {
	nanos := min(max(int64(batchTime), 1), longestBatch) // as other times are the only error there is
	_ = t.all.RecordValue(nanos)
	_ = t.round.RecordValue(nanos)
}

func (t *timer) endRound() {
	t.rounds = append(t.rounds, float64(t.round.ValueAtQuantile(50))/float64(t.per))
	t.round.Reset()
}

func (t *timer) latency(candidates int) Latency {
	at := func(q float64) float64 { return float64(t.all.ValueAtQuantile(q)) / float64(t.per) }
	batches := t.all.TotalCount()
	return Latency{
		Candidates: candidates, P50: at(50), P99: at(99), P999: at(99.9),
		Requests: batches * int64(t.per), Batches: batches, Rounds: t.rounds,
	}
}

// Candidates returns enough fresh articles that no processor learns the answers by heart.
func Candidates(seed uint64) []strategies.ID {
	r := rand.New(rand.NewPCG(seed, 0))
	ids := make([]strategies.ID, 1<<18)
	for i := range ids {
		ids[i] = strategies.ID(r.Uint64())
	}
	return ids
}

// A Work is timed in turns of some batches, each prepared and then done. The first WarmUp batches are not timed.
type Work struct {
	Candidates, Batch int // of a request; requests of a batch
	Batches, WarmUp   int // a turn, at full effort
	Prepare, Do       func()
}

type effortKey struct{}

// WithEffort makes timings within the context take only a share of their batches, from 0 to 1, but at least one a
// turn: a small run should not time for longer than it measures. Medians stay the same, and intervals widen.
func WithEffort(ctx context.Context, share float64) context.Context {
	return context.WithValue(ctx, effortKey{}, share)
}

// Effort returns the share of WithEffort, or 1.
func Effort(ctx context.Context) float64 {
	if share, ok := ctx.Value(effortKey{}).(float64); ok {
		return share
	}
	return 1
}

type madeUpKey struct{}

// WithMadeUpTimes makes timings within the context do each work once and return rising numbers, so that a test can tell
// one time from another.
func WithMadeUpTimes(ctx context.Context) context.Context {
	return context.WithValue(ctx, madeUpKey{}, new(int64))
}

// madeUp returns made-up times of works, the next after last.
func madeUp(works []Work, last *int64) (latencies []Latency) {
	next := func() float64 { *last++; return float64(100 + *last) }
	for _, w := range works {
		if w.Prepare != nil {
			w.Prepare()
		}
		w.Do()
		l := Latency{Candidates: w.Candidates, P50: next(), P99: next(), P999: next()}
		l.Requests, l.Batches = int64(next()), int64(next())
		for range Rounds {
			l.Rounds = append(l.Rounds, next())
		}
		latencies = append(latencies, l)
	}
	return latencies
}

func (w Work) turn(t *timer, effort float64) {
	warmUp := int(float64(w.WarmUp) * effort)
	for i := range warmUp + max(1, int(float64(w.Batches)*effort)) {
		if w.Prepare != nil {
			w.Prepare()
		}
		begin := time.Now()
		w.Do()
		if i >= warmUp {
			t.record(time.Since(begin))
		}
	}
}

// Interleaved times works in turns, so that a machine that slows down slows them all.
func Interleaved(ctx context.Context, works []Work) ([]Latency, error) {
	if last, ok := ctx.Value(madeUpKey{}).(*int64); ok {
		return madeUp(works, last), ctx.Err()
	}
	timers := make([]*timer, len(works))
	for i, w := range works {
		timers[i] = newTimer(w.Batch)
	}
	for range Rounds {
		for i, w := range works {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			w.turn(timers[i], Effort(ctx))
			timers[i].endRound()
		}
	}
	latencies := make([]Latency, len(works))
	for i, w := range works {
		latencies[i] = timers[i].latency(w.Candidates)
	}
	return latencies, nil
}

// A Ring hands out articles, and begins again when too few are left.
type Ring struct {
	IDs []strategies.ID
	at  int
}

// Next returns n articles that follow each other.
func (r *Ring) Next(n int) []strategies.ID {
	if r.at+n > len(r.IDs) {
		r.at = 0
	}
	r.at += n
	return r.IDs[r.at-n : r.at]
}

// Hot times requests of fresh candidates to one user of shown articles, by subject, then by size.
func Hot(ctx context.Context, subjects []measure.Subject, shown int, sizes []int, seed uint64) ([][]Latency, error) {
	ids := Candidates(seed)
	seen := make([]bool, slices.Max(sizes))
	var works []Work // by size, then by subject
	for _, size := range sizes {
		for _, s := range subjects {
			history := s.Strategy.Record(nil, ids[len(ids)-shown:])
			asked := Ring{IDs: ids[:len(ids)-shown]}
			works = append(works, Work{size, Batch, max(20, hotBatches*40/size), warmUp, nil, func() {
				for range Batch {
					s.Strategy.Seen(history, asked.Next(size), seen[:size])
				}
			}})
		}
	}
	times, err := Interleaved(ctx, works)
	latencies := make([][]Latency, len(subjects))
	for i, l := range times {
		latencies[i%len(subjects)] = append(latencies[i%len(subjects)], l)
	}
	return latencies, err
}

// Recording times the recording of the given number of articles at a time, to one user of shown articles. Every batch
// begins at shown articles again, so that a filter that never forgets does not overfill.
func Recording(ctx context.Context, subjects []measure.Subject, shown, articles int, seed uint64) ([]Latency, error) {
	ids := Candidates(seed)
	var history []byte
	works := make([]Work, len(subjects))
	for i, s := range subjects {
		before := s.Strategy.Record(nil, ids[len(ids)-shown:])
		fresh := Ring{IDs: ids[:len(ids)-shown]}
		restore := func() { history = append(history[:0], before...) }
		works[i] = Work{articles, Batch, hotBatches, warmUp, restore, func() {
			for range Batch {
				history = s.Strategy.Record(history, fresh.Next(articles))
			}
		}}
	}
	return Interleaved(ctx, works)
}

// Turns times works of any kind, work i done times[i] times in a batch, which is Candidates of the result.
func Turns(ctx context.Context, works []func(), times []int) ([]Latency, error) {
	timed := make([]Work, len(works))
	for i, work := range works {
		timed[i] = Work{times[i], times[i], 5, 0, nil, func() {
			for range times[i] {
				work()
			}
		}}
	}
	return Interleaved(ctx, timed)
}
