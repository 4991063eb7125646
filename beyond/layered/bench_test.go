package layered_test

import (
	"fmt"
	"testing"

	"dejavu/beyond/layered"
	"dejavu/bloom"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// Fresh candidates ask all layers, repeats of the day one: beside both readings,
// one filter of the same bytes, and the smallest of the same rate.
func BenchmarkSeen(b *testing.B) {
	const perCall = 400
	ids := strategytest.IDs(5, 30*150)
	fresh, seen := strategytest.IDs(6, 64*perCall), make([]bool, perCall)
	bench := func(name string, candidates []strategies.ID, query func(candidates []strategies.ID)) {
		b.Run(name, func(b *testing.B) {
			at := 0
			for b.Loop() {
				query(candidates[at : at+perCall])
				if at += perCall; at > len(candidates)-perCall {
					at = 0
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/perCall, "ns/candidate")
		})
	}
	for name, c := range map[string]layered.Config{"all": layered.Month, "moved": layered.MonthMoved} {
		f := build(b, c)
		var history []byte
		for day := range 30 {
			history = f.On(day).Record(history, ids[150*day:][:150])
		}
		bench(name+"/fresh", fresh, func(candidates []strategies.ID) { f.Seen(history, candidates, seen) })
		today := make([]strategies.ID, perCall)
		for i := range today {
			today[i] = ids[29*150+i%150]
		}
		bench(name+"/of the day", today, func(candidates []strategies.ID) { f.Seen(history, candidates, seen) })
	}
	for _, g := range []bloom.Geometry{build(b, layered.Month).One(4500), {Bits: 31000, Hashes: 5}} {
		one, err := bloom.NewLanes(g, 1)
		if err != nil {
			b.Fatal(err)
		}
		filter := make([]byte, one.Bytes())
		bloom.Insert(one, filter, 1, ids)
		bench(fmt.Sprintf("one filter of %v", g), fresh, func(candidates []strategies.ID) { bloom.Query(one, filter, 1, candidates, seen) })
	}
}

func BenchmarkRecord(b *testing.B) {
	ids := strategytest.IDs(7, 3000)
	for name, c := range map[string]layered.Config{"all": layered.Month, "moved": layered.MonthMoved} {
		f := build(b, c)
		history := f.On(8).Record(f.On(0).Record(nil, ids[:1]), ids)
		b.Run(name+"/same day", func(b *testing.B) {
			for b.Loop() {
				history = f.Record(history, ids[:100])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/article")
		})
		memory := make([]byte, len(history))
		for turn, day := range map[string]int{"another day": 9, "another week": 14} {
			next := f.On(day)
			b.Run(name+"/"+turn, func(b *testing.B) {
				for b.Loop() {
					copy(memory, history)
					next.Record(memory, ids[:1])
				}
			})
		}
	}
}
