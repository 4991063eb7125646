package store_test

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"

	"dejavu/store"
	"dejavu/strategies"
)

// The flat toy's Seen does nothing and its Record writes the first and the last
// byte, so these say what the store adds. Direct is the same call on a slice;
// locked, the same under one mutex, on slices that lie side by side; hot is one
// user, cold a random one of two million (a gigabyte of histories), where the
// wait is for memory: the user's word, the table of chunks, the block.

const coldReaders = 2_000_000

func benchmark(b *testing.B, users int, c climb, f func(s *store.Store[int], user int)) {
	s := mustNew(b, store.Config{Unsalted: true, Strategy: c, Users: users, Idle: store.Day})
	recordAll(s, users, 0)
	inAnyOrder(b, users, func(user int) { f(s, user) })
}

func inAnyOrder(b *testing.B, users int, f func(user int)) {
	rng := rand.New(rand.NewPCG(3, 3))
	order := make([]int32, 1<<20)
	for i := range order {
		order[i] = rng.Int32N(int32(users))
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		f(int(order[i&(len(order)-1)]))
		i++
	}
}

func BenchmarkSeen(b *testing.B) {
	seen := make([]bool, 1)
	f := func(s *store.Store[int], user int) { s.Seen(user, 1, shownOne, seen) }
	b.Run("direct", func(b *testing.B) {
		var strategy strategies.Strategy = flat
		h := make([]byte, 508)
		for b.Loop() {
			strategy.Seen(h, shownOne, seen)
		}
	})
	b.Run("hot", func(b *testing.B) { benchmark(b, 1, flat, f) })
	b.Run("cold", func(b *testing.B) { benchmark(b, coldReaders, flat, f) })
}

func BenchmarkRecord(b *testing.B) {
	f := func(s *store.Store[int], user int) { s.Record(user, 1, shownOne) }
	direct := func(b *testing.B, users int) {
		var strategy strategies.Strategy = flat
		slab := bytes.Repeat([]byte{1}, 508*users)
		var mu sync.Mutex
		inAnyOrder(b, users, func(user int) {
			mu.Lock() // else the processor overlaps the misses of several requests
			strategy.Record(slab[508*user:508*(user+1)], shownOne)
			mu.Unlock()
		})
	}
	b.Run("locked hot", func(b *testing.B) { direct(b, 1) })
	b.Run("locked cold", func(b *testing.B) { direct(b, coldReaders) })
	b.Run("hot", func(b *testing.B) { benchmark(b, 1, flat, f) })
	b.Run("cold", func(b *testing.B) { benchmark(b, coldReaders, flat, f) })
	// Every call changes the length, and so the pool.
	b.Run("moving", func(b *testing.B) { benchmark(b, 20_000, fiveSteps, f) })
}

// BenchmarkForget sweeps a million users, none of whom goes.
func BenchmarkForget(b *testing.B) {
	const users = 1_000_000
	s := mustNew(b, store.Config{Unsalted: true, Strategy: climb{8}, Users: users, Idle: store.Day})
	recordAll(s, users, 0)
	for b.Loop() {
		s.Forget(1)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/users, "ns/reader")
}
