package daily_test

import (
	"fmt"
	"testing"

	"dejavu/beyond/daily"
	"dejavu/bloom"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

const perDay = 150 // the preset's, 4500 a month

// fullMonth is a history of thirty days, and the articles by day.
func fullMonth(f *daily.Filter, days int) (history []byte, log [][]strategies.ID) {
	ids := strategytest.IDs(6, days*perDay)
	for day := range days {
		log = append(log, ids[day*perDay:][:perDay])
		history = f.On(day).Record(history, log[day])
	}
	return history, log
}

// A request of 4000 candidates to a month in thirty lanes, and to one filter of
// the same bytes: with the hashes that suit it best, and with as many.
func BenchmarkSeen(b *testing.B) {
	const perCall = 4000
	f := build(b, daily.Month)
	history, log := fullMonth(f, 30)
	today := f.On(29)
	fresh, seen := strategytest.IDs(7, 8*perCall), make([]bool, perCall)
	bench := func(name string, query func(candidates []strategies.ID)) {
		b.Run(name, func(b *testing.B) {
			at := 0
			for b.Loop() {
				query(fresh[at:][:perCall])
				at = (at + perCall) % len(fresh)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/perCall, "ns/candidate")
		})
	}
	bench("30 lanes", func(candidates []strategies.ID) { today.Seen(history, candidates, seen) })
	best := f.One(30 * perDay)
	for _, g := range []bloom.Geometry{best, {Bits: best.Bits, Hashes: f.Geometry.Hashes}} {
		one := oneFilter(b, g)
		filter := daily.Rebuild(one, nil, log)
		bench(fmt.Sprintf("one filter, k=%d", g.Hashes), func(candidates []strategies.ID) { one.Seen(filter, candidates, seen) })
	}
}

// A day's end: the masked clear, and the lecture's rebuild of one filter of the
// same bytes from the log of the other 29 days.
func BenchmarkDaysEnd(b *testing.B) {
	f := build(b, daily.Month)
	history, log := fullMonth(f, 30)
	header := [8]byte(history[len(history)-8:])
	b.Run("expire", func(b *testing.B) {
		for b.Loop() {
			f.Expire(history, 30)
			copy(history[len(history)-8:], header[:]) // the day is there again, blank
		}
	})
	best := f.One(30 * perDay)
	for _, g := range []bloom.Geometry{best, {Bits: best.Bits, Hashes: f.Geometry.Hashes}} {
		one := oneFilter(b, g)
		filter := daily.Rebuild(one, nil, log)
		b.Run(fmt.Sprintf("rebuild, k=%d", g.Hashes), func(b *testing.B) {
			for b.Loop() {
				filter = daily.Rebuild(one, filter, log[1:])
			}
		})
	}
}

// Articles one request after the other, a hundred each; and what the lanes cost
// a user on the first days: another lane.
func BenchmarkRecord(b *testing.B) {
	f, ids := build(b, daily.Month), strategytest.IDs(8, 100)
	history, _ := fullMonth(f, 30)
	today := f.On(29)
	b.Run("same day", func(b *testing.B) {
		for b.Loop() {
			history = today.Record(history, ids)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/article")
	})
	for _, days := range []int{1, 5, 15, 29} {
		before, _ := fullMonth(f, days)
		tomorrow, memory := f.On(days), make([]byte, 0, f.BytesDays(30))
		b.Run(fmt.Sprintf("a lane after %d", days), func(b *testing.B) {
			for b.Loop() {
				tomorrow.Record(append(memory, before...), ids[:1])
			}
		})
	}
}
