package daily

import (
	"math/bits"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Bytes is the one lane of articles that are all of one day, and the header.
func (f *Filter) Bytes(read int) int { return f.SizeAt(read, 0) }

// BytesDays is the length of a history of so many lanes, 0 to Days, the header included: one for each of the
// most days, of any Days in a row, on which the user was shown anything.
func (f *Filter) BytesDays(lanes int) int { return f.SizeAt(lanes, lanes-1) }

// FPRDays is the chance that an unseen article is reported as a seen one where the days that have not expired
// hold counts distinct articles, in any order. A repeat counts on each of its days. It is exact
// (bloom.ExactShared), and just below 1 - Π(1 - e(count)), with bloom.Exact for e: all days share an
// article's positions.
func (f *Filter) FPRDays(counts []int) float64 { return bloom.ExactShared(f.Geometry, counts...) }

// Fill counts the set bits in the lanes of the history's days, and their bits.
func (f *Filter) Fill(history []byte) (ones, of int) {
	if len(history) == 0 {
		return 0, f.Geometry.Bits
	}
	s := f.load(history)
	newest := s.newest(s.days)
	return f.lanes.First(s.lanes).Ones(history, newest), bits.OnesCount64(newest) * f.Geometry.Bits
}

// One returns the filter to compare a month of lanes with: one of the same payload, Days times the bits, with
// the hashes that suit so many articles best (bloom.BestHashes).
func (f *Filter) One(articles int) bloom.Geometry {
	return bloom.BestHashes(min(f.Days*f.Geometry.Bits, bloom.MaxBits), articles)
}

// Rebuild is what the lecture does every night instead of Expire: it builds one filter, of package single,
// anew from the log, the IDs of every day that has not expired, in the memory of the old one where that
// suffices. To fetch the log is the caller's, and not in what this costs.
func Rebuild(one strategies.Strategy, filter []byte, log [][]strategies.ID) []byte {
	filter = filter[:0]
	for _, day := range log {
		filter = one.Record(filter, day)
	}
	return filter
}
