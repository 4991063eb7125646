package apbf_test

import (
	"testing"

	"dejavu/beyond/apbf"
	"dejavu/strategies/strategytest"
)

// The lanes against the paper's query, which skips over slices but branches on
// every bit; and Record, in requests of ten.
func BenchmarkSeen(b *testing.B) {
	ids := strategytest.IDs(5, 1<<14)
	seen := make([]bool, 40)
	for _, name := range []string{"400 at 0.02", "400 in 512 B", "percent", "permille"} {
		f := build(b, arrangements[name])
		history := f.Record(nil, strategytest.IDs(6, 1000))
		b.Run(name, func(b *testing.B) {
			at := 0
			for b.Loop() {
				f.Seen(history, ids[at:at+40], seen)
				at = (at + 40) % (len(ids) - 40)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/40, "ns/candidate")
		})
		b.Run(name+" skipping", func(b *testing.B) {
			at := 0
			for b.Loop() {
				for i, id := range ids[at : at+40] {
					seen[i] = apbf.Holds(f, history, uint64(id))
				}
				at = (at + 40) % (len(ids) - 40)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/40, "ns/candidate")
		})
	}
}

func BenchmarkRecord(b *testing.B) {
	ids := strategytest.IDs(7, 1<<14)
	for _, name := range []string{"400 at 0.02", "400 in 512 B", "percent", "permille"} {
		f := build(b, arrangements[name])
		history := f.Record(nil, ids[:1000])
		b.Run(name, func(b *testing.B) {
			at := 0
			for b.Loop() {
				history = f.Record(history, ids[at:at+10])
				at = (at + 10) % (len(ids) - 10)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10, "ns/article")
		})
	}
}
