// Package strategytest checks an implementation of strategies.Strategy, as testing/fstest checks a file system.
//
// No article inside the window is ever forgotten: the kit compares this with an exact model at every moment of a user's
// life, and the false positive rate with the closed form. Histories are extended in place as append does, nothing is
// read from spare capacity, calls allocate nothing, and no bytes from outside cause a panic. A strategy's test is one
// call of Draw, which checks configurations drawn at random, with fixed seeds.
package strategytest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"

	"dejavu/strategies"
)

// A Subject is a strategy to check, with its predictions.
type Subject struct {
	Strategy strategies.Strategy
	Theory   strategies.Theory

	Allocates bool  // Seen may allocate
	Nested    bool  // contains another strategy: growth without room may take two allocations
	Life      int   // articles shown in the exact checks; 0 is three windows, 1500 without a window, at most 4000
	Reads     []int // after how many articles the rate is measured; nil is 50, 100, 250, 500, 501 and 750

	// Remembers, if not nil, reports whether the article of an age, the newest 1, is recognised beyond Theory.Window.
	Remembers func(read, age int) bool

	// Forgets, if not nil, reports whether the article of an age left no trace after read articles, like an unseen one.
	Forgets func(read, age int) bool
}

// A check is one property of a strategy, tested without testing.T, so that the kit's own tests can see it fail.
type check struct {
	name string
	run  func(Subject, effort) error
}

// checks are in the best order for a new strategy: a failure often explains later ones.
var checks = []check{
	{"Sizes", checkSizes},
	{"Theory", checkTheory},
	{"Newcomer", checkNewcomer},
	{"Growth", checkGrowth},
	{"Life", checkLife},
	{"Window", checkWindow},
	{"Allocations", checkAllocations},
	{"Validate", checkValidate},
	{"Concurrency", checkConcurrency},
	{"FPR", checkFPR},
	{"Shapes", checkShapes},
	{"Forgets", checkForgets},
	{"Fill", checkFill},
}

// guarded runs the check and turns a panic of the strategy into an error, so that other checks can run.
func (c check) guarded(s Subject, e effort) (err error) {
	defer recovered(&err)
	return c.run(s, e)
}

// An offTheory is the error of a measured rate that differs from theory. With few users it may be chance.
type offTheory string

func (e offTheory) Error() string { return string(e) }

// repeated runs the check on a drawn strategy. If a rate is off, it is measured again with 16 times the users, and
// once more with 256 times. Users of a tiny filter are not normally distributed: one in ten thousand may have all of
// the hits. If every strategy were of the worst such kind, one run of 2,000 draws in 30 would fail by chance.
func (c check) repeated(s Subject, e effort) (err error) {
	for ; e.tries < 3; e.tries++ {
		var off offTheory
		if err = c.guarded(s, e); !errors.As(err, &off) {
			break
		}
	}
	return err
}

func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
	}
}

type effort struct {
	lives       int // random lives of the Life check
	asked       int // candidates that the Window check may ask in all
	users       int // independent histories per measured rate
	queries     int // fresh candidates per history
	corruptions int // bytes corrupted between a history's two ends
	damaged     int // histories of a life that are corrupted

	errors float64 // standard errors by which a measured rate may be off

	draw  int // the number of the draw
	tries int // how often the rate was off before
}

func (e effort) times(users int) int { return users << (4 * e.tries) }

// seed returns a seed that separates the users of this draw and try from others.
func (e effort) seed() uint64 { return uint64(e.draw*3+e.tries) << 8 }

func (s Subject) life() int { return s.lifeUpTo(4000) }

// lifeUpTo is life with another limit, which applies if Subject.Life is 0.
func (s Subject) lifeUpTo(most int) int {
	const otherwise = 1500
	if s.Life > 0 {
		return s.Life
	}
	// Deep in the steady state, over more articles than a generation.
	const deep = 1 << 20
	window := 0
	for read := deep; read < deep+1024; read++ {
		window = max(window, s.Theory.Window(read))
	}
	if window == 0 || window >= deep {
		return otherwise
	}
	return min(3*window+17, most)
}

// remembers reports whether the article shown age articles ago must be recognised, by the exact model.
func (s Subject) remembers(read, age int) bool {
	return age <= s.Theory.Window(read) || s.Remembers != nil && s.Remembers(read, age)
}

// boundaries lists where, during the life, the history's length or the window's pace changes, as when a ring wraps.
func (s Subject) boundaries() []int {
	var at []int
	pace := 1
	for read := 1; read <= s.life(); read++ {
		step := s.Theory.Window(read) - s.Theory.Window(read-1)
		if step != pace || s.Theory.Bytes(read) != s.Theory.Bytes(read-1) {
			at = append(at, read)
		}
		pace = step
	}
	return at
}

// IDs returns n uniform 64-bit identities, the same for the same seed on every machine.
func IDs(seed uint64, n int) []strategies.ID {
	ids := make([]strategies.ID, n)
	fill(generator(seed, 0), ids)
	return ids
}

// generator returns the random numbers of a stream, such as a user. PCGs with close seeds are alike: it mixes first.
func generator(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(splitMix(seed), splitMix(seed^splitMix(stream+1))))
}

// fill draws ids from r, mixed once more as an article's key is hashed.
func fill(r *rand.Rand, ids []strategies.ID) {
	for i := range ids {
		ids[i] = strategies.ID(splitMix(r.Uint64()))
	}
}

// splitMix is the finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014, figure 17): a bijection in which every bit of the argument affects every bit of the result.
func splitMix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// peculiar are IDs that trip an implementation which uses one as a mark or looks at too few bits.
var peculiar = []strategies.ID{0, 1, 2, 1 << 31, 1 << 32, 1 << 63, 1<<64 - 1}

// shownLife draws what one user is shown, peculiar articles included: all distinct, or a quarter of them repeats.
func shownLife(r *rand.Rand, n int, repeats bool) []strategies.ID {
	ids := make([]strategies.ID, n)
	fill(r, ids)
	for i, at := range r.Perm(n)[:min(n, len(peculiar))] {
		ids[at] = peculiar[i]
	}
	if repeats {
		for i := 1; i < n; i++ {
			if r.IntN(4) == 0 {
				// The more recent, the likelier.
				ids[i] = ids[i-1-r.IntN(1+r.IntN(i))]
			}
		}
	}
	return ids
}

// Ask returns which of the candidates a history remembers.
func Ask(s strategies.Strategy, history []byte, candidates []strategies.ID) []bool {
	seen := make([]bool, len(candidates))
	s.Seen(history, candidates, seen)
	return seen
}

// Count returns how many of the candidates were seen.
func Count(seen []bool) (n int) {
	for _, s := range seen {
		if s {
			n++
		}
	}
	return n
}
