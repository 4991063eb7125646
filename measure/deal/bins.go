package deal

import (
	"math/bits"
	"slices"

	"dejavu/store"
)

// AgeBins is how many bins of ages there are.
const AgeBins = 16 + 8*28

// AgeBin is the bin of an age, 1 and more: one for each age below 16, from there on eight for each doubling.
func AgeBin(age int) int {
	if age < 16 {
		return age
	}
	octave := bits.Len(uint(age)) - 1
	return min(16+8*(octave-4)+age>>(octave-3)&7, AgeBins-1)
}

// AgeOf is the least age of a bin.
func AgeOf(bin int) int {
	if bin < 16 {
		return bin
	}
	octave := (bin-16)/8 + 4
	return (8 + (bin-16)%8) << (octave - 3)
}

// AgeTo is the largest age of a bin, but for the last, which has no end.
func AgeTo(bin int) int { return AgeOf(bin+1) - 1 }

// WindowOf is the least window, as far as bins tell, with at least that share of so many repeats, whose ages
// are those of a histogram, and the share that it has. It is 0 where no window has so many.
func WindowOf(ages []int64, repeats int64, share float64) (window int, has float64) {
	sum := int64(0)
	for bin, n := range ages {
		if sum += n; n > 0 && float64(sum) >= share*float64(repeats) {
			return AgeTo(bin), float64(sum) / float64(repeats)
		}
	}
	return 0, float64(sum) / float64(max(repeats, 1))
}

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
)

// elapsed are the seconds from which on a repeat is of the next range, as rules of forgetting have it.
var elapsed = [ElapsedBins]int{0, minute, 10 * minute, hour, 6 * hour, day, 2 * day, 7 * day, 30 * day}

// ElapsedBins is how many ranges of elapsed time there are.
const ElapsedBins = 9

// ElapsedBin is the range of so many seconds, 0 and more.
func ElapsedBin(seconds int) int {
	at, exact := slices.BinarySearch(elapsed[:], seconds)
	if exact {
		return at
	}
	return at - 1
}

// ElapsedFrom is the least number of seconds of a range.
func ElapsedFrom(bin int) int { return elapsed[bin] }

// Since is the seconds from one time to the next, 0 where the clock went backwards.
func Since(from, to store.Timestamp) int { return max(0, int(to)-int(from)) }
