// Package catalogue lists the strategies: the paper's, other readings and sizes of
// them, and what it did not try. The program measures them all, and whoever takes
// a strategy by its name finds it here.
//
// An entry is a name, how the strategy is made, and which measurements it takes
// part in. One line adds a strategy: to papers in papers.go, or to beyond in
// beyond.go. Names are in result files, and stay.
//
// Nothing is made before it is asked for. A strategy is made anew by each call,
// which costs microseconds for most, and some milliseconds where the smallest
// size that keeps a promise has to be searched.
package catalogue

import (
	"fmt"
	"slices"
	"strings"

	"dejavu/results"
	"dejavu/strategies"
)

// A Strategy comes with its theory: what every package of a strategy provides.
type Strategy interface {
	strategies.Strategy
	strategies.Theory
}

// An Entry is a strategy as the experiments know it.
type Entry struct {
	Name  string // in result files, in lower case; what the paper did not try begins with results.Beyond
	About string // in a line

	// Make constructs it with the parameters that are measured.
	Make func() (Strategy, error)

	// Share, at least 1: one user in so many lives with it. 1 for the paper's four.
	// The readings and sizes beside them are variants, and live with fewer.
	Share int

	// Churn is that one user in so many comes back to it for days of coming and
	// going; 0 where nobody asks. Histories of many lengths are the ones that
	// change places.
	Churn int

	// Lives is the experiment that it lives in, where that is not the full
	// population: a structure that forgets by the calendar, or is made for readers
	// of a kind.
	Lives string

	// Sized makes it for a window, in articles, that it certainly keeps, and a
	// false positive rate, above 0 and below 1, that it has at worst; Config is the
	// configuration that does so, of its package's type. An error says what the
	// structure cannot promise. Both are nil where it promises nothing of the kind.
	Sized  func(window int, fpr float64) (Strategy, error)
	Config func(window int, fpr float64) (any, error)

	// Longer is what becomes of it when N goes from 500 to 1000: a longer strategy,
	// and whether that accepts the old histories. Nil where nobody asks.
	Longer func() (s Strategy, keeps bool, err error)
}

// IsBeyond reports whether the paper did not try it.
func (e Entry) IsBeyond() bool { return strings.HasPrefix(e.Name, results.Beyond) }

// Users is how many of a population's users live with it, at least 1.
func (e Entry) Users(population int) int { return max(1, population/e.Share) }

// Returning is how many of a population's users come back to it for days of churn,
// at least 1; Churn must not be 0.
func (e Entry) Returning(population int) int { return max(1, population/e.Churn) }

// All lists the entries: the paper's in the order of its Table 1, then what it did
// not try. The slice is the caller's.
func All() []Entry { return slices.Concat(papers, beyond) }

// Names lists the names of All, in its order.
func Names() []string {
	var names []string
	for _, e := range All() {
		names = append(names, e.Name)
	}
	return names
}

// Find returns the entry of that name, which may go without results.Beyond. The
// error lists the names.
func Find(name string) (Entry, error) {
	for _, e := range All() {
		if e.Name == name || e.Name == results.Beyond+name {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("unknown strategy %q, want one of %s", name, strings.Join(Names(), ", "))
}
