package library

import (
	"math/bits"

	"github.com/dgraph-io/ristretto/v2/z"

	"dejavu/bloom"
	"dejavu/strategies"
)

type ristrettoFilter z.Bloom

func (f *ristrettoFilter) its() *z.Bloom { return (*z.Bloom)(f) }

func (f *ristrettoFilter) Add(id strategies.ID)      { f.its().Add(uint64(id)) }
func (f *ristrettoFilter) Has(id strategies.ID) bool { return f.its().Has(uint64(id)) }
func (f *ristrettoFilter) AddKey(key []byte)         { f.Add(strategies.XXHash(key)) }
func (f *ristrettoFilter) HasKey(key []byte) bool    { return f.Has(strategies.XXHash(key)) }
func (f *ristrettoFilter) Empty() Filter             { return f.clear() }

func (f *ristrettoFilter) clear() *ristrettoFilter {
	f.its().Clear()
	return f
}

func newRistretto(g bloom.Geometry) *ristrettoFilter {
	return (*ristrettoFilter)(z.NewBloomFilter(float64(g.Bits), float64(g.Hashes)))
}

func ristretto() Library {
	return strategiesOf(bloomTheory(Library{
		Name: "ristretto", Module: module("github.com/dgraph-io/ristretto/v2"), Takes: "a 64-bit hash",
		Rounds: "bits up to a power of two, at least 512",
		Geometry: func(asked bloom.Geometry) bloom.Geometry {
			return bloom.Geometry{Bits: max(512, powerOfTwo(asked.Bits)), Hashes: asked.Hashes}
		},
		New: func(g bloom.Geometry) Filter { return newRistretto(g) },
	}), operations[*ristrettoFilter]{
		make: newRistretto,
		add: func(f *ristrettoFilter, ids []strategies.ID) {
			for _, id := range ids {
				f.Add(id)
			}
		},
		seen: func(filters []*ristrettoFilter, ids []strategies.ID, seen []bool) {
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
		empty: (*ristrettoFilter).clear,
	})
}

// powerOfTwo is the smallest that is at least n.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(n-1)) }
