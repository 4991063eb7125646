package store_test

import (
	"bytes"
	"dejavu/strategies/strategytest"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"dejavu/store"
	"dejavu/strategies"
)

// TestOwnReaders runs goroutines that each serve users of their own, all spread over the same shards, while
// another sweeps and counts: every history must be what one goroutine alone would have made of it.
func TestOwnReaders(t *testing.T) {
	const workers, each, rounds, idle = 8, 60, 3000, 150
	strategy := ladder{stride: 400, fresh: true}
	s := mustNew(t, store.Config{Unsalted: true, Strategy: strategy, Users: workers * each, Idle: idle, Shards: 5})
	var clocks [workers]atomic.Uint32
	var serving, sweeping sync.WaitGroup
	stop := make(chan struct{})
	swept := 0
	sweeping.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				// What has expired for the slowest has expired for everyone.
				now := clocks[0].Load()
				for w := range clocks {
					now = min(now, clocks[w].Load())
				}
				swept += s.Forget(store.Timestamp(now))
				s.Stats()
			}
		}
	})
	for w := range workers {
		serving.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(w)))
			own := newModel(strategy, idle)
			for i := range rounds {
				now := store.Timestamp(i)
				clocks[w].Store(uint32(i))
				user := w + workers*rng.IntN(each)
				shown := []strategies.ID{strategies.ID(1 + rng.IntN(20)), strategies.ID(1 + rng.IntN(20))}
				candidates := []strategies.ID{1, 2, 3, shown[0]}
				var requests [3]store.Request[int]
				for i := range requests {
					requests[i] = store.Request[int]{User: w + workers*rng.IntN(each), Candidates: candidates}
				}
				s.SeenAll(now, requests[:])
				for _, r := range requests {
					strategytest.EqualSlices(t, r.Seen, own.seen(r.User, now, candidates),
						"user %d at %d: seen", r.User, now)
				}
				s.Record(user, now, shown)
				own.record(user, now, shown)
				if got := s.History(user, now, nil); !bytes.Equal(got, own.history[user]) {
					t.Errorf("user %d at %d: history %v, want %v", user, now, got, own.history[user])
					return
				}
			}
		})
	}
	serving.Wait()
	close(stop)
	sweeping.Wait()
	t.Logf("the sweep dropped %d", swept)
	check(t, s)
}
