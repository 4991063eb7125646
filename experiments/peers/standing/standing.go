package standing

import (
	"math"

	"dejavu/results"
)

// A Standing is our place beside another library, in a quantity of which less is better.
type Standing int

// The standings. Level is where the intervals overlap, or nearly.
const (
	Level Standing = iota
	Ahead
	Behind
)

// String is the standing in a word.
func (s Standing) String() string { return [...]string{"level", "ahead", "behind"}[s] }

// A Verdict is our standing beside one peer in one quantity.
type Verdict struct {
	Measure
	Library, Kind string // no Kind where the quantity is that of a filter by itself
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

// Of what is counted, counted is memory, forced are collections, and served is what is
// compared with ours on a heap as the peers have.
var (
	counted = []Measure{
		{"bytes a user", OfUsers(results.QBytesPerUser)},
		{"heap objects a user", OfUsers(results.QObjectsPerUser)},
	}
	forced = []Measure{
		{"memory goal per user", OfUsers(results.QGoalPerUser)},
		{"gc pause", OfUsers(results.QForcedPause)},
		{"cpu of a collection", OfUsers(results.QForcedCPU)},
	}
	served = []Measure{
		{"gc cpu", OfUsers(results.QCollectShare)},
		{"gc ns per request", OfUsers(results.QCollectNanos)},
		{"ns per request served", OfUsers(results.QRequestTime)},
	}
)

// Verdicts returns our standing beside every peer: in time, bytes and heap
// objects of a user, and in how far the rates of false positives are off
// their own theory. A quantity that was not measured of both has none.
func (p Rows) Verdicts() (all []Verdict) {
	for _, kind := range p.Kinds() {
		for _, library := range p.Libraries(kind) {
			all = append(all, p.turns(library, kind)...)
			all = append(all, p.among(library, kind, "", counted, narrow)...)
		}
	}
	return append(all, p.byShape(p.Excess)...)
}

// Others returns our standing in what is no question of a strategy alone: the
// collector's work, requests of random users among what a service allocates,
// and rates of false positives at the bits that each library has made of those
// asked for. They complete the list of exceptions.
func (p Rows) Others() (all []Verdict) {
	for _, kind := range p.Kinds() {
		for _, library := range p.Libraries(kind) {
			all = append(all, p.among(library, kind, "", forced, wide)...)
			all = append(all, p.among(library, kind, Roomy, served, wide)...)
		}
	}
	return append(all, p.byShape(p.Row)...)
}

// A finder finds the row of a strategy that a query means: Rows.Row or Rows.Excess.
type finder func(strategy string, q results.Query) (results.Row, bool)

// pairs are the measures in which both were measured, without a standing yet.
func pairs(find finder, library, kind, variant string, measures []Measure) (all []Verdict) {
	for _, m := range measures {
		theirs, ok := find(Name(library, kind), m.Query)
		ours, both := find(OurName(kind)+variant, m.Query)
		if ok && both {
			all = append(all, Verdict{Measure: m, Library: library, Kind: kind, Theirs: theirs, Ours: ours})
		}
	}
	return all
}

// byShape are the verdicts in what a filter's rows of false positives say.
func (p Rows) byShape(find finder) (all []Verdict) {
	for _, library := range p.Filters() {
		for _, v := range pairs(find, library, "", "", Shapes) {
			v.Standing = stand(size(v.Theirs), size(v.Ours), 0)
			all = append(all, v)
		}
	}
	return all
}

// turns are the verdicts in the times of a strategy. Times of different turns say nothing.
func (p Rows) turns(library, kind string) (all []Verdict) {
	for _, v := range pairs(p.Row, library, kind, "", Timed) {
		if inTurns, ok := p.Row(Name(library, kind), Over(v.Query)); ok {
			v.Ratio, v.Standing = inTurns, stand(inTurns, results.Row{Value: results.Num(1)}, narrow)
		}
		all = append(all, v)
	}
	return all
}

// among are the verdicts in other measures of a strategy, a variant of ours.
func (p Rows) among(library, kind, variant string, measures []Measure, margin float64) (all []Verdict) {
	for _, v := range pairs(p.Row, library, kind, variant, measures) {
		v.Standing = stand(v.Theirs, v.Ours, margin)
		if ours := v.Ours.Value.Or(0); ours > 0 {
			v.Ratio.Value = results.Num(v.Theirs.Value.Or(0) / ours)
		}
		all = append(all, v)
	}
	return all
}
