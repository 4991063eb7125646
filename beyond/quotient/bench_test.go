package quotient_test

import (
	"fmt"
	"testing"

	"dejavu/beyond/quotient"
	"dejavu/beyond/ring"
	"dejavu/chain"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// side are strategies to time beside each other: for a window of 400 at 2 %.
func side(b *testing.B) map[string]strategies.Strategy {
	best, err := chain.Best(400, 0.02)
	if err != nil {
		b.Fatal(err)
	}
	links, err := chain.New(best)
	if err != nil {
		b.Fatal(err)
	}
	one, err := single.New(single.Paper)
	if err != nil {
		b.Fatal(err)
	}
	config, err := ring.Sized(400, 0.02)
	if err != nil {
		b.Fatal(err)
	}
	list, err := ring.New(config)
	if err != nil {
		b.Fatal(err)
	}
	return map[string]strategies.Strategy{"quotient": build(b, quotient.Window400), "chain": links, "single": one, "ring": list}
}

func BenchmarkSeen(b *testing.B) {
	ids := strategytest.IDs(5, 1<<14)
	all := side(b)
	for _, n := range []int{40, 400} {
		for _, name := range []string{"quotient", "single", "chain", "ring"} {
			s := all[name]
			history := s.Record(nil, strategytest.IDs(6, 500))
			seen := make([]bool, n)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				at := 0
				for b.Loop() {
					s.Seen(history, ids[at:at+n], seen)
					at = (at + n) % (len(ids) - n)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/candidate")
			})
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	ids := strategytest.IDs(7, 1<<14)
	all := side(b)
	for _, name := range []string{"quotient", "single", "chain", "ring"} {
		s := all[name]
		history := s.Record(nil, ids[:1000])
		b.Run(name, func(b *testing.B) {
			at := 0
			for b.Loop() {
				history = s.Record(history, ids[at:at+10])
				at = (at + 10) % (len(ids) - 10)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10, "ns/article")
		})
	}
}
