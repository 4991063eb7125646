package queue_test

import (
	"fmt"
	"testing"

	"dejavu/queue"
	"dejavu/strategies/strategytest"
)

// A full queue is asked for requests shorter than its ring, and longer ones: then
// the ring is what is entered into the table.
func BenchmarkSeen(b *testing.B) {
	q := build(b, queue.Paper.Window)
	history := q.Record(nil, strategytest.IDs(6, 500))
	for _, candidates := range []int{40, 400, 4000} {
		ids, seen := strategytest.IDs(5, 1<<14), make([]bool, candidates)
		b.Run(fmt.Sprint(candidates), func(b *testing.B) {
			at := 0
			for b.Loop() {
				q.Seen(history, ids[at:at+candidates], seen)
				at = (at + candidates) % (len(ids) - candidates)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(candidates), "ns/candidate")
		})
	}
}
