package alive

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"dejavu/measure"
	"dejavu/measure/stopwatch"
	"dejavu/strategies"
)

// servedShown is what a refresh shows.
const servedShown = 10

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
func (s Serving) CollectorShare() float64 {
	return s.Collecting / (s.Seconds * float64(s.Goroutines))
}

// Serve lets goroutines serve random users of a part, who go on reading, for about so long.
func Serve(ctx context.Context, part measure.Alive, goroutines int, long time.Duration, seed uint64) (Serving, error) {
	served := make([]int64, goroutines)
	ids := stopwatch.Candidates(seed)
	before := collect() // garbage made until here is not the requests'
	var group sync.WaitGroup
	begin := time.Now()
	for g := range goroutines {
		group.Go(func() { served[g] = serveUntil(ctx, part, ids, begin.Add(long), seed, uint64(g)) })
	}
	group.Wait()
	s := Serving{Goroutines: goroutines, Seconds: time.Since(begin).Seconds(), Least: served[0]}
	after := collected()
	s.Collections = after.times - before.times
	s.Pause = after.pause - before.pause
	s.Allocated = after.allocated - before.allocated
	if end := collect(); end.times > after.times+1 {
		// One was under way at the end. It counts, and so does the one just asked for: rather too much.
		after = end
	}
	s.Collecting = after.cpu - before.cpu
	for _, n := range served {
		s.Requests += n
		s.Least, s.Most = min(s.Least, n), max(s.Most, n)
	}
	return s, ctx.Err()
}

// serveUntil serves requests, a batch at least however late it begins, and returns how many.
func serveUntil(
	ctx context.Context, part measure.Alive, ids []strategies.ID, end time.Time, seed, goroutine uint64,
) (served int64) {
	r := rand.New(rand.NewPCG(seed, 3+goroutine))
	seen := make([]bool, stopwatch.Sizes[0])
	shown := make([]strategies.ID, 0, servedShown)
	for ctx.Err() == nil {
		for range stopwatch.Batch {
			user, at := r.IntN(part.Users), r.IntN(len(ids)-len(seen))
			asked := ids[at : at+len(seen)]
			part.Store.Seen(user, 0, asked, seen)
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
