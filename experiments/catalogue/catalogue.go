// Package catalogue lists the strategies: the paper's, other readings and sizes of them, and what it did not
// try. The program measures them all, and the caller that takes a strategy by its name finds it here.
//
// An entry is a name, how the strategy is made, and which measurements it takes part in. One line adds a
// strategy: to papers or to beyond in entries.go. Names are in result files, and stay.
//
// Nothing is made before it is asked for. A strategy is made anew by each call, which costs microseconds for
// most, and some milliseconds where the smallest size that keeps a promise has to be searched.
package catalogue

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"dejavu/measure"
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
	Name  string                   // in result files, in lower case; what the paper did not try begins with results.Beyond
	About string                   // in a line
	Make  func() (Strategy, error) // with the parameters that are measured

	// Share, at least 1: it is simulated for one user in so many. 1 for the paper's four; variants have fewer users.
	Share int

	// Churn is that one user in so many comes back to it for days of coming and going; 0 where that is not measured.
	// Histories of many lengths are the ones that change places.
	Churn int

	Set   bool   // its rate follows from the set of the articles it keeps (measure.SetKeeper)
	Lives string // the experiment that it is simulated in, where that is not the full population

	// Sized makes it for a window, in articles, that it certainly keeps, and a false positive rate, above 0 and below 1,
	// that it has at worst; Config is the configuration that does so, of its package's type. An error says what the
	// structure cannot promise. Both are nil where it promises nothing of the kind.
	Sized  func(window int, fpr float64) (Strategy, error)
	Config func(window int, fpr float64) (any, error)

	// measured is a pointer to the configuration that is measured, of its package's type, and build makes it with
	// another. Nil where there is nothing to change.
	measured func() any
	build    func(config any) (Strategy, error)

	// SizeOf is the name of the strategy that this is another size of, where a list of structures need not have both;
	// the last of them in the list is the smallest.
	SizeOf string

	Stated Stated // by the paper

	// Longer is what becomes of it when N goes from 500 to 1000, as Parse reads it, and Keeps whether that accepts the
	// old histories. "" where nobody asks.
	Longer string
	Keeps  bool
}

// A Stated is what the paper states of a strategy (§3, §5 to §7, and what is left of Table 1); 0 is not stated.
type Stated struct {
	Payload float64 // bytes of a user
	Total   float64 // bytes of ten million users
	Window  float64 // articles remembered, at least
	FPR     float64 // false positive rate
}

// IsBeyond reports whether the paper did not try it.
func (e Entry) IsBeyond() bool { return strings.HasPrefix(e.Name, results.Beyond) }

// Sampled is whether it runs on a share of the users, not on all.
func (e Entry) Sampled() bool { return e.Share > 1 }

// Users is how many of a population's users live with it, at least 1.
func (e Entry) Users(population int) int { return max(1, population/e.Share) }

// Returning is how many of a population's users come back to it for days of churn, at least 1; Churn must not be 0.
func (e Entry) Returning(population int) int { return max(1, population/e.Churn) }

// Lengthened is what Longer says.
func (e Entry) Lengthened() Strategy { return Must(Must(Parse(e.Longer)).Make()) }

// All lists the entries: the paper's in the order of its Table 1, then what it did not try. The slice is the caller's.
func All() []Entry { return slices.Concat(papers, beyond) }

// Must is what is made of a package's own configuration, or a name in the list: an error panics, which any test meets.
func Must[S any](made S, err error) S {
	if err != nil {
		panic(err)
	}
	return made
}

// Names lists the names of All, in its order.
func Names() (names []string) {
	for _, e := range All() {
		names = append(names, e.Name)
	}
	return names
}

// Find returns the entry of that name, which may go without results.Beyond. The error lists the names.
func Find(name string) (Entry, error) {
	for _, e := range All() {
		if e.Name == name || e.Name == results.Beyond+name {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("unknown strategy %q, want one of %s", name, strings.Join(Names(), ", "))
}

// Endless reports whether a strategy never forgets: its capacity is fixed, and beyond it its FPR grows without bound.
func Endless(s Strategy) bool {
	const far = 1 << 30 // more than any window
	return s.Window(far) == far
}

// Subject constructs the entry's strategy for measuring. Its theory computes a rate once, however often that
// is asked for, from any goroutine: several experiments ask for the same ones, and some take a millisecond.
func (e Entry) Subject() measure.Subject {
	made := Must(e.Make())
	theory := &remembering{Theory: made, set: e.Set, fpr: map[int]float64{}}
	return measure.Subject{Name: e.Name, Strategy: made, Theory: theory}
}

type remembering struct {
	strategies.Theory
	set bool
	mu  sync.Mutex
	fpr map[int]float64
}

// KeepsSet is the entry's Set (measure.SetKeeper).
func (r *remembering) KeepsSet() bool { return r.set }

// FPR is the theory's.
func (r *remembering) FPR(read int) float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	rate, ok := r.fpr[read]
	if !ok {
		rate = r.Theory.FPR(read)
		r.fpr[read] = rate
	}
	return rate
}
