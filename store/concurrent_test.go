package store_test

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// TestOwnReaders runs goroutines that each serve their own users, spread over the same shards, while another sweeps
// and counts: every history must be the same as from one goroutine alone.
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

// A gated strategy takes as long as the test likes: asked about or shown the article stop, it says so and waits.
type gated struct {
	climb
	entered, leave chan struct{}
}

const stop strategies.ID = 99

func (g gated) wait(ids []strategies.ID) {
	for _, id := range ids {
		if id == stop {
			g.entered <- struct{}{}
			<-g.leave
		}
	}
}

func (g gated) Seen(_ []byte, ids []strategies.ID, _ []bool) { g.wait(ids) }
func (g gated) Record(h []byte, shown []strategies.ID) []byte {
	g.wait(shown)
	return g.climb.Record(h, shown)
}

// requestOf asks for one article.
func requestOf(user int, id strategies.ID) store.Request[int] {
	return store.Request[int]{User: user, Candidates: []strategies.ID{id}}
}

// TestSlowStrategy: while a strategy is at work for one user, users of other shards are served, whatever they ask,
// even in the same SeenAll: it holds one lock at a time.
func TestSlowStrategy(t *testing.T) {
	const shards, together = 64, 32
	// Reader i lies alone in shard i. One request of the batch is slow.
	batch := func(slow int) []store.Request[int] {
		requests := make([]store.Request[int], 2*together)
		for i := range requests {
			requests[i] = requestOf(i, 1)
		}
		requests[slow] = requestOf(slow, stop)
		return requests
	}
	tests := []struct {
		name     string
		call     func(s *store.Store[int])
		from, to int // the users who are not served meanwhile
	}{
		{"Seen", func(s *store.Store[int]) { s.Seen(7, 0, []strategies.ID{stop}, nil) }, 7, 8},
		{"Record", func(s *store.Store[int]) { s.Record(7, 0, []strategies.ID{stop}) }, 7, 8},
		{"SeenAll, one request", func(s *store.Store[int]) { s.SeenAll(0, []store.Request[int]{requestOf(7, stop)}) }, 7, 8},
		{"SeenAll, the first of many", func(s *store.Store[int]) { s.SeenAll(0, batch(0)) }, 0, 1},
		{"SeenAll, long requests", func(s *store.Store[int]) {
			requests := batch(0)
			for i := range requests {
				more := make([]strategies.ID, 2000)
				more[0] = requests[i].Candidates[0]
				requests[i].Candidates = more
			}
			s.SeenAll(0, requests)
		}, 0, 1},
		{"SeenAll, the last", func(s *store.Store[int]) { s.SeenAll(0, batch(2*together-1)) }, 2*together - 1, 2 * together},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := gated{climb{4, 8}, make(chan struct{}), make(chan struct{})}
			s := mustNew(t, store.Config{Unsalted: true, Strategy: g, Users: shards, Shards: shards})
			slow, others := make(chan struct{}), make(chan int, shards)
			go func() { test.call(s); close(slow) }()
			<-g.entered
			go func() {
				for u := range shards {
					if u >= test.from && u < test.to {
						continue
					}
					s.Record(u, 0, shownOne)
					s.Seen(u, 0, shownOne, nil)
					s.SeenAll(0, []store.Request[int]{requestOf(u, 1)})
					s.History(u, 0, nil)
					others <- u
				}
				close(others)
			}()
			served, late := -1, time.After(10*time.Second)
			for served < shards {
				select {
				case u, ok := <-others:
					if served = u; !ok {
						served = shards
					}
				case <-late:
					t.Errorf("readers after %d wait for a strategy at work in another shard", served)
					served = shards
				}
			}
			close(g.leave)
			<-slow
		})
	}
}
