package store_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"dejavu/store"
	"dejavu/strategies"
)

// SeenAll answers as Seen does, one request after the other, and leaves the
// same store: with newcomers, expired histories and users who ask twice among
// the requests, and any number of them.
func TestSeenAll(t *testing.T) {
	const users, idle = 200, 40
	config := store.Config{Unsalted: true, Strategy: ladder{stride: 20}, Users: users, Idle: idle, Shards: 7}
	one, all := mustNew(t, config), mustNew(t, config)
	rng := rand.New(rand.NewPCG(8, 8))
	for now := range store.Timestamp(2000) {
		for range 3 {
			user, shown := rng.IntN(users), []strategies.ID{strategies.ID(1 + rng.IntN(30))}
			one.Record(user, now, shown)
			all.Record(user, now, shown)
		}
		requests := make([]store.Request[int], rng.IntN(70))
		var want [][]bool
		for i := range requests {
			candidates := make([]strategies.ID, rng.IntN(5))
			for j := range candidates {
				candidates[j] = strategies.ID(1 + rng.IntN(30))
			}
			requests[i] = store.Request[int]{User: rng.IntN(users), Candidates: candidates, Seen: make([]bool, len(candidates))}
			seen := make([]bool, len(candidates))
			one.Seen(requests[i].User, now, candidates, seen)
			want = append(want, seen)
		}
		all.SeenAll(now, requests)
		for i, r := range requests {
			if !slices.Equal(r.Seen, want[i]) {
				t.Fatalf("at %d, request %d of %d: seen %v, want %v", now, i, len(requests), r.Seen, want[i])
			}
		}
		if a, b := one.Stats(), all.Stats(); a.Users != b.Users || a.Payload != b.Payload {
			t.Fatalf("at %d: %d histories of %d bytes, want %d of %d", now, b.Users, b.Payload, a.Users, a.Payload)
		}
	}
}

func TestSeenAllBesideOthers(t *testing.T) {
	const users, rounds = 100, 400
	strategy := ladder{stride: 30, fresh: true}
	s := mustNew(t, store.Config{Unsalted: true, Strategy: strategy, Users: users, Idle: 50, Shards: 3})
	var group sync.WaitGroup
	for w := range 4 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(9, uint64(w)))
			requests := make([]store.Request[int], 40)
			for now := range store.Timestamp(rounds) {
				for i := range requests {
					requests[i] = store.Request[int]{User: rng.IntN(users), Candidates: []strategies.ID{1, 2}, Seen: make([]bool, 2)}
				}
				s.SeenAll(now, requests)
				s.Record(rng.IntN(users), now, []strategies.ID{strategies.ID(rng.IntN(9))})
				s.Forget(now)
			}
		})
	}
	group.Wait()
}

func TestSeenAllRefusesStrangers(t *testing.T) {
	s := mustNew(t, store.Config{Unsalted: true, Strategy: flat, Users: 10})
	defer func() {
		if recover() == nil {
			t.Error("a reader beyond the last is accepted")
		}
		s.Record(3, 0, shownOne) // nothing is left locked
	}()
	s.SeenAll(0, []store.Request[int]{{User: 3}, {User: 10}})
}

func TestSeenAllDoesNotAllocate(t *testing.T) {
	s := mustNew(t, store.Config{Unsalted: true, Strategy: flat, Users: 1000})
	recordAll(s, 1000, 0)
	requests := make([]store.Request[int], 50)
	for i := range requests {
		requests[i] = store.Request[int]{User: i * 17 % 1000, Candidates: shownOne, Seen: make([]bool, 1)}
	}
	if n := testing.AllocsPerRun(100, func() { s.SeenAll(0, requests) }); n != 0 {
		t.Errorf("SeenAll allocates %v times a call, want 0", n)
	}
}
