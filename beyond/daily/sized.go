package daily

import (
	"fmt"
	"math"
	"sort"

	"dejavu/bloom"
)

// Sized returns thirty days for window articles at an even pace, of
// ⌈(window-1)/29⌉ a day: just after midnight, when there are 29 whole days and one
// article, the newest window articles are remembered, and just before it, when
// all thirty are full, a fresh article is taken for seen with a probability of
// at most fpr (see SizedDays). Whoever reads more a day is promised as many
// articles at a higher rate, whoever reads less fewer at a lower one: it is
// days that this strategy guarantees. A history without days, all on one, meets
// neither.
func Sized(window int, fpr float64) (Config, error) {
	const days = 30
	if window < 1 {
		return Config{}, fmt.Errorf("daily: window is %d, want 1 or more", window)
	}
	return SizedDays(days, max(1, (window-1+days-2)/(days-1)), fpr)
}

// SizedDays returns the smallest filters for perDay articles on each of so many
// days, 2 to MaxDays, that together take a fresh article for seen with a
// probability of at most fpr, in (0, 1), when all are full (FPRDays). It
// returns an error where an argument is out of range or no geometry meets fpr.
func SizedDays(days, perDay int, fpr float64) (Config, error) {
	if days < 2 || days > MaxDays {
		return Config{}, fmt.Errorf("daily: days is %d, want 2 to %d", days, MaxDays)
	}
	if perDay < 1 {
		return Config{}, fmt.Errorf("daily: perDay is %d, want 1 or more", perDay)
	}
	if !(fpr > 0 && fpr < 1) {
		return Config{}, fmt.Errorf("daily: fpr is %v, want it between 0 and 1, both excluded", fpr)
	}
	each := -math.Expm1(math.Log1p(-fpr) / float64(days))
	best, err := bloom.BestGeometry(perDay, each)
	if err != nil {
		return Config{}, fmt.Errorf("daily: a day of %d articles at %v: %w", perDay, each, err)
	}
	best.Bits = max(best.Bits, bloom.MinLaneBits)
	// That takes the days for independent. As they share positions, a little
	// less may do.
	counts := make([]int, days)
	for i := range counts {
		counts[i] = perDay
	}
	for likely, hashes := best.Hashes, best.Hashes-1; hashes <= likely+1; hashes++ {
		meets := func(bits int) bool {
			return bloom.ExactShared(bloom.Geometry{Bits: bits, Hashes: hashes}, counts...) <= fpr
		}
		most := best.Bits
		if hashes > best.Hashes {
			most-- // a draw goes to fewer hashes
		}
		if hashes < 1 || hashes > bloom.MaxHashes || most < bloom.MinLaneBits || !meets(most) {
			continue
		}
		best.Bits = bloom.MinLaneBits + sort.Search(most-bloom.MinLaneBits, func(i int) bool { return meets(bloom.MinLaneBits + i) })
		best.Hashes = hashes
	}
	return Config{Days: days, Geometry: best}, nil
}
