package store_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"dejavu/store"
	"dejavu/strategies"
)

// TestOwnReaders runs goroutines that each serve users of their own, all
// spread over the same shards, while another sweeps and counts: every history
// must be what one goroutine alone would have made of it.
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
			own := &model{strategy, idle, map[int][]byte{}, map[int]store.Timestamp{}}
			seen, want := make([]bool, 4), make([]bool, 4)
			for i := range rounds {
				now := store.Timestamp(i)
				clocks[w].Store(uint32(i))
				user := w + workers*rng.IntN(each)
				shown := []strategies.ID{strategies.ID(1 + rng.IntN(20)), strategies.ID(1 + rng.IntN(20))}
				candidates := []strategies.ID{1, 2, 3, shown[0]}
				s.Seen(user, now, candidates, seen)
				own.forget(user, now)
				strategy.Seen(own.history[user], candidates, want)
				if !slices.Equal(seen, want) {
					t.Errorf("user %d at %d: seen %v, want %v", user, now, seen, want)
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

// A tally counts articles by their last three bits: the order of Records does
// not matter, a lost one does.
type tally struct{}

func (tally) Sizes() []int                         { return []int{8, 16, 24, 32} }
func (tally) Validate([]byte) error                { return nil }
func (tally) Seen([]byte, []strategies.ID, []bool) {}
func (tally) grow(h []byte, n int) []byte          { return append(h, make([]byte, n-len(h))...) }
func (t tally) Record(h []byte, ids []strategies.ID) []byte {
	for _, id := range ids {
		slot := int(id % 8)
		if need := (slot*4 + 11) / 8 * 8; len(h) < need {
			h = t.grow(h, need)
		}
		h[4*slot]++
		if h[4*slot] == 0 {
			h[4*slot+1]++
		}
	}
	return h
}

// TestSharedReaders lets all goroutines record for the same few users.
func TestSharedReaders(t *testing.T) {
	const workers, users, rounds = 8, 5, 2000
	s := mustNew(t, store.Config{Unsalted: true, Strategy: tally{}, Users: users, Shards: 2})
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(2, uint64(w)))
			for i := range rounds {
				s.Record(rng.IntN(users), store.Timestamp(i), []strategies.ID{strategies.ID(rng.Uint64())})
			}
		})
	}
	wg.Wait()
	want := make(map[int][]byte)
	for w := range workers {
		rng := rand.New(rand.NewPCG(2, uint64(w)))
		for range rounds {
			user := rng.IntN(users)
			want[user] = tally{}.Record(want[user], []strategies.ID{strategies.ID(rng.Uint64())})
		}
	}
	for user := range users {
		if got := s.History(user, rounds, nil); !bytes.Equal(got, want[user]) {
			t.Errorf("user %d: tally %v, want %v", user, got, want[user])
		}
	}
	check(t, s)
}
