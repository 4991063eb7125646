package schemes

import "dejavu/bloom"

// A Filter is a Bloom filter whose probes a scheme derives: plain bits, no
// lanes. One goroutine uses it at a time.
type Filter struct {
	positions func(dst []int, g bloom.Geometry, id uint64) []int
	geometry  bloom.Geometry
	words     []uint64
	probes    []int // of the last ID; room for Hashes
}

// NewFilter returns an empty filter, or an error that names the field of g that is out of range.
func NewFilter(s Scheme, g bloom.Geometry) (*Filter, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	return &Filter{
		positions: s.Positions,
		geometry:  g,
		words:     make([]uint64, (g.Bits+63)/64),
		probes:    make([]int, 0, g.Hashes),
	}, nil
}

// Insert adds an article.
func (f *Filter) Insert(id uint64) {
	for _, p := range f.positions(f.probes, f.geometry, id) {
		f.words[p>>6] |= 1 << (p & 63)
	}
}

// Holds reports whether every bit of the article is set: true for every one
// inserted, and now and then for another.
func (f *Filter) Holds(id uint64) bool {
	for _, p := range f.positions(f.probes, f.geometry, id) {
		if f.words[p>>6]>>(p&63)&1 == 0 {
			return false
		}
	}
	return true
}

// Measure fills the filters numbered from to to-1 with items random articles each, asks each for queries
// fresh ones, and returns how many were reported as seen, and the sum over the filters of each one's number
// squared, from which the standard error follows: the queries of one filter share its luck, so that filters
// and not queries are the independent observations.
//
// A filter's articles are a function of seed and its number alone. So ranges add up on any machine, and every
// scheme meets the same articles. It returns an error where g is out of range.
func Measure(
	s Scheme, g bloom.Geometry, items, queries, from, to int, seed uint64,
) (hits, hitsSquared int64, err error) {
	f, err := NewFilter(s, g)
	if err != nil {
		return 0, 0, err
	}
	for number := from; number < to; number++ {
		id := second(second(seed) + uint64(number)*golden)
		clear(f.words)
		for range items {
			id += golden
			f.Insert(second(id))
		}
		var held int64
		for range queries {
			id += golden
			if f.Holds(second(id)) {
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
