package daily

import (
	"math/bits"

	"dejavu/bloom"
)

// Bytes is the one lane of articles that are all of one day, and the header.
func (f *Filter) Bytes(read int) int {
	if read == 0 {
		return 0
	}
	return f.sizes[0]
}

// FPR is that of articles which are all of one day (bloom.Exact).
func (f *Filter) FPR(read int) float64 { return bloom.Exact(read, f.Geometry) }

// Window is everything: without a day nothing expires.
func (f *Filter) Window(read int) int { return read }

// Classical is FPR by the textbook approximation (bloom.Classical).
func (f *Filter) Classical(read int) float64 { return bloom.Classical(read, f.Geometry) }

// BytesDays is the length of a history of so many lanes, 0 to Days, the header
// included: one for each of the most days, of any Days in a row, on which the
// reader was shown anything.
func (f *Filter) BytesDays(lanes int) int {
	if lanes == 0 {
		return 0
	}
	return f.sizes[lanes-1]
}

// FPRDays is the chance that a fresh article is taken for a seen one where the
// days that have not expired hold counts distinct articles, in any order. A
// repeat counts on each of its days. It is exact (bloom.ExactShared), and just
// below 1 - Π(1 - e(count)), with bloom.Exact for e: all days share an
// article's positions.
func (f *Filter) FPRDays(counts []int) float64 { return bloom.ExactShared(f.Geometry, counts...) }

// Fill counts the ones in the lanes of the history's days, and their bits.
func (f *Filter) Fill(history []byte) (ones, of int) {
	if len(history) == 0 {
		return 0, f.Geometry.Bits
	}
	s := load(history)
	days := bits.OnesCount32(s.days)
	return f.lanes(s.lanes).Ones(history, s.newest(days)), days * f.Geometry.Bits
}

// FillTheory is the share of ones expected of articles which are all of one day
// (bloom.Fill).
func (f *Filter) FillTheory(read int) float64 { return bloom.Fill(read, f.Geometry) }
