package ring_test

import (
	"fmt"
	"testing"

	"dejavu/beyond/ring"
	"dejavu/strategies/strategytest"
)

func BenchmarkSeen(b *testing.B) {
	ids := strategytest.IDs(5, 1<<14)
	for _, fingerprints := range []int{1 << 15, 19800, 1 << 20, 1 << 30} {
		r := build(b, ring.Config{Window: 400, Range: fingerprints})
		history := r.Record(nil, strategytest.IDs(6, 1000))
		for _, n := range []int{1, 10, 40, 400, 4000} {
			seen := make([]bool, n)
			b.Run(fmt.Sprintf("%d/%d", fingerprints, n), func(b *testing.B) {
				at := 0
				for b.Loop() {
					r.Seen(history, ids[at:at+n], seen)
					at = (at + n) % (len(ids) - n)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/candidate")
			})
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	ids := strategytest.IDs(7, 1<<14)
	r := build(b, ring.Config{Window: 400, Range: 19800})
	history := r.Record(nil, ids[:1000])
	at := 0
	for b.Loop() {
		history = r.Record(history, ids[at:at+10])
		at = (at + 10) % (len(ids) - 10)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10, "ns/article")
}
