package measure

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"dejavu/store"
	"dejavu/strategies"
)

// Alive is a part of a population whose histories are alive at once. User 0 of
// the store is the population's user First.
type Alive struct {
	Store        *store.Store
	First, Users int

	memory *touching
}

// touching is a strategy that can be told to do nothing but what no strategy
// can do without: bring the history's memory.
type touching struct {
	strategies.Strategy
	only bool
}

// Seen reads a byte of every cache line, and answers nothing, where only is set.
func (t *touching) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if !t.only {
		t.Strategy.Seen(history, candidates, seen)
		return
	}
	touched := byte(0)
	for at := 0; at < len(history); at += 64 {
		touched |= history[at]
	}
	if len(seen) > 0 {
		seen[0] = touched != 0
	}
}

// Cold is the time of requests of fresh candidates to random readers, whose
// histories are in no cache.
type Cold struct {
	Users    int       `json:"users"`    // alive meanwhile
	Each     []Latency `json:"each"`     // one request after the other, by Sizes
	Together []Latency `json:"together"` // many at once (store.SeenAll), by Sizes

	// Touch is Together with nothing done but to bring the history's memory:
	// the floor for any strategy with histories of that length.
	Touch Latency `json:"touch"`

	// Warm is requests to one reader, one after the other, whose history stays
	// in the cache: what cold ones cost beyond it is memory. It took turns with
	// Touch and the first of Together.
	Warm Latency `json:"warm"`
}

// Floor is the larger of Touch and Warm, turn by turn: of what brings the
// memory and what does the arithmetic, one can hide behind the other, no more.
func (c Cold) Floor() Latency {
	floor := c.Touch
	floor.Rounds = make([]float64, len(c.Touch.Rounds))
	for i := range floor.Rounds {
		floor.Rounds[i] = max(c.Touch.Rounds[i], c.Warm.Rounds[i])
	}
	return floor
}

const (
	coldBatches = 2500 // of 40 candidates; fewer of more
	atOnce      = 64   // requests that are served together
)

// MeasureCold times requests to the histories of a part.
func MeasureCold(ctx context.Context, part Alive, seed uint64) (Cold, error) {
	c := coldTimer{
		ctx: ctx, part: part, ids: candidates(seed), random: rand.New(rand.NewPCG(seed, 1)),
		seen: make([]bool, atOnce*slices.Max(Sizes)),
	}
	each := func(requests []store.Request) {
		for _, r := range requests {
			part.Store.Seen(r.User, 0, r.Candidates, r.Seen)
		}
	}
	together := func(requests []store.Request) { part.Store.SeenAll(0, requests) }
	touch := func(requests []store.Request) {
		part.memory.only = true
		part.Store.SeenAll(0, requests)
		part.memory.only = false
	}
	result := Cold{Users: part.Users}
	for i, size := range Sizes {
		n := max(50, coldBatches*40/size/hotRounds)
		many := max(5, n*batch/atOnce)
		ways := []way{{per: batch, batches: n, serve: each}, {per: atOnce, batches: many, serve: together}}
		if i == 0 {
			ways = append(ways, way{per: atOnce, batches: many, serve: touch},
				way{per: atOnce, batches: many, serve: each, warm: true})
		}
		times := c.time(size, ways)
		result.Each, result.Together = append(result.Each, times[0]), append(result.Together, times[1])
		if i == 0 {
			result.Touch, result.Warm = times[2], times[3]
		}
	}
	return result, ctx.Err()
}

// A way is how requests are served: so many a batch, so many batches a turn, to
// random readers or, warm, to one.
type way struct {
	per, batches int
	serve        func(requests []store.Request)
	warm         bool
}

// A coldTimer makes requests and times how they are served.
type coldTimer struct {
	ctx    context.Context
	part   Alive
	ids    []strategies.ID
	at     int // of ids
	random *rand.Rand
	seen   []bool
}

// time serves requests of size candidates in every way. The ways take turns, so
// that a machine that slows down slows them all.
func (c *coldTimer) time(size int, ways []way) []Latency {
	timers := make([]*timer, len(ways))
	for i, w := range ways {
		timers[i] = newTimer(w.per)
	}
	for range hotRounds {
		for i, w := range ways {
			for range w.batches {
				if c.ctx.Err() != nil {
					break
				}
				requests := c.requests(size, w)
				begin := time.Now()
				w.serve(requests)
				timers[i].record(time.Since(begin))
			}
			timers[i].endRound()
		}
	}
	latencies := make([]Latency, len(ways))
	for i, t := range timers {
		latencies[i] = t.latency(size)
	}
	return latencies
}

// requests are those of a batch.
func (c *coldTimer) requests(size int, w way) []store.Request {
	requests := make([]store.Request, w.per)
	for i := range requests {
		if c.at+size > len(c.ids) {
			c.at = 0
		}
		requests[i] = store.Request{Candidates: c.ids[c.at : c.at+size], Seen: c.seen[i*size : (i+1)*size]}
		if !w.warm {
			requests[i].User = c.random.IntN(c.part.Users)
		}
		c.at += size
	}
	return requests
}
