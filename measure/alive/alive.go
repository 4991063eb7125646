// Package alive measures what takes ten million live histories to see: the time of requests to users whose
// histories are in no cache, requests from many goroutines at once, and what a garbage collection costs
// meanwhile. Serve and Collect record articles, so they come after all other questions.
package alive

import (
	"context"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/store"
	"dejavu/strategies"
)

// Cold is the time of requests of fresh candidates to random users, whose histories are in no cache.
type Cold struct {
	Users    int                 `json:"users"`    // alive meanwhile
	Each     []stopwatch.Latency `json:"each"`     // one request after the other, by stopwatch.Sizes
	Together []stopwatch.Latency `json:"together"` // many at once (store.SeenAll), by stopwatch.Sizes
	Touch    stopwatch.Latency   `json:"touch"`    // Together, doing nothing but bring histories: any strategy's floor
	Warm     stopwatch.Latency   `json:"warm"`     // to one user, in the cache, in turns with Touch and the first Together
}

// Floor is the larger of Touch and Warm, turn by turn: memory and arithmetic can hide behind each other.
func (c Cold) Floor() stopwatch.Latency {
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
	servedShown = 10   // articles that a refresh shows
	forced      = 9    // collections, an odd number; a third of them at a small effort
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

// A coldTimer makes requests and times how they are served.
type coldTimer struct {
	part   measure.Alive
	ids    stopwatch.Ring
	random *rand.Rand
	seen   []bool
}

// work serves so many requests a batch and so many batches a turn, to random users or, warm, to one.
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

// Serving is what a store does for requests that come from many goroutines: each from a random user, who sees
// the first few candidates that pass, which are then recorded.
type Serving struct {
	Goroutines  int     `json:"goroutines"`
	Requests    int64   `json:"requests"`
	Seconds     float64 `json:"seconds"`
	Least       int64   `json:"least"` // requests of the goroutine that was served least
	Most        int64   `json:"most"`  // and of the one served most
	Collections int64   `json:"collections"`
	Pause       int64   `json:"pause"`     // nanoseconds that these stopped all goroutines
	Collecting  float64 `json:"collector"` // seconds of processors' time that these took
	Allocated   int64   `json:"allocated"` // bytes of the heap, by all requests together
}

// PerSecond is requests served in a second.
func (s Serving) PerSecond() float64 { return float64(s.Requests) / s.Seconds }

// CollectorShare is the collector's share of the time of as many processors as there are goroutines.
func (s Serving) CollectorShare() float64 { return s.Collecting / (s.Seconds * float64(s.Goroutines)) }

// Serve lets goroutines serve random users of a part, who go on reading, for about so long.
func Serve(ctx context.Context, part measure.Alive, goroutines int, long time.Duration, seed uint64) (Serving, error) {
	served := make([]int64, goroutines)
	ids := stopwatch.Candidates(seed)
	before := collect() // garbage made until here is not the requests'
	begin := time.Now()
	measure.Together(goroutines, func(g int) { served[g] = serveUntil(ctx, part, ids, begin.Add(long), seed, uint64(g)) })
	s := Serving{Goroutines: goroutines, Seconds: time.Since(begin).Seconds(), Least: served[0]}
	after := Collected()
	s.Collections = after.Times - before.Times
	s.Pause = after.Pause - before.Pause
	s.Allocated = after.Allocated - before.Allocated
	if end := collect(); end.Times > after.Times+1 {
		// One was under way at the end. It counts, and so does the one just asked for: rather too much.
		after = end
	}
	s.Collecting = after.CPU - before.CPU
	for _, n := range served {
		s.Requests += n
		s.Least, s.Most = min(s.Least, n), max(s.Most, n)
	}
	return s, ctx.Err()
}

// serveUntil serves requests, a batch at least however late it begins, and returns how many.
func serveUntil(ctx context.Context, part measure.Alive, ids []strategies.ID, end time.Time, seed, goroutine uint64,
) (served int64) {
	r := rand.New(rand.NewPCG(seed, 3+goroutine))
	seen := make([]bool, stopwatch.Sizes[0])
	shown := make([]strategies.ID, 0, servedShown)
	for ctx.Err() == nil {
		for range stopwatch.Batch {
			user, at := r.IntN(part.Users), r.IntN(len(ids)-len(seen))
			asked := ids[at : at+len(seen)]
			part.Store.Seen(user, 0, asked, seen[:0])
			shown = shown[:0]
			for i, id := range asked {
				if !seen[i] && len(shown) < servedShown {
					shown = append(shown, id)
				}
			}
			part.Store.Record(user, 0, shown)
			served++
		}
		if !time.Now().Before(end) {
			break
		}
	}
	return served
}

// An Account is what the garbage collector has done so far.
type Account struct {
	Times     int64   // collections
	CPU, User float64 // seconds of processors' time: of marking and stops, and of the program's own
	Pause     int64   // nanoseconds that all goroutines were stopped
	Last      int64   // of these, by the last collection
	Allocated int64   // bytes of the heap
	Objects   int64   // alive on the heap
}

// Collected is the account as it stands. The runtime enters processors' time when a collection's marking ends, and only
// then: what one that is under way has taken so far is missing, what went before is all there.
func Collected() Account {
	cpu := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/user:cpu-seconds"}}
	metrics.Read(cpu)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	a := Account{Times: int64(m.NumGC), Pause: int64(m.PauseTotalNs), Allocated: int64(m.TotalAlloc)}
	a.Objects = int64(m.HeapObjects)
	a.Last = int64(m.PauseNs[(m.NumGC+uint32(len(m.PauseNs))-1)%uint32(len(m.PauseNs))])
	for i, to := range []*float64{&a.CPU, &a.User} {
		if cpu[i].Value.Kind() == metrics.KindFloat64 { // a runtime may give a metric up
			*to = cpu[i].Value.Float64()
		}
	}
	return a
}

// collect makes the collector end what it is at and run once more, so that the account is complete.
func collect() Account {
	runtime.GC()
	return Collected()
}

// A Collection is what one costs with all histories alive, and all processors busy with requests.
type Collection struct {
	Goroutines int     `json:"goroutines"` // that served meanwhile
	Times      int     `json:"times"`      // collections forced
	CPU        float64 `json:"cpu"`        // seconds of processors' time of one, the median
	Pause      int64   `json:"pause"`      // nanoseconds that one stopped all goroutines, at most
}

// Collect forces collections while goroutines serve random users of a part, who go on reading.
func Collect(ctx context.Context, part measure.Alive, goroutines int, seed uint64) (Collection, error) {
	ids := stopwatch.Candidates(seed)
	serving, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() { serveUntil(serving, part, ids, time.Now().Add(time.Hour), seed, uint64(g)) })
	}
	times := forced
	if stopwatch.Effort(ctx) < 1 {
		times /= 3
	}
	c := Collection{Goroutines: goroutines, Times: times}
	var costs []float64
	before := collect()
	for range times {
		after := collect()
		costs = append(costs, (after.CPU-before.CPU)/float64(after.Times-before.Times))
		c.Pause = max(c.Pause, after.Last)
		before = after
	}
	stop()
	group.Wait()
	slices.Sort(costs)
	c.CPU = costs[times/2]
	return c, ctx.Err()
}

// HeapObjects is how many objects the collector has to know, after a collection.
func HeapObjects() int64 { return collect().Objects }
