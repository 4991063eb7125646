package library

import (
	"math"

	cuckoofilter "github.com/seiflotfy/cuckoofilter"

	"dejavu/bloom"
	"dejavu/strategies"
)

// A cuckoo filter of this library is buckets of four fingerprints of a byte,
// and an article may lie in either of two.
const cuckooBucket = 4

type cuckooFilter cuckoofilter.Filter

func (f *cuckooFilter) its() *cuckoofilter.Filter { return (*cuckoofilter.Filter)(f) }

// Add ignores that an article finds no place, as there is no better answer at
// hand: another article's fingerprint is lost then.
func (f *cuckooFilter) Add(id strategies.ID) {
	key := eight(id)
	f.its().Insert(key[:])
}

func (f *cuckooFilter) Has(id strategies.ID) bool {
	key := eight(id)
	return f.its().Lookup(key[:])
}

func (f *cuckooFilter) AddKey(key []byte)      { f.its().Insert(key) }
func (f *cuckooFilter) HasKey(key []byte) bool { return f.its().Lookup(key) }
func (f *cuckooFilter) Empty() Filter          { return f.clear() }

func (f *cuckooFilter) clear() *cuckooFilter {
	f.its().Reset()
	return f
}

func newCuckoo(g bloom.Geometry) *cuckooFilter {
	return (*cuckooFilter)(cuckoofilter.NewFilter(uint((g.Bits + 7) / 8)))
}

// cuckooSlots is how many fingerprints the library makes room for.
func cuckooSlots(g bloom.Geometry) int { return max(cuckooBucket, powerOfTwo((g.Bits+7)/8)) }

func cuckoo() Library {
	l := Library{
		Name: "cuckoofilter", Module: module("github.com/seiflotfy/cuckoofilter"), Takes: "eight bytes, hashed by metro",
		Rounds:   "bytes up to a power of two; bytes are fingerprints, not bits to set",
		Geometry: func(bloom.Geometry) bloom.Geometry { return bloom.Geometry{} },
		Bits:     func(asked bloom.Geometry) int { return 8 * cuckooSlots(asked) },
		// Each of the fingerprints in the two buckets is the fresh article's with
		// chance 1/255 (Fan et al., "Cuckoo filter: practically better than
		// Bloom", 2014, §5.1), at the mean load.
		FPR: func(asked bloom.Geometry, n int) float64 {
			slots := cuckooSlots(asked)
			load := float64(min(n, slots)) / float64(slots)
			return -math.Expm1(2 * cuckooBucket * load * math.Log1p(-1./255))
		},
		New:    func(g bloom.Geometry) Filter { return newCuckoo(g) },
		Random: true,
	}
	return strategiesOf(l, operations[*cuckooFilter]{
		make: newCuckoo,
		add: func(f *cuckooFilter, ids []strategies.ID) {
			for _, id := range ids {
				f.Add(id)
			}
		},
		seen: func(filters []*cuckooFilter, ids []strategies.ID, seen []bool) {
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
		empty: (*cuckooFilter).clear,
	})
}
