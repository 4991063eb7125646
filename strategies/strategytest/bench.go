package strategytest

import (
	"testing"

	"dejavu/strategies"
)

// Benchmark times what requests cost one user of each strategy who was shown so many
// articles: 40 unseen candidates, and ten more articles.
func Benchmark(b *testing.B, shown int, of map[string]strategies.Strategy) {
	ids, seen := IDs(5, 1<<14), make([]bool, 40)
	for name, s := range of {
		history := s.Record(nil, IDs(6, shown))
		each := func(what string, size int, do func(ids []strategies.ID)) {
			b.Run(name+"/"+what, func(b *testing.B) {
				at := 0
				for b.Loop() {
					do(ids[at : at+size])
					at = (at + size) % (len(ids) - size)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/article")
			})
		}
		each("Seen", len(seen), func(ids []strategies.ID) { s.Seen(history, ids, seen) })
		each("Record", 10, func(ids []strategies.ID) { history = s.Record(history, ids) })
	}
}
