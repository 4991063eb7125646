package alive

import (
	"context"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"time"

	"dejavu/measure"
	"dejavu/measure/stopwatch"
)

// An account is what the garbage collector has done so far.
type account struct {
	times     int64   // collections
	cpu       float64 // seconds of processors' time, marking and stops
	pause     int64   // nanoseconds that all goroutines were stopped
	last      int64   // of these, by the last collection
	allocated int64   // bytes of the heap
}

// collected is the account as it stands. The runtime enters a collection's time when its marking ends, and
// only then: what one that is under way has taken so far is missing, what went before is all there.
func collected() account {
	cpu := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(cpu)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	a := account{times: int64(m.NumGC), pause: int64(m.PauseTotalNs), allocated: int64(m.TotalAlloc)}
	a.last = int64(m.PauseNs[(m.NumGC+uint32(len(m.PauseNs))-1)%uint32(len(m.PauseNs))])
	if cpu[0].Value.Kind() == metrics.KindFloat64 { // a runtime may give a metric up
		a.cpu = cpu[0].Value.Float64()
	}
	return a
}

// collect makes the collector end what it is at and run once more, so that the account is complete.
func collect() account {
	runtime.GC()
	return collected()
}

// A Collection is what one costs with all histories alive, and all processors busy with requests.
type Collection struct {
	Goroutines int     `json:"goroutines"` // that served meanwhile
	Times      int     `json:"times"`      // collections forced
	CPU        float64 `json:"cpu"`        // seconds of processors' time of one, the median
	Pause      int64   `json:"pause"`      // nanoseconds that one stopped all goroutines, at most
}

// forced is how many collections are forced, an odd number.
const forced = 9

// Collect forces collections while goroutines serve random users of a part, who go on reading.
func Collect(ctx context.Context, part measure.Alive, goroutines int, seed uint64) (Collection, error) {
	ids := stopwatch.Candidates(seed)
	serving, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() { serveUntil(serving, part, ids, time.Now().Add(time.Hour), seed, uint64(g)) })
	}
	c := Collection{Goroutines: goroutines, Times: forced}
	var costs []float64
	before := collect()
	for range forced {
		after := collect()
		costs = append(costs, (after.cpu-before.cpu)/float64(after.times-before.times))
		c.Pause = max(c.Pause, after.last)
		before = after
	}
	stop()
	group.Wait()
	slices.Sort(costs)
	c.CPU = costs[forced/2]
	return c, ctx.Err()
}

// HeapObjects is how many objects the collector has to know, after a collection.
func HeapObjects() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapObjects)
}
