package main

import (
	"fmt"
	"slices"
	"time"

	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies"
)

// The filters of the comparison: the paper's two, each asked for as many fresh
// articles as it holds, or a few hundred.
var hashesShapes = []struct {
	geometry       bloom.Geometry
	items, queries int
}{
	{bloom.Geometry{Bits: 812, Hashes: 6}, 100, 300},
	{bloom.Geometry{Bits: 4064, Hashes: 6}, 500, 700},
}

// hashesCost is the time of a filter in units of progress.
const hashesCost = 12

// hashesFilters is how many filters of each shape a scheme fills: one for 1000
// users, at least 1000.
func hashesFilters(users int) int { return max(1000, users/1000) }

// A hashesResult is every scheme at every shape, and the time of the digests.
type hashesResult struct {
	Rates [][]measure.Rate // by scheme, by shape
	Nanos []float64        // to derive the probes of an article, by scheme

	DigestRates [][]measure.Rate // by digest, by shape
	DigestNanos []float64        // to digest a key
}

func (r hashesResult) plus(next hashesResult) hashesResult {
	add := func(rates, more [][]measure.Rate) {
		for i := range rates {
			for j := range rates[i] {
				rates[i][j] = rates[i][j].Plus(more[i][j])
			}
		}
	}
	add(r.Rates, next.Rates)
	add(r.DigestRates, next.DigestRates)
	return r
}

// digests are the ways to make an ID of a key.
var digests = []struct {
	name   string
	digest func(key []byte) strategies.ID
}{
	{"md5", strategies.MD5},
	{"xxhash", strategies.XXHash},
}

// digestFilters is how many filters hold digests of URLs: an MD5 is slow.
func digestFilters(users int) int { return max(1000, hashesFilters(users)/2) }

func (s *suite) hashes() (hashesResult, error) {
	return measured(s, hashesName, func() (r hashesResult, err error) {
		filters, fewer := s.share(hashesFilters(s.users)), s.share(digestFilters(s.users))
		s.progress.expect(filters.Len() * len(schemes.All) * len(hashesShapes))
		for _, scheme := range schemes.All {
			var rates []measure.Rate
			for i, shape := range hashesShapes {
				rate, err := measure.Scheme(s.ctx, s.options, scheme, shape.geometry, shape.items, shape.queries,
					filters, s.seed+uint64(i))
				if err != nil {
					return r, err
				}
				rates = append(rates, rate)
			}
			r.Rates = append(r.Rates, rates)
			if s.timed() {
				r.Nanos = append(r.Nanos, schemeNanos(scheme))
			}
		}
		for _, d := range digests {
			var rates []measure.Rate
			for _, shape := range hashesShapes {
				rate, err := measure.Digest(s.ctx, s.options, d.digest, shape.geometry, shape.items, shape.queries,
					fewer)
				if err != nil {
					return r, err
				}
				rates = append(rates, rate)
			}
			r.DigestRates = append(r.DigestRates, rates)
			if s.timed() {
				r.DigestNanos = append(r.DigestNanos, digestNanos(d.digest))
			}
		}
		return r, s.ctx.Err()
	})
}

// urlsBy names the suite's own probes on digests of URLs.
func urlsBy(digest string) string { return "multiply-shift, URLs by " + digest }

// hashes is the bias of probe schemes, and the time of schemes and digests.
func hashes(s *suite) (rows, timing []results.Row, err error) {
	h, err := s.hashes()
	if err != nil {
		return nil, nil, err
	}
	excess := func(name string, rates []measure.Rate) {
		for j, shape := range hashesShapes {
			exact := bloom.Exact(shape.items, shape.geometry)
			r := rate(results.Hashes, name, results.QFPR, rates[j])
			r.X, r.Theory = results.Num(float64(shape.geometry.Bits)), results.Num(exact)
			over := r
			over.Quantity, over.Theory = results.QExcess, results.Num(0)
			over.Value = results.Num(r.Value.Or(0)/exact - 1)
			over.Low = results.Num(r.Low.Or(0)/exact - 1)
			over.High = results.Num(r.High.Or(0)/exact - 1)
			rows = append(rows, r, over)
		}
	}
	for i, scheme := range schemes.All {
		excess(scheme.Name, h.Rates[i])
		timing = append(timing, number(results.Hashes, scheme.Name, results.QNanosPerItem, results.Nanoseconds, h.Nanos[i]))
	}
	for i, d := range digests {
		excess(urlsBy(d.name), h.DigestRates[i])
		timing = append(timing, number(results.Hashes, d.name, results.QNanosPerKey, results.Nanoseconds, h.DigestNanos[i]))
	}
	return rows, timing, nil
}

// typical is the time of one call of work, in nanoseconds: the median of a few
// turns.
func typical(calls int, work func()) float64 {
	var turns []time.Duration
	for range 7 {
		begin := time.Now()
		for range calls {
			work()
		}
		turns = append(turns, time.Since(begin))
	}
	slices.Sort(turns)
	return float64(turns[len(turns)/2]) / float64(calls)
}

func schemeNanos(scheme schemes.Scheme) float64 {
	g := hashesShapes[1].geometry
	dst, id := make([]int, 0, g.Hashes), uint64(0)
	return typical(100_000, func() {
		id += 0x9e3779b97f4a7c15
		dst = scheme.Positions(dst[:0], g, id)
	})
}

func digestNanos(digest func(key []byte) strategies.ID) float64 {
	key := fmt.Appendf(nil, "https://news.example/2016/04/11/%032d", 42)
	return typical(50_000, func() {
		key[len(key)-1]++ // another key each time
		digest(key)
	})
}
