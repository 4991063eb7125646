package measure

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"dejavu/strategies"
)

// Requests are timed in batches: reading the clock takes as long as a few
// probes. A quantile is one over batches, of the mean of a batch.
const (
	batch      = 8
	hotRounds  = 11  // turns that the strategies take, interleaved
	hotBatches = 300 // batches a turn
	warmUp     = 30  // batches before
)

// Sizes are the numbers of candidates of a request at which latency is measured.
var Sizes = []int{40, 100, 400, 1000, 4000}

// A Latency is the time of a request with so many candidates, in nanoseconds.
type Latency struct {
	Candidates int     `json:"candidates"`
	P50        float64 `json:"p50"`
	P99        float64 `json:"p99"`
	P999       float64 `json:"p999"`
	Requests   int64   `json:"requests"`

	// Rounds are the medians of the single turns, in the order of the turns.
	Rounds []float64 `json:"rounds"`
}

// LeastTurns is how many turns an interval needs.
const LeastTurns = 10

// Between is the interval of the median: the second and the last but one of
// the turns' medians, which enclose the median of a turn with a confidence of
// 98.8 % at 11 turns. There is none, and ok is false, for fewer than LeastTurns.
func (l Latency) Between() (low, high float64, ok bool) {
	if len(l.Rounds) < LeastTurns {
		return 0, 0, false
	}
	sorted := slices.Sorted(slices.Values(l.Rounds))
	return sorted[1], sorted[len(sorted)-2], true
}

// A timer collects the times of one strategy at one size.
type timer struct {
	per        int // requests a batch
	all, round *hdrhistogram.Histogram
	rounds     []float64
}

func newTimer(per int) *timer {
	// Nanoseconds per batch, up to ten seconds, to three digits.
	return &timer{per: per, all: hdrhistogram.New(1, 10_000_000_000, 3), round: hdrhistogram.New(1, 10_000_000_000, 3)}
}

func (t *timer) record(batchTime time.Duration) {
	nanos := min(max(int64(batchTime), 1), 10_000_000_000)
	// The range was just enforced, the only error there is.
	_ = t.all.RecordValue(nanos)
	_ = t.round.RecordValue(nanos)
}

func (t *timer) endRound() {
	t.rounds = append(t.rounds, float64(t.round.ValueAtQuantile(50))/float64(t.per))
	t.round.Reset()
}

func (t *timer) latency(candidates int) Latency {
	at := func(q float64) float64 { return float64(t.all.ValueAtQuantile(q)) / float64(t.per) }
	return Latency{
		Candidates: candidates, P50: at(50), P99: at(99), P999: at(99.9),
		Requests: t.all.TotalCount() * int64(t.per), Rounds: t.rounds,
	}
}

// candidates are fresh articles for many requests, so many that no processor
// learns the answers by heart.
func candidates(seed uint64) []strategies.ID {
	r := rand.New(rand.NewPCG(seed, 0))
	ids := make([]strategies.ID, 1<<18)
	for i := range ids {
		ids[i] = strategies.ID(r.Uint64())
	}
	return ids
}

// Hot times requests of fresh candidates, of each of these sizes, to one reader of
// shown articles, whose history stays in the cache. The strategies take turns, so
// that a machine that slows down slows them all. The result is by subject, then by
// size.
func Hot(ctx context.Context, subjects []Subject, shown int, sizes []int, seed uint64) ([][]Latency, error) {
	ids := candidates(seed)
	histories := make([][]byte, len(subjects))
	for i, s := range subjects {
		histories[i] = s.Strategy.Record(nil, ids[len(ids)-shown:])
	}
	asked := ids[:len(ids)-shown]
	timers := make([][]*timer, len(subjects))
	for i := range timers {
		for range sizes {
			timers[i] = append(timers[i], newTimer(batch))
		}
	}
	seen := make([]bool, slices.Max(sizes))
	for range hotRounds {
		for j, size := range sizes {
			batches := max(20, hotBatches*40/size)
			for i, s := range subjects {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				at := 0
				for b := range batches + warmUp {
					begin := time.Now()
					for range batch {
						if at+size > len(asked) {
							at = 0
						}
						s.Strategy.Seen(histories[i], asked[at:at+size], seen[:size])
						at += size
					}
					if b >= warmUp {
						timers[i][j].record(time.Since(begin))
					}
				}
				timers[i][j].endRound()
			}
		}
	}
	latencies := make([][]Latency, len(subjects))
	for i := range subjects {
		for j, size := range sizes {
			latencies[i] = append(latencies[i], timers[i][j].latency(size))
		}
	}
	return latencies, nil
}

// Nothing remembers nothing: the strategy whose time is the harness's own.
type Nothing struct{}

// Seen takes every candidate for fresh.
func (Nothing) Seen(_ []byte, _ []strategies.ID, seen []bool) { clear(seen) }

// Record keeps nothing.
func (Nothing) Record(history []byte, _ []strategies.ID) []byte { return history }

// Sizes is none, but a store wants one.
func (Nothing) Sizes() []int { return nothingSizes }

var nothingSizes = []int{1}

// Validate accepts anything.
func (Nothing) Validate([]byte) error { return nil }

// Bytes, FPR and Window are 0.
func (Nothing) Bytes(int) int   { return 0 }
func (Nothing) FPR(int) float64 { return 0 }
func (Nothing) Window(int) int  { return 0 }

// Recording times the recording of so many articles at a time to one reader of
// shown articles. The strategies take turns. A turn begins anew, at those shown, so
// that what never forgets stays what it is meant for.
func Recording(ctx context.Context, subjects []Subject, shown, articles int, seed uint64) ([]Latency, error) {
	ids := candidates(seed)
	before := make([][]byte, len(subjects))
	timers := make([]*timer, len(subjects))
	for i, s := range subjects {
		before[i] = s.Strategy.Record(nil, ids[len(ids)-shown:])
		timers[i] = newTimer(batch)
	}
	fresh := ids[:len(ids)-shown]
	var history []byte
	for range hotRounds {
		for i, s := range subjects {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			at := 0
			for b := range hotBatches + warmUp {
				history = append(history[:0], before[i]...)
				begin := time.Now()
				for range batch {
					if at+articles > len(fresh) {
						at = 0
					}
					history = s.Strategy.Record(history, fresh[at:at+articles])
					at += articles
				}
				if b >= warmUp {
					timers[i].record(time.Since(begin))
				}
			}
			timers[i].endRound()
		}
	}
	latencies := make([]Latency, len(subjects))
	for i := range subjects {
		latencies[i] = timers[i].latency(articles)
	}
	return latencies, nil
}

// Turns times works of any kind, each of them done so many times in a batch, in
// turns. Candidates of the result is the number of times.
func Turns(ctx context.Context, works []func(), times []int) ([]Latency, error) {
	const batches = 5
	timers := make([]*timer, len(works))
	for i, n := range times {
		timers[i] = newTimer(n)
	}
	for range hotRounds {
		for i, work := range works {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for range batches {
				begin := time.Now()
				for range times[i] {
					work()
				}
				timers[i].record(time.Since(begin))
			}
			timers[i].endRound()
		}
	}
	latencies := make([]Latency, len(works))
	for i, n := range times {
		latencies[i] = timers[i].latency(n)
	}
	return latencies, nil
}
