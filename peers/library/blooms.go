package library

import (
	bits "github.com/bits-and-blooms/bloom/v3"

	"dejavu/bloom"
	"dejavu/strategies"
)

// bitsFilter is the library's filter itself, under a name that can have methods.
type bitsFilter bits.BloomFilter

func (f *bitsFilter) its() *bits.BloomFilter { return (*bits.BloomFilter)(f) }

func (f *bitsFilter) Add(id strategies.ID) {
	key := eight(id)
	f.its().Add(key[:])
}

func (f *bitsFilter) Has(id strategies.ID) bool {
	key := eight(id)
	return f.its().Test(key[:])
}

func (f *bitsFilter) AddKey(key []byte)      { f.its().Add(key) }
func (f *bitsFilter) HasKey(key []byte) bool { return f.its().Test(key) }
func (f *bitsFilter) Empty() Filter          { return f.clear() }

func (f *bitsFilter) clear() *bitsFilter { return (*bitsFilter)(f.its().ClearAll()) }

func newBits(g bloom.Geometry) *bitsFilter {
	return (*bitsFilter)(bits.New(uint(g.Bits), uint(g.Hashes)))
}

func bitsAndBlooms() Library {
	return bitsLibrary("bits-and-blooms", "eight bytes, hashed by murmur3", operations[*bitsFilter]{
		make: newBits,
		add: func(f *bitsFilter, ids []strategies.ID) {
			for _, id := range ids {
				f.Add(id)
			}
		},
		seen: func(filters []*bitsFilter, ids []strategies.ID, seen []bool) {
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
		empty: (*bitsFilter).clear,
	})
}

// hashedOnce hashes an article once for all links, as the library's Locations
// and TestLocations allow; Locations returns a new slice each time. There is
// nothing to gain for one filter.
func hashedOnce() Library {
	l := bitsLibrary("bits-and-blooms hashed once", "eight bytes, hashed by murmur3, once for all links", operations[*bitsFilter]{
		make: newBits,
		add: func(f *bitsFilter, ids []strategies.ID) {
			for _, id := range ids {
				f.Add(id)
			}
		},
		seen: func(filters []*bitsFilter, ids []strategies.ID, seen []bool) {
			for i, id := range ids {
				seen[i] = false
				key := eight(id)
				locations := bits.Locations(key[:], filters[0].its().K())
				for _, f := range filters {
					if f.its().TestLocations(locations) {
						seen[i] = true
						break
					}
				}
			}
		},
		empty: (*bitsFilter).clear,
	})
	l.Singles, l.Duals = nil, nil
	l.Like = "bits-and-blooms"
	return l
}

func bitsLibrary(name, takes string, ops operations[*bitsFilter]) Library {
	return strategiesOf(bloomTheory(Library{
		Name: name, Module: module("github.com/bits-and-blooms/bloom/v3"), Takes: takes,
		Geometry: kept,
		New:      func(g bloom.Geometry) Filter { return newBits(g) },
	}), ops)
}
