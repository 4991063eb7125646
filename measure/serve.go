package measure

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"dejavu/strategies"
)

// A request of Serve asks for as many candidates as the smallest of Sizes, and
// records as many articles as a refresh shows.
const servedShown = 10

// Serving is what a store does for requests that come from many goroutines: each
// from a random reader, who sees the first few candidates that pass, which are
// then recorded.
type Serving struct {
	Goroutines  int     `json:"goroutines"`
	Requests    int64   `json:"requests"`
	Seconds     float64 `json:"seconds"`
	Least       int64   `json:"least"` // requests of the goroutine that was served least
	Most        int64   `json:"most"`  // and of the one served most
	Collections int64   `json:"collections"`
	Pause       int64   `json:"pause"` // nanoseconds that these stopped all goroutines
}

// PerSecond is requests served in a second.
func (s Serving) PerSecond() float64 { return float64(s.Requests) / s.Seconds }

// Serve lets goroutines serve random readers of a part for about so long. The
// readers go on reading, so it comes after all other questions.
func Serve(ctx context.Context, part Alive, goroutines int, long time.Duration, seed uint64) (Serving, error) {
	served := make([]int64, goroutines)
	ids := candidates(seed)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var group sync.WaitGroup
	begin := time.Now()
	for g := range goroutines {
		group.Go(func() { served[g] = serveUntil(ctx, part, ids, begin.Add(long), seed, uint64(g)) })
	}
	group.Wait()
	s := Serving{Goroutines: goroutines, Seconds: time.Since(begin).Seconds(), Least: served[0]}
	runtime.ReadMemStats(&after)
	s.Collections = int64(after.NumGC - before.NumGC)
	s.Pause = int64(after.PauseTotalNs - before.PauseTotalNs)
	for _, n := range served {
		s.Requests += n
		s.Least, s.Most = min(s.Least, n), max(s.Most, n)
	}
	return s, ctx.Err()
}

// serveUntil serves one request after the other and returns how many.
func serveUntil(ctx context.Context, part Alive, ids []strategies.ID, end time.Time, seed, goroutine uint64) (served int64) {
	r := rand.New(rand.NewPCG(seed, 3+goroutine))
	seen := make([]bool, Sizes[0])
	shown := make([]strategies.ID, 0, servedShown)
	for ctx.Err() == nil && time.Now().Before(end) {
		for range batch {
			reader, at := r.IntN(part.Users), r.IntN(len(ids)-len(seen))
			asked := ids[at : at+len(seen)]
			part.Store.Seen(reader, 0, asked, seen)
			shown = shown[:0]
			for i, id := range asked {
				if !seen[i] && len(shown) < servedShown {
					shown = append(shown, id)
				}
			}
			part.Store.Record(reader, 0, shown)
			served++
		}
	}
	return served
}

// HeapObjects is how many objects the collector has to know, after a collection.
func HeapObjects() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapObjects)
}
