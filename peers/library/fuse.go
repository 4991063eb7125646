package library

import (
	"fmt"

	"github.com/FastFilter/xorfilter"

	"dejavu/bloom"
	"dejavu/strategies"
)

// fuses are one binary fuse filter of 8-bit fingerprints per reader, built of
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
	if len(shown) == 0 {
		return
	}
	keys := make([]uint64, len(shown)) // the library may reorder them
	for i, id := range shown {
		keys[i] = uint64(id)
	}
	f[user] = BuildFuse(keys)
}

func (f fuses) Forget(user int) { f[user] = nil }

// BuildFuse returns a binary fuse filter of the keys, which it may reorder.
func BuildFuse(keys []uint64) *xorfilter.BinaryFuse[uint8] {
	filter, err := xorfilter.NewBinaryFuse[uint8](keys)
	if err != nil { // only for no keys, or after a hundred seeds that fail
		panic(fmt.Sprintf("library: xorfilter: %v", err))
	}
	return filter
}

func fuse() Library {
	return Library{
		Name: "binary fuse", Module: module("github.com/FastFilter/xorfilter"), Takes: "a 64-bit number, which it hashes",
		Rounds:   "no bits to choose; static: 8-bit fingerprints, built of all articles at once",
		Geometry: func(bloom.Geometry) bloom.Geometry { return bloom.Geometry{} },
		Bits: func(asked bloom.Geometry) int {
			keys := make([]uint64, capacity)
			for i := range keys {
				keys[i] = uint64(i)
			}
			return 8 * len(BuildFuse(keys).Fingerprints)
		},
		FPR:     func(bloom.Geometry, int) float64 { return 1. / 256 },
		Singles: func(users int) Users { return make(fuses, users) },
		Static:  true,
	}
}
