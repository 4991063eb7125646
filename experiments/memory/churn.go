// Package memory measures what histories take: by articles shown, by users, and
// over days in which users come and go.
package memory

import (
	"context"
	"fmt"

	"dejavu/internal/sysinfo"
	"dejavu/measure"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// A Midnight is what a store holds at the end of a day of churn.
type Midnight struct {
	Requests int64 `json:"requests"` // of the day
	Alive    int64 `json:"alive"`    // users with a history
	Payload  int64 `json:"payload"`  // its lengths, summed

	// What depends on the machine, in bytes.
	Slabs    int64 `json:"slabs"`    // the memory that histories lie in
	Resident int64 `json:"resident"` // physical memory beyond that before the first day
}

const (
	// sweepEvery is how often idle users are forgotten, in seconds.
	sweepEvery = 4 * 60 * 60

	// crowd is how many users of ten million share a shard. As many share one
	// here, so that the unfilled ends of chunks weigh what they do there.
	crowd = 40_000

	// ends is how many users it takes before one more chunk for each shard and
	// length, which a few users more may need, is no growth to speak of.
	ends = 2 * crowd
)

// WarmUp is how many days come before growth counts. Nobody can be forgotten on the first; a user who comes
// every day has filled a chain after five, and until then the histories grow by almost a half.
const WarmUp = 5

// Churn lets these users of the daily population come back for so many days, all together as a service sees
// them, and says what is held at each midnight. Histories are alive at once, whatever the options say of
// parts, and draw on no arena: memory given back is to be seen.
//
// All candidates are fresh: a repeat that the memory recognises would leave it as it is, and to know repeats
// would take more memory than is measured.
func Churn(ctx context.Context, s measure.Subject, population workload.Daily, users measure.Range, days int, o measure.Options) ([]Midnight, error) {
	midnights, n := make([]Midnight, days), users.Len()
	if n == 0 {
		return midnights, nil
	}
	visitors, next := make([]workload.Visitor, n), make([]uint32, n)
	for user := range visitors {
		visitors[user] = population.Visitor(users.From + user)
		next[user], _ = visitors[user].Next()
	}
	sysinfo.Settle()
	baseline := sysinfo.Resident()
	histories, err := store.New[int](store.Config{
		Unsalted: true,
		Strategy: s.Strategy, Users: n, Idle: store.Day, Shards: (n + crowd - 1) / crowd,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	defer histories.Clear()
	type worker struct {
		requests int64
		articles [workload.Recalled]int32
		ages     [workload.Recalled]int
		ids      [workload.Recalled]strategies.ID
		seen     [workload.Recalled]bool
		record   [workload.PerRefresh]strategies.ID
	}
	between := o
	between.Progress = nil // a user is done with at midnight
	for day := range midnights {
		m, begin := &midnights[day], store.Timestamp(day)*store.Day
		for until := begin + sweepEvery; until <= begin+store.Day; until += sweepEvery {
			workers, err := measure.Each(ctx, between, measure.Range{To: n}, func() *worker { return new(worker) },
				func(w *worker, user int) { // who refreshes up to that moment
					for store.Timestamp(next[user]) < until {
						now := store.Timestamp(next[user])
						visitors[user].Recall(nil, w.articles[:], w.ages[:], w.ids[:])
						histories.Seen(user, now, w.ids[:], w.seen[:])
						shown := w.record[:0]
						for i, seen := range w.seen {
							if !seen && len(shown) < workload.PerRefresh {
								shown = append(shown, w.ids[i])
							}
						}
						histories.Record(user, now, shown)
						w.requests++
						next[user], _ = visitors[user].Next()
					}
				})
			if err != nil {
				return nil, err
			}
			for _, w := range workers {
				m.Requests += w.requests
			}
			histories.Forget(until)
		}
		o.Done(n)
		stats := histories.Stats()
		m.Alive, m.Payload, m.Slabs = int64(stats.Users), stats.Payload, stats.Slabs
		sysinfo.Settle()
		m.Resident = sysinfo.Resident() - baseline
	}
	return midnights, nil
}

// Growth is by how much memory grew at most after the WarmUp, in excess of what the histories themselves grew
// by, as a share of the memory then: that of the slabs, and that of the process. ok is false where there is
// nothing to compare, or too few users to see more than the ends of chunks.
func Growth(users int, days []Midnight) (slabs, resident float64, ok bool) {
	if len(days) <= WarmUp || users < ends {
		return 0, 0, false
	}
	warm := days[WarmUp-1]
	for _, m := range days[WarmUp:] {
		grew := m.Payload - warm.Payload
		slabs = max(slabs, float64(m.Slabs-warm.Slabs-grew)/float64(warm.Slabs))
		resident = max(resident, float64(m.Resident-warm.Resident-grew)/float64(warm.Resident))
	}
	return slabs, resident, true
}
