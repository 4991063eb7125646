package cuckoo_test

import (
	"fmt"
	"testing"

	"dejavu/beyond/cuckoo"
	"dejavu/strategies/strategytest"
)

// A candidate costs the loads of two buckets, in the whole table and in a light
// user's.
func BenchmarkSeen(b *testing.B) {
	s, ids, seen := build(b, cuckoo.Standard), strategytest.IDs(5, 1<<14), make([]bool, 40)
	for _, read := range []int{20, 100, 450} {
		history := s.Record(nil, strategytest.IDs(6, read))
		b.Run(fmt.Sprint(read), func(b *testing.B) {
			at := 0
			for b.Loop() {
				s.Seen(history, ids[at:at+40], seen)
				at = (at + 40) % (len(ids) - 40)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/40, "ns/candidate")
		})
	}
}

// A user who goes on: articles enter, generations expire.
func BenchmarkRecord(b *testing.B) {
	s, ids := build(b, cuckoo.Standard), strategytest.IDs(5, 1<<16)
	history := s.Record(nil, strategytest.IDs(6, 1000))
	at := 0
	for b.Loop() {
		history = s.Record(history, ids[at:at+10])
		at = (at + 10) % (len(ids) - 10)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10, "ns/article")
}
