package standing

import (
	"math"
	"slices"

	"dejavu/results"
)

// A Standing says how we stand beside somebody else, in a quantity of which
// less is better.
type Standing int

// The standings. Level is what the intervals do not tell apart.
const (
	Level Standing = iota
	Ahead
	Behind
)

// String is the standing in a word.
func (s Standing) String() string { return [...]string{"level", "ahead", "behind"}[s] }

// A Verdict is our standing beside one peer in one quantity.
type Verdict struct {
	Library, Kind string // no Kind where the quantity is that of a filter by itself
	Quantity      string
	Theirs, Ours  results.Row
	Ratio         results.Row // theirs over ours; its interval, where one was measured, decides
	Standing      Standing
}

// Margins, beyond the intervals.
const (
	// Within two per cent the places where the compiler happens to put two loops
	// decide, and an allocator's rounding.
	narrow = 0.02

	// What is measured of one after the other, not in turns, meets the machine
	// in different moods.
	wide = 0.1
)

// stand is the rule: who is ahead is so with the whole of both intervals, and
// by more than the margin.
func stand(theirs, ours results.Row, margin float64) Standing {
	theirLow, theirHigh := span(theirs)
	ourLow, ourHigh := span(ours)
	switch {
	case theirLow > ourHigh*(1+margin):
		return Ahead
	case theirHigh*(1+margin) < ourLow:
		return Behind
	}
	return Level
}

// span is a row's interval, or its value twice.
func span(r results.Row) (low, high float64) {
	v := r.Value.Or(0)
	return r.Low.Or(v), r.High.Or(v)
}

// size is the row of a value that may have either sign, without it: of an
// interval around zero, from zero on.
func size(r results.Row) results.Row {
	low, high := span(r)
	r.Low, r.High = results.Num(max(0, low, -high)), results.Num(max(math.Abs(low), math.Abs(high)))
	return r
}

// timed are the quantities whose times were taken in turns; counted those of
// memory; served those of which we serve with a heap as they have.
var (
	timed   = []string{results.QFreshNanos, results.QSeenNanos, results.QMixedNanos, results.QRecordNanos, results.QRecordManyNanos}
	counted = []string{results.QBytesPerUser, results.QObjectsPerUser}
	forced  = []string{results.QGoalPerUser, results.QForcedPause, results.QForcedCPU}
	served  = []string{results.QCollectShare, results.QCollectNanos, results.QRequestServed}
)

// Verdicts returns our standing beside every peer: in time, bytes and heap
// objects of a user, and in how far the rates of false positives are off
// their own theory. A quantity that was not measured of both has none.
func (p Rows) Verdicts() (all []Verdict) {
	for _, kind := range p.Kinds() {
		for _, library := range p.Libraries(kind) {
			all = append(all, p.among(library, kind, timed, "", narrow)...)
			all = append(all, p.among(library, kind, counted, "", narrow)...)
		}
	}
	return append(all, p.byShape(p.FPRError)...)
}

// Others returns our standing in what is no question of a strategy alone: the
// collector's work, requests of random readers among what a service allocates,
// and rates of false positives at the bits that each library has made of those
// asked for. They complete the list of exceptions.
func (p Rows) Others() (all []Verdict) {
	for _, kind := range p.Kinds() {
		for _, library := range p.Libraries(kind) {
			all = append(all, p.among(library, kind, forced, "", wide)...)
			all = append(all, p.among(library, kind, served, Roomy, wide)...)
		}
	}
	for _, v := range p.byShape(func(name, shape string) (results.Row, bool) { return p.Row(name, results.QFPROf+shape) }) {
		v.Ratio = quotient(v.Theirs, v.Ours)
		all = append(all, v)
	}
	return all
}

// byShape are the verdicts in what a filter's rows of false positives say, found by its
// name and the shape of the keys.
func (p Rows) byShape(find func(name, shape string) (results.Row, bool)) (all []Verdict) {
	for _, library := range p.Filters() {
		for _, shape := range results.KeyShapes {
			theirs, ok := find(library, shape)
			ours, both := find(Ours, shape)
			if ok && both {
				all = append(all, Verdict{
					Library: library, Quantity: results.QFPROf + shape, Theirs: theirs, Ours: ours,
					Standing: stand(size(theirs), size(ours), 0),
				})
			}
		}
	}
	return all
}

// among are the verdicts in some quantities of a strategy.
func (p Rows) among(library, kind string, quantities []string, variant string, margin float64) (all []Verdict) {
	for _, q := range quantities {
		theirs, ok := p.Row(Name(library, kind), q)
		ours, both := p.Row(OurName(kind)+variant, q)
		if !ok || !both {
			continue
		}
		v := Verdict{Library: library, Kind: kind, Quantity: q, Theirs: theirs, Ours: ours}
		if inTurns, ok := p.Row(Name(library, kind), q+results.OverOurs); ok {
			v.Ratio, v.Standing = inTurns, stand(inTurns, results.Row{Value: results.Num(1)}, margin)
		} else if !slices.Contains(timed, q) { // times of different turns say nothing
			v.Ratio, v.Standing = quotient(theirs, ours), stand(theirs, ours, margin)
		}
		all = append(all, v)
	}
	return all
}

// quotient is theirs over ours, where there is one.
func quotient(theirs, ours results.Row) results.Row {
	r := results.Row{Quantity: theirs.Quantity + results.OverOurs, Unit: results.Ratio}
	if ours.Value.Or(0) > 0 {
		r.Value = results.Num(theirs.Value.Or(0) / ours.Value.Or(0))
	}
	return r
}
