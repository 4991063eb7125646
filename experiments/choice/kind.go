package choice

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/sized"
	"dejavu/results"
)

// A kind is a strategy whose parameters are still open: an entry of the catalogue that can be sized.
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
	for _, e := range sized.Entries(catalogue.All()) {
		k := kind{Entry: e, name: cmp.Or(e.SizeOf, e.Name)}
		if paper && strings.HasPrefix(k.name, results.Beyond) {
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

// span is the articles shown over which a strategy of the kind, made for so many, is
// looked at: all that it is made for, where it never forgets; or else a cycle, long after
// the first. The window is smallest where it begins, the rate highest where it ends.
func (k kind) span(s catalogue.Strategy, articles int) (first, last int) {
	if k.endless {
		return 1, articles
	}
	// The window falls where a cycle begins. A queue's never does.
	begins := func(from int) int {
		for read := from; read <= from+2*articles+1; read++ {
			if s.Window(read) < s.Window(read-1) {
				return read
			}
		}
		return 0
	}
	first = 4*articles + 1<<9 // by which every ring has rotated, whatever it is made of
	if begin := begins(first); begin > 0 {
		return begin, begins(begin+1) - 1
	}
	return first, first
}

// fits reports whether the memory holds the longest history of a kind made for so many articles.
func (k kind) fits(n Need, articles int, fpr float64) bool {
	s, err := k.Sized(articles, fpr)
	if err != nil {
		return false
	}
	_, last := k.span(s, articles)
	return s.Bytes(last) <= n.budget()
}

// lowest is the lowest rate that a kind has in the memory, with the reach asked
// for; 0 where it has none. It is above the one asked for, which does not fit.
func (k kind) lowest(n Need) float64 {
	rate := roundUp(sized.LowestFPR(n.FPR, 1e-4, func(fpr float64) bool { return k.fits(n, n.reach(k), fpr) }))
	if rate < 1 {
		return rate
	}
	return 0
}

// longest is the longest reach that a kind has in the memory, with the rate asked
// for; 0 where it has none. It is below the one asked for, which does not fit.
func (k kind) longest(n Need) int {
	return sort.Search(n.reach(k)-1, func(i int) bool { return !k.fits(n, i+1, n.FPR) })
}

// roundUp leaves three digits of a number that is not negative, rounded up: so much is enough.
func roundUp(v float64) float64 {
	if up := digits(v, 3); up >= v {
		return up
	}
	half := math.Pow(10, math.Floor(math.Log10(v))-2) / 2 // of the third digit
	return digits(v+half, 3)
}
