// Package alive measures how long requests take to users whose histories are in no cache, beside ten million others.
package alive

import (
	"context"
	"math/rand/v2"
	"slices"

	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/store"
)

// Cold holds the times of requests of fresh candidates to random users, whose histories are in no cache.
type Cold struct {
	Users    int                 `json:"users"`    // alive meanwhile
	Each     []stopwatch.Latency `json:"each"`     // one request after the other, by stopwatch.Sizes
	Together []stopwatch.Latency `json:"together"` // many at once (store.SeenAll), by stopwatch.Sizes
	Touch    stopwatch.Latency   `json:"touch"`    // Together, only fetching histories
	Warm     stopwatch.Latency   `json:"warm"`     // to one user, in the cache, in turns with Touch and the first Together
}

// Longer returns the larger of Touch and Warm, turn by turn: memory and arithmetic can overlap.
func (c Cold) Longer() stopwatch.Latency {
	longer := c.Touch
	longer.Rounds = make([]float64, len(c.Touch.Rounds))
	for i := range longer.Rounds {
		longer.Rounds[i] = max(c.Touch.Rounds[i], c.Warm.Rounds[i])
	}
	return longer
}

const (
	coldBatches = 2500 // of 40 candidates; fewer of more
	atOnce      = 64   // requests that are served together
)

// TimeCold times requests to the histories of a part.
func TimeCold(ctx context.Context, part measure.Alive, seed uint64) (Cold, error) {
	c := coldTimer{
		part: part, ids: stopwatch.Ring{IDs: stopwatch.Candidates(seed)}, random: rand.New(rand.NewPCG(seed, 1)),
		seen: make([]bool, atOnce*slices.Max(stopwatch.Sizes)),
	}
	each := func(requests []store.Request[int]) {
		for _, r := range requests {
			part.Store.Seen(r.User, 0, r.Candidates, r.Seen[:0])
		}
	}
	together := func(requests []store.Request[int]) { part.Store.SeenAll(0, requests) }
	touch := func(requests []store.Request[int]) { part.Touching(func() { part.Store.SeenAll(0, requests) }) }
	result := Cold{Users: part.Users}
	for i, size := range stopwatch.Sizes {
		n := max(50, coldBatches*40/size/stopwatch.Rounds)
		many := max(5, n*stopwatch.Batch/atOnce)
		works := []stopwatch.Work{c.work(size, stopwatch.Batch, n, false, each), c.work(size, atOnce, many, false, together)}
		if i == 0 {
			works = append(works, c.work(size, atOnce, many, false, touch), c.work(size, atOnce, many, true, each))
		}
		times, err := stopwatch.Interleaved(ctx, works)
		if err != nil {
			return Cold{}, err
		}
		result.Each, result.Together = append(result.Each, times[0]), append(result.Together, times[1])
		if i == 0 {
			result.Touch, result.Warm = times[2], times[3]
		}
	}
	return result, nil
}

type coldTimer struct {
	part   measure.Alive
	ids    stopwatch.Ring
	random *rand.Rand
	seen   []bool
}

// work serves per requests a batch and the given batches a turn, to random users or, if warm, to one.
func (c *coldTimer) work(size, per, batches int, warm bool, serve func([]store.Request[int])) stopwatch.Work {
	var requests []store.Request[int]
	return stopwatch.Work{
		Candidates: size, Batch: per, Batches: batches,
		Prepare: func() { requests = c.requests(size, per, warm) }, Do: func() { serve(requests) },
	}
}

func (c *coldTimer) requests(size, per int, warm bool) []store.Request[int] {
	requests := make([]store.Request[int], per)
	for i := range requests {
		requests[i] = store.Request[int]{Candidates: c.ids.Next(size), Seen: c.seen[i*size : i*size : (i+1)*size]}
		if !warm {
			requests[i].User = c.random.IntN(c.part.Users)
		}
	}
	return requests
}
