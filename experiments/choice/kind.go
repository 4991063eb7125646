package choice

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/results"
)

// A kind is a strategy whose parameters are still open: an entry of the catalogue
// that can be sized.
type kind struct {
	catalogue.Entry
	name string

	// endless is for a strategy that never forgets: it is made for the articles up
	// to which it is to hold its rate, not for a window.
	endless bool
}

// kinds are the strategies that can be sized, or only those of the paper. Of several
// sizes of one strategy it is the last, which is the smallest.
func kinds(paper bool) (all []kind) {
	for _, e := range catalogue.All() {
		k := kind{Entry: e, name: cmp.Or(e.SizeOf, e.Name)}
		if e.Sized == nil || paper && strings.HasPrefix(k.name, results.Beyond) {
			continue
		}
		// Whatever number of articles it is made for.
		if s, err := e.Sized(1, 0.1); err == nil {
			k.endless = catalogue.Endless(s)
		}
		if i := slices.IndexFunc(all, func(other kind) bool { return other.name == k.name }); i >= 0 {
			all[i] = k
		} else {
			all = append(all, k)
		}
	}
	return all
}

// cycle is the articles shown when a cycle begins and when it ends, long after the
// first: the window is smallest at the one, the rate highest at the other.
func cycle(s catalogue.Strategy, window int) (first, last int) {
	// The window falls where a cycle begins. A queue's never does.
	begins := func(from int) int {
		for read := from; read <= from+2*window+1; read++ {
			if s.Window(read) < s.Window(read-1) {
				return read
			}
		}
		return 0
	}
	first = 4*window + 1<<9 // by which every ring has rotated, whatever it is made of
	if begin := begins(first); begin > 0 {
		return begin, begins(begin+1) - 1
	}
	return first, first
}

// fits reports whether the memory holds the longest history of a kind made for so many
// articles.
func (k kind) fits(n Need, articles int, fpr float64) bool {
	s, err := k.Sized(articles, fpr)
	if err != nil {
		return false
	}
	longest := articles
	if !k.endless {
		_, longest = cycle(s, articles)
	}
	return s.Bytes(longest) <= n.budget()
}

// lowest is the lowest rate that a kind has in the memory, with the reach asked
// for; 0 where it has none. It is above the one asked for, which does not fit.
func lowest(k kind, n Need) float64 {
	low, high := math.Log(n.FPR), math.Log(0.999)
	if low >= high || !k.fits(n, n.reach(k), math.Exp(high)) {
		return 0
	}
	for high-low > 1e-4 {
		if middle := (low + high) / 2; k.fits(n, n.reach(k), math.Exp(middle)) {
			high = middle
		} else {
			low = middle
		}
	}
	if rate := roundUp(math.Exp(high)); rate < 1 {
		return rate
	}
	return 0
}

// longest is the longest reach that a kind has in the memory, with the rate asked
// for; 0 where it has none. It is below the one asked for, which does not fit.
func longest(k kind, n Need) int {
	return sort.Search(n.reach(k)-1, func(i int) bool { return !k.fits(n, i+1, n.FPR) })
}
