package bloom

import (
	"math"
	"sort"
)

// Least returns the least number of low to limit that meets a target, or limit+1 where none does: the size of
// a filter that has as many hashes as it has. It relies on all numbers above one that meets the target
// meeting it too.
//
// Possible is a cheap bound that rules out numbers: true for all that meet the target, and from some number
// on. With a close one, meets is asked a few times only. It is nil where there is none.
func Least(low, limit int, possible, meets func(int) bool) int {
	least := func(from, to int, met func(int) bool) int { // to is known to do
		return from + sort.Search(to-from, func(i int) bool { return met(from + i) })
	}
	if possible == nil {
		possible = meets
	}
	if limit < low || !possible(limit) {
		return limit + 1
	}
	low = least(low, limit, possible)
	high := low
	for step := 1; !meets(high); step *= 2 { // the bound is a bit off: up from there
		if low = high + 1; low > limit {
			return low
		}
		high = min(high+step, limit)
	}
	return least(low, high, meets)
}

// Fewest returns the smallest size, up to limit, that any number of hashes up to MaxHashes does with at a
// false-positive rate, and of those that do with as small a one the fewest hashes, because every probe costs
// time; limit+1 and 0 where none does. Least is the least size, up to a limit, for a number of hashes, or one
// above the limit.
func Fewest(limit int, fpr float64, least func(hashes, limit int) int) (size, hashes int) {
	// The asymptotic optimum is nearly always the best. As it goes first, all others
	// are but a look at the limit.
	numbers := []int{optimum(-math.Log2(fpr))}
	for k := 1; k <= MaxHashes; k++ {
		if k != numbers[0] {
			numbers = append(numbers, k)
		}
	}
	size = limit + 1
	for _, k := range numbers {
		most := size
		if size > limit || k > hashes {
			most-- // a draw goes to fewer hashes
		}
		if found := least(k, most); found <= most {
			size, hashes = found, k
		}
	}
	return size, hashes
}

// optimum is the nearest number of hashes.
func optimum(hashes float64) int { return int(min(max(math.Round(hashes), 1), MaxHashes)) }
