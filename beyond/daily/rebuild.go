package daily

import (
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

// One returns the filter to compare a month of lanes with: one of the same
// payload, Days times the bits, with the hashes that suit so many articles best
// (bloom.BestHashes).
func (f *Filter) One(articles int) bloom.Geometry {
	return bloom.BestHashes(min(f.Days*f.Geometry.Bits, bloom.MaxBits), articles)
}

// Rebuild is what the lecture does every night instead of Expire: it builds one
// filter anew from the log, the IDs of every day that has not expired. It
// returns the filter's bytes, in the memory of the old one where that suffices.
// To fetch the log is the caller's, and not in what this costs.
func Rebuild(g bloom.Geometry, filter []byte, log [][]strategies.ID) []byte {
	one := bloom.Lanes{Geometry: g, Count: 1}
	filter = slices.Grow(filter[:0], one.Bytes())[:one.Bytes()]
	clear(filter)
	for _, day := range log {
		bloom.Insert(one, filter, 1, day)
	}
	return filter
}
