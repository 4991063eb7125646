package schemes

import "dejavu/bloom"

// Measure fills the filters numbered from to to-1 with items random articles each, asks each for queries
// fresh ones, and returns how many were reported as seen, and the sum of each filter's number squared, from
// which the standard error follows: the queries of one filter share its luck. A filter's articles are a
// function of seed and its number alone, so that ranges add up on any machine, and every scheme meets the
// same articles. It returns an error where g is out of range.
func Measure(
	s Scheme, g bloom.Geometry, items, queries, from, to int, seed uint64,
) (hits, hitsSquared int64, err error) {
	if err := g.Validate(); err != nil {
		return 0, 0, err
	}
	filter, probes := make([]uint64, (g.Bits+63)/64), make([]int, 0, g.Hashes)
	holds := func(id uint64) bool {
		for _, p := range s.Positions(probes, g, id) {
			if filter[p>>6]>>(p&63)&1 == 0 {
				return false
			}
		}
		return true
	}
	for number := from; number < to; number++ {
		id := second(second(seed) + uint64(number)*golden)
		clear(filter)
		for range items {
			id += golden
			for _, p := range s.Positions(probes, g, second(id)) {
				filter[p>>6] |= 1 << (p & 63)
			}
		}
		var held int64
		for range queries {
			id += golden
			if holds(second(id)) {
				held++
			}
		}
		hits += held
		hitsSquared += held * held
	}
	return hits, hitsSquared, nil
}

// golden is 2^64 over the golden ratio, the step of SplitMix64.
const golden = 0x9e3779b97f4a7c15
