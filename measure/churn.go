package measure

import (
	"context"
	"fmt"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/workload"
)

// A Midnight is what a store holds at the end of a day of churn.
type Midnight struct {
	Requests int64 `json:"requests"` // of the day
	Alive    int64 `json:"alive"`    // readers with a history
	Payload  int64 `json:"payload"`  // its lengths, summed

	// What depends on the machine, in bytes.
	Slabs    int64 `json:"slabs"`    // the memory that histories lie in
	Resident int64 `json:"resident"` // physical memory beyond that before the first day
}

// Add adds what other readers did on the day, and what a store elsewhere holds of
// them.
func (m *Midnight) Add(n Midnight) {
	m.Requests += n.Requests
	m.Alive += n.Alive
	m.Payload += n.Payload
	m.Slabs += n.Slabs
	m.Resident += n.Resident
}

const (
	// sweepEvery is how often idle readers are forgotten, in seconds.
	sweepEvery = 4 * 60 * 60

	// crowd is how many readers of ten million share a shard. As many share one
	// here, so that the unfilled ends of chunks weigh what they do there.
	crowd = 40_000

	// ends is how many readers it takes before one more chunk for each shard and
	// length, which a few readers more may need, is no growth to speak of.
	ends = 2 * crowd
)

// WarmUp is how many days come before growth counts. Nobody can be forgotten on
// the first; whoever comes every day has filled a chain after five, and until
// then the histories grow by almost a half.
const WarmUp = 5

// Churn lets these readers of the daily population come back for so many days, all
// together as a service sees them, and says what is held at each midnight.
// Histories are alive at once, whatever the options say of parts, and draw on no
// stock: memory given back is to be seen.
//
// All candidates are fresh: a repeat that the memory recognises would leave it
// as it is, and to know repeats would take more memory than is measured.
func Churn(ctx context.Context, s Subject, population workload.Daily, readers Range, days int, o Options) ([]Midnight, error) {
	midnights, users := make([]Midnight, days), readers.Len()
	if users == 0 {
		return midnights, nil
	}
	visitors, next := make([]workload.Visitor, users), make([]uint32, users)
	for user := range visitors {
		visitors[user] = population.Visitor(readers.From + user)
		next[user], _ = visitors[user].Next()
	}
	settle()
	baseline := Resident()
	histories, err := store.New(store.Config{
		Strategy: s.Strategy, Users: users, Idle: store.Day, Shards: (users + crowd - 1) / crowd,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	defer histories.Clear()
	workers := make([]*churnWorker, o.workers())
	for i := range workers {
		workers[i] = &churnWorker{visitors: visitors, next: next, histories: histories}
	}
	between := o
	between.Progress = nil // a user is done with at midnight
	for day := range midnights {
		begin := store.Clock(day) * store.Day
		for until := begin + sweepEvery; until <= begin+store.Day; until += sweepEvery {
			for _, w := range workers {
				w.until = until
			}
			if err := each(ctx, between, workers, Range{0, users}, (*churnWorker).live); err != nil {
				return nil, err
			}
			histories.Forget(until)
		}
		o.progress(users)
		m := &midnights[day]
		for _, w := range workers {
			m.Requests += w.requests
			w.requests = 0
		}
		stats := histories.Stats()
		m.Alive, m.Payload, m.Slabs = int64(stats.Users), stats.Payload, stats.Slabs
		settle()
		m.Resident = Resident() - baseline
	}
	return midnights, nil
}

// Growth is by how much memory grew at most after the WarmUp, in excess of what
// the histories themselves grew by, as a share of the memory then: that of the
// slabs, and that of the process. ok is false where there is nothing to compare,
// or too few readers to see more than the ends of chunks.
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

// A churnWorker serves the refreshes of readers up to a moment.
type churnWorker struct {
	visitors  []workload.Visitor // of all readers
	next      []uint32           // when each refreshes next
	histories *store.Store
	until     store.Clock
	requests  int64

	articles [workload.Recalled]int32
	ages     [workload.Recalled]int
	ids      [workload.Recalled]strategies.ID
	seen     [workload.Recalled]bool
	record   [workload.PerRefresh]strategies.ID
}

func (w *churnWorker) live(user int) {
	for store.Clock(w.next[user]) < w.until {
		now := store.Clock(w.next[user])
		visitor := &w.visitors[user]
		visitor.Recall(nil, w.articles[:], w.ages[:], w.ids[:])
		w.histories.Seen(user, now, w.ids[:], w.seen[:])
		shown := w.record[:0]
		for i, seen := range w.seen {
			if !seen && len(shown) < workload.PerRefresh {
				shown = append(shown, w.ids[i])
			}
		}
		w.histories.Record(user, now, shown)
		w.requests++
		w.next[user], _ = visitor.Next()
	}
}
