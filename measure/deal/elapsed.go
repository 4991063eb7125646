package deal

import (
	"slices"

	"dejavu/store"
)

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
