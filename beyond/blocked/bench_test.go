package blocked_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"dejavu/beyond/blocked"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// BenchmarkAgainstSingle runs both filters of about 512 bytes in turns of 64
// requests, and reports the median turn of each and of their ratio: hot, one
// user again and again, and cold, users that lie 64 MB apart in all.
func BenchmarkAgainstSingle(b *testing.B) {
	one, err := single.New(single.Paper)
	if err != nil {
		b.Fatal(err)
	}
	ids := strategytest.IDs(1, 1<<14)
	for _, bench := range []struct {
		name                string
		readers, candidates int
	}{{"hot", 1, 40}, {"cold", 1 << 17, 40}, {"cold", 1 << 17, 1}} {
		b.Run(fmt.Sprintf("%s/n=%d", bench.name, bench.candidates), func(b *testing.B) {
			blocks := crowd(build(b, blocked.Default), bench.readers, ids[:500])
			bits := crowd(one, bench.readers, ids[:500])
			seen := make([]bool, bench.candidates)
			var ofBlocked, ofSingle, ratio []float64
			reader, at := 0, 0
			turn := func(ask func(reader int, candidates []strategies.ID, seen []bool)) float64 {
				began := time.Now()
				for range 64 {
					reader = (reader + 0x9e37) % bench.readers
					at = (at + bench.candidates) % (len(ids) - bench.candidates)
					ask(reader, ids[at:at+bench.candidates], seen)
				}
				return float64(time.Since(began).Nanoseconds()) / float64(64*bench.candidates)
			}
			for b.Loop() {
				x, y := turn(blocks), turn(bits)
				ofBlocked, ofSingle, ratio = append(ofBlocked, x), append(ofSingle, y), append(ratio, x/y)
			}
			b.ReportMetric(median(ofBlocked), "blocked-ns")
			b.ReportMetric(median(ofSingle), "single-ns")
			b.ReportMetric(median(ratio), "ratio")
		})
	}
}

// crowd makes users that were shown the same, in one slab, and returns how to
// ask one of them.
func crowd(s strategies.Strategy, readers int, shown []strategies.ID) func(reader int, candidates []strategies.ID, seen []bool) {
	history := s.Record(nil, shown)
	slab := slices.Repeat(history, readers)
	return func(reader int, candidates []strategies.ID, seen []bool) {
		s.Seen(slab[reader*len(history):(reader+1)*len(history)], candidates, seen)
	}
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}

func BenchmarkRecord(b *testing.B) {
	f, ids := build(b, blocked.Default), strategytest.IDs(7, 1<<14)
	history := f.Record(nil, ids[:500])
	at := 0
	for b.Loop() {
		history = f.Record(history, ids[at:at+10])
		at = (at + 10) % (len(ids) - 10)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10, "ns/article")
}
