package library

import (
	"math"

	"github.com/FastFilter/xorfilter"
	cuckoofilter "github.com/seiflotfy/cuckoofilter"

	"dejavu/bloom"
	"dejavu/strategies"
)

// A cuckoo filter of this library is buckets of four fingerprints of a byte,
// and an article may lie in either of two.
const cuckooBucket = 4

func cuckoo() Library {
	a := &adapter[*cuckoofilter.Filter]{
		make: func(g bloom.Geometry) *cuckoofilter.Filter { return cuckoofilter.NewFilter(uint((g.Bits + 7) / 8)) },
		add:  func(f *cuckoofilter.Filter, ids []strategies.ID) { addEach(f, ids, cuckooAdd) },
		seen: func(filters []*cuckoofilter.Filter, ids []strategies.ID, seen []bool) {
			inAny(filters, ids, seen, cuckooHas)
		},
		empty: func(f *cuckoofilter.Filter) *cuckoofilter.Filter {
			f.Reset()
			return f
		},
		addKey: func(f *cuckoofilter.Filter, key []byte) { f.Insert(key) },
		hasKey: (*cuckoofilter.Filter).Lookup,
	}
	// How many fingerprints the library makes room for.
	slots := func(g bloom.Geometry) int { return max(cuckooBucket, powerOfTwo((g.Bits+7)/8)) }
	return a.build(Library{
		Name: "cuckoofilter", Module: module("github.com/seiflotfy/cuckoofilter"), Takes: "eight bytes, hashed by metro",
		Rounds: "bytes up to a power of two; bytes are fingerprints, not bits to set",
		Random: true,
		round:  func(asked bloom.Geometry) bloom.Geometry { return bloom.Geometry{Bits: 8 * slots(asked)} },
		// Each of the fingerprints in the two buckets is the unseen article's with
		// chance 1/255 (Fan et al., "Cuckoo filter: practically better than
		// Bloom", 2014, §5.1), at the mean load.
		fpr: func(asked bloom.Geometry, n int) float64 {
			slots := slots(asked)
			load := float64(min(n, slots)) / float64(slots)
			return -math.Expm1(2 * cuckooBucket * load * math.Log1p(-1./255))
		},
	})
}

// cuckooAdd ignores that an article finds no place, as there is no better answer at
// hand: another article's fingerprint is lost then.
func cuckooAdd(f *cuckoofilter.Filter, id strategies.ID) {
	key := eight(id)
	f.Insert(key[:])
}

func cuckooHas(f *cuckoofilter.Filter, id strategies.ID) bool {
	key := eight(id)
	return f.Lookup(key[:])
}

func fuse() Library {
	return Library{
		Name: "binary fuse", Module: module("github.com/FastFilter/xorfilter"),
		Takes:   "a 64-bit number, which it hashes",
		Rounds:  "no bits to choose; static: 8-bit fingerprints, built of all articles at once",
		Singles: func(users int) Users { return make(fuses, users) },
		Static:  true,
		round: func(bloom.Geometry) bloom.Geometry {
			ids := make([]strategies.ID, capacity)
			for i := range ids {
				ids[i] = strategies.ID(i)
			}
			return bloom.Geometry{Bits: 8 * len(newFuse(ids).Fingerprints)}
		},
		fpr: func(bloom.Geometry, int) float64 { return 1. / 256 },
	}
}

// fuses are one binary fuse filter of 8-bit fingerprints per user, built of
// all the articles at once: it answers, and cannot be added to.
type fuses []*xorfilter.BinaryFuse[uint8]

func (f fuses) Seen(user int, candidates []strategies.ID, seen []bool) {
	filter := f[user]
	if filter == nil {
		clear(seen)
		return
	}
	for i, id := range candidates {
		seen[i] = filter.Contains(uint64(id))
	}
}

// Record builds the filter anew; what it held is gone.
func (f fuses) Record(user int, shown []strategies.ID) {
	if len(shown) > 0 {
		f[user] = newFuse(shown)
	}
}

// newFuse fails only for no articles, or after a hundred seeds that fail.
func newFuse(ids []strategies.ID) *xorfilter.BinaryFuse[uint8] {
	keys := make([]uint64, len(ids)) // the library may reorder them
	for i, id := range ids {
		keys[i] = uint64(id)
	}
	return must(xorfilter.NewBinaryFuse[uint8](keys))
}
