package main

import (
	"fmt"
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
	{bloom.Geometry{Bits: 812, Hashes: 6}, 100, 400},
	{bloom.Geometry{Bits: 4064, Hashes: 6}, 500, 1000},
}

// hashesCost is the time of a filter in units of progress.
const hashesCost = 12

// hashesFilters is how many filters of each shape a scheme fills: one for two
// hundred users, at least 1000.
func hashesFilters(users int) int { return max(1000, users/200) }

// A hashesResult is every scheme at every shape, and the time of the digests.
type hashesResult struct {
	Rates [][]measure.Rate // by scheme, by shape
	Nanos []float64        // to derive the probes of an article, by scheme

	MD5, XXHash float64 // nanoseconds to digest a key
}

func (s *suite) hashes() (hashesResult, error) {
	return measured(s, hashesName, func() (r hashesResult, err error) {
		filters := hashesFilters(s.users)
		s.progress.expect(filters * len(schemes.All) * len(hashesShapes))
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
			r.Nanos = append(r.Nanos, schemeNanos(scheme))
		}
		r.MD5 = digestNanos(strategies.MD5)
		r.XXHash = digestNanos(strategies.XXHash)
		return r, s.ctx.Err()
	})
}

// hashes is the bias of probe schemes, and the time of schemes and digests.
func hashes(s *suite) (rows, timing []results.Row, err error) {
	h, err := s.hashes()
	if err != nil {
		return nil, nil, err
	}
	for i, scheme := range schemes.All {
		for j, shape := range hashesShapes {
			exact := bloom.Exact(shape.items, shape.geometry)
			r := rate(results.Hashes, scheme.Name, results.QFPR, h.Rates[i][j])
			r.X, r.Theory = results.Num(float64(shape.geometry.Bits)), results.Num(exact)
			excess := r
			excess.Quantity, excess.Theory = results.QExcess, results.Num(0)
			excess.Value = results.Num(r.Value.Or(0)/exact - 1)
			excess.Low = results.Num(r.Low.Or(0)/exact - 1)
			excess.High = results.Num(r.High.Or(0)/exact - 1)
			rows = append(rows, r, excess)
		}
		timing = append(timing, number(results.Hashes, scheme.Name, results.QNanosPerItem, results.Nanoseconds, h.Nanos[i]))
	}
	for _, d := range []struct {
		name  string
		nanos float64
	}{{"md5", h.MD5}, {"xxhash", h.XXHash}} {
		timing = append(timing, number(results.Hashes, d.name, results.QNanosPerKey, results.Nanoseconds, d.nanos))
	}
	return rows, timing, nil
}

// quickest is the time of one call of work, in nanoseconds: the best of a few
// turns, which is the one that nothing disturbed.
func quickest(calls int, work func()) float64 {
	best := time.Duration(1 << 62)
	for range 7 {
		begin := time.Now()
		for range calls {
			work()
		}
		best = min(best, time.Since(begin))
	}
	return float64(best) / float64(calls)
}

func schemeNanos(scheme schemes.Scheme) float64 {
	g := hashesShapes[1].geometry
	dst, id := make([]int, 0, g.Hashes), uint64(0)
	return quickest(100_000, func() {
		id += 0x9e3779b97f4a7c15
		dst = scheme.Positions(dst[:0], g, id)
	})
}

func digestNanos(digest func(key []byte) strategies.ID) float64 {
	key := fmt.Appendf(nil, "https://news.example/2016/04/11/%032d", 42)
	return quickest(50_000, func() {
		key[len(key)-1]++ // another key each time
		digest(key)
	})
}
