package store_test

import (
	"math/rand/v2"
	"testing"

	"dejavu/store"
)

// The flat toy's Seen does nothing and its Record writes the first and the last byte, so
// these say what the store adds: hot to one user, cold to a random one of two million (a
// gigabyte of histories), where the wait is for memory; moving is a Record that changes
// the length, and so the pool.
func BenchmarkStore(b *testing.B) {
	seen := make([]bool, 1)
	record := func(s *store.Store[int], user int) { s.Record(user, 1, shownOne) }
	ask := func(s *store.Store[int], user int) { s.Seen(user, 1, shownOne, seen) }
	for _, bench := range []struct {
		name    string
		users   int
		lengths climb
		do      func(s *store.Store[int], user int)
	}{
		{"Seen, hot", 1, flat, ask},
		{"Seen, cold", 2_000_000, flat, ask},
		{"Record, hot", 1, flat, record},
		{"Record, cold", 2_000_000, flat, record},
		{"Record, moving", 20_000, fiveSteps, record},
	} {
		b.Run(bench.name, func(b *testing.B) {
			s := mustNew(b, store.Config{Unsalted: true, Strategy: bench.lengths, Users: bench.users, Idle: store.Day})
			recordAll(s, bench.users, 0)
			random := rand.New(rand.NewPCG(3, 3))
			order := make([]int, 1<<20)
			for i := range order {
				order[i] = random.IntN(bench.users)
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				bench.do(s, order[i%len(order)])
				i++
			}
		})
	}
}
