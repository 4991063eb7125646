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
	result := Cold{Users: part.Users}
	each := func(requests []store.Request) {
		for _, r := range requests {
			part.Store.Seen(r.User, 0, r.Candidates, r.Seen)
		}
	}
	together := func(requests []store.Request) { part.Store.SeenAll(0, requests) }
	for _, size := range Sizes {
		batches := max(50, coldBatches*40/size/hotRounds)
		result.Each = append(result.Each, c.time(size, batch, batches, each))
		result.Together = append(result.Together, c.time(size, atOnce, max(5, batches*batch/atOnce), together))
	}
	part.memory.only = true
	result.Touch = c.time(Sizes[0], atOnce, max(5, coldBatches/hotRounds*batch/atOnce), together)
	part.memory.only = false
	return result, ctx.Err()
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

// time serves batches of per requests of size candidates.
func (c *coldTimer) time(size, per, batches int, serve func([]store.Request)) Latency {
	t := newTimer(per)
	requests := make([]store.Request, per)
	for range hotRounds {
		for range batches {
			if c.ctx.Err() != nil {
				break
			}
			for i := range requests {
				if c.at+size > len(c.ids) {
					c.at = 0
				}
				requests[i] = store.Request{
					User: c.random.IntN(c.part.Users), Candidates: c.ids[c.at : c.at+size], Seen: c.seen[i*size : (i+1)*size],
				}
				c.at += size
			}
			begin := time.Now()
			serve(requests)
			t.record(time.Since(begin))
		}
		t.endRound()
	}
	return t.latency(size)
}
