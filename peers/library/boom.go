package library

import (
	"math"

	boom "github.com/tylertreat/BoomFilters"

	"dejavu/bloom"
	"dejavu/strategies"
)

type boomFilter boom.BloomFilter

func (f *boomFilter) its() *boom.BloomFilter { return (*boom.BloomFilter)(f) }

func (f *boomFilter) Add(id strategies.ID) {
	key := eight(id)
	f.its().Add(key[:])
}

func (f *boomFilter) Has(id strategies.ID) bool {
	key := eight(id)
	return f.its().Test(key[:])
}

func (f *boomFilter) AddKey(key []byte)      { f.its().Add(key) }
func (f *boomFilter) HasKey(key []byte) bool { return f.its().Test(key) }
func (f *boomFilter) Empty() Filter          { return f.clear() }

func (f *boomFilter) clear() *boomFilter { return (*boomFilter)(f.its().Reset()) }

// newBoom finds the number of articles and the rate for which the library
// chooses the geometry asked for: it takes ⌈log2 1/p⌉ hashes, and
// ⌈n·|ln p|/(ln 2)²⌉ bits.
func newBoom(g bloom.Geometry) *boomFilter {
	n := math.Round(float64(g.Bits) * math.Ln2 / (float64(g.Hashes) - 0.5))
	p := math.Exp(-(float64(g.Bits) - 0.5) * math.Ln2 * math.Ln2 / n)
	return (*boomFilter)(boom.NewBloomFilter(uint(n), p))
}

func boomFilters() Library {
	return strategiesOf(bloomTheory(Library{
		Name: "BoomFilters", Module: module("github.com/tylertreat/BoomFilters"), Takes: "eight bytes, hashed by FNV-1",
		Geometry: func(asked bloom.Geometry) bloom.Geometry {
			f := newBoom(asked).its()
			return bloom.Geometry{Bits: int(f.Capacity()), Hashes: int(f.K())}
		},
		New: func(g bloom.Geometry) Filter { return newBoom(g) },
	}), operations[*boomFilter]{
		make: newBoom,
		add: func(f *boomFilter, ids []strategies.ID) {
			for _, id := range ids {
				f.Add(id)
			}
		},
		seen: func(filters []*boomFilter, ids []strategies.ID, seen []bool) {
			for i, id := range ids {
				seen[i] = false
				for _, f := range filters {
					if f.Has(id) {
						seen[i] = true
						break
					}
				}
			}
		},
		empty: (*boomFilter).clear,
	})
}
