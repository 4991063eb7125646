// Package standing compares ours with other filter libraries, in quantities of which less is better: ahead, level or
// behind, by one rule for all, from the rows that the module peers measures. It is what a report says of them.
package standing

import (
	"math"
	"slices"
	"strings"

	"dejavu/results"
	"dejavu/results/by"
)

// A Standing is our place beside another library, in a quantity of which less is better.
type Standing int

// The standings. Level is where the intervals overlap, or nearly.
const (
	Level Standing = iota
	Ahead
	Behind
)

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
	// Within two per cent the places where the compiler happens to put two loops decide, and an allocator's rounding.
	narrow = 0.02

	// What is measured of one after the other, not in turns, meets the machine in different moods.
	wide = 0.1
)

// stand is the rule: who is ahead is so with the whole of both intervals, and by more than the margin.
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

// size is the row of a value that may have either sign, without it: of an interval around zero, from zero on.
func size(r results.Row) results.Row {
	low, high := span(r)
	r.Low, r.High = results.Num(max(0, low, -high)), results.Num(max(math.Abs(low), math.Abs(high)))
	return r
}

// The measures of strategies, beside Timed. What is served is compared with ours on a heap as the peers have.
var (
	counted = []Measure{
		{"bytes a user", OfUsers(results.QBytesPerUser), narrow, ""},
		{"heap objects a user", OfUsers(results.QObjectsPerUser), narrow, ""},
	}
	others = []Measure{
		{"memory goal per user", OfUsers(results.QGoalPerUser), wide, ""},
		{"gc pause", OfUsers(results.QForcedPause), wide, ""},
		{"cpu of a collection", OfUsers(results.QForcedCPU), wide, ""},
		{"gc cpu", OfUsers(results.QCollectShare), wide, Roomy},
		{"gc ns per request", OfUsers(results.QCollectNanos), wide, Roomy},
		{"ns per request served", OfUsers(results.QRequestTime), wide, Roomy},
	}
)

// Verdicts returns our standing beside every peer: in time, bytes and heap objects of a user, and in how far
// the rates of false positives are off their own theory. A quantity that was not measured of both has none.
func (p Rows) Verdicts() []Verdict { return p.verdicts(slices.Concat(Timed, counted), p.Excess) }

// Others returns our standing in what is no question of a strategy alone: the collector's work, requests of
// random users among what a service allocates, and rates of false positives at the bits that each library has
// made of those asked for. They complete the list of exceptions.
func (p Rows) Others() []Verdict { return p.verdicts(others, p.Row) }

// A finder finds the row of a strategy that a query means: Rows.Row or Rows.Excess.
type finder func(strategy string, q results.Query) (results.Row, bool)

func (p Rows) verdicts(measures []Measure, rate finder) (all []Verdict) {
	for _, kind := range p.Kinds() {
		for _, library := range p.Libraries(kind) {
			all = append(all, p.stands(p.Row, measures, library, kind)...)
		}
	}
	for _, library := range p.Filters() {
		all = append(all, p.stands(rate, Shapes, library, "")...)
	}
	return all
}

// stands are the verdicts in the measures of which there are both rows.
func (p Rows) stands(find finder, measures []Measure, library, kind string) (all []Verdict) {
	for _, m := range measures {
		theirs, ok := find(Name(library, kind), m.Query)
		ours, both := find(OurName(kind)+m.variant, m.Query)
		if !ok || !both {
			continue
		}
		v := Verdict{Measure: m, Library: library, Kind: kind, Theirs: theirs, Ours: ours}
		inTurns, taken := p.Row(theirs.Strategy, Over(m.Query))
		switch {
		case kind == "": // what a filter's rows of false positives say
			v.Standing = stand(size(theirs), size(ours), 0)
		case m.margin > 0:
			v.Standing = stand(theirs, ours, m.margin)
			if ours := ours.Value.Or(0); ours > 0 {
				v.Ratio.Value = results.Num(theirs.Value.Or(0) / ours)
			}
		case taken: // times of different turns say nothing
			v.Ratio, v.Standing = inTurns, stand(inTurns, results.Row{Value: results.Num(1)}, narrow)
		}
		all = append(all, v)
	}
	return all
}

// Ours is what our own filter is called among the peers.
const Ours = "dejavu"

// OurName is the name of a strategy of ours in the rows of peers, and with no kind of our filter.
func OurName(kind string) string { return strings.TrimSuffix(Ours+"/"+kind, "/") }

// Name is the name of a strategy that is built from a library, and with no kind of its filter.
func Name(library, kind string) string { return strings.TrimSuffix(library+" "+kind, " ") }

// Roomy stands behind the name of a strategy of ours that serves with a heap as it would be beside the peers' filters:
// a tenth of the histories may be garbage.
const Roomy = ", a tenth more heap"

// Dimensions are those of the rows of peers.
var Dimensions = []results.Dimension{
	by.Bits, by.Keys, by.Candidates, by.Request, by.Recorded, by.Users, by.Over, by.Language, by.Tool,
}

// A Measure is a quantity in which less is better, and what tables call it.
type Measure struct {
	Name string
	results.Query

	margin  float64 // 0 where times were taken in turns, whose quotients decide, and of rates
	variant string  // of ours
}

// Timed are the times, taken in turns: of a candidate of a request and of an article recorded.
var Timed = []Measure{
	ofCandidate("unseen"),
	ofCandidate("seen"),
	ofCandidate("mixed"), // half and half, in any order
	{Name: "article recorded, by ten", Query: results.Find(results.QRecordNanosEach, by.Recorded.At(10))},
	{Name: "article recorded, by 500", Query: results.Find(results.QRecordNanosEach, by.Recorded.At(500))},
}

func ofCandidate(request string) Measure {
	asked := results.Find(results.QQueryNanos, by.Candidates.At(40), by.Request.Is(request))
	return Measure{Name: request + " candidate", Query: asked}
}

// Over is the quotient of a time and ours in the same turn.
func Over(time results.Query) results.Query {
	time.Quantity = results.QTimeRatio
	return time.With(by.Over.Is(Ours))
}

// Shapes are the false positives of a filter of 500 articles by the kind of keys: weak hashes show on some and not on
// others. Theory is that of the bits it really has.
var Shapes = []Measure{shape("random"), shape("sequential"), shape("decimal"), shape("URL")}

func shape(keys string) Measure {
	return Measure{Name: keys, Query: OfFilter(results.QFPR).With(by.Keys.Is(keys))}
}

// OfUsers is a quantity of users, however many are alive.
func OfUsers(quantity string) results.Query { return results.Find(quantity, by.Users.Open()) }

// OfFilter is a quantity of a filter, whatever its bits.
func OfFilter(quantity string) results.Query { return results.Find(quantity, by.Bits.Open()) }

// Rows are rows of the experiment Peers, found by who and what.
type Rows struct{ cells results.Cells }

// NewRows picks the rows of the experiment from any.
func NewRows(rows []results.Row) Rows { return Rows{results.NewCells(rows)} }

// Row returns the row of a strategy that a query means, and whether there is one.
func (p Rows) Row(strategy string, q results.Query) (r results.Row, ok bool) {
	for _, r := range p.cells.All(q.In(results.Peers).Of(strategy)) {
		return r, true
	}
	return r, false
}

// names lists names that are made of those of rows, as they appear.
func names(rows []results.Row, of func(strategy string) (name string, ok bool)) (all []string) {
	for _, r := range rows {
		if name, ok := of(r.Strategy); ok && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// Alive is how many users' histories were alive while memory was measured; nothing where it was not.
func (p Rows) Alive() results.Number {
	for _, kind := range p.Kinds() {
		if r, ok := p.Row(OurName(kind), OfUsers(results.QBytesPerUser)); ok {
			return r.Coordinate(by.Users)
		}
	}
	return results.Number{}
}

// Kinds lists the strategies of ours that others are compared with, as they appear: "single", "dual", "chain".
func (p Rows) Kinds() []string {
	return names(p.cells.Of(results.Peers), func(strategy string) (string, bool) {
		kind, ours := strings.CutPrefix(strategy, Ours+"/")
		return kind, ours && !strings.HasSuffix(kind, Roomy)
	})
}

// Libraries lists those from which a strategy was built, as they appear.
func (p Rows) Libraries(kind string) []string {
	return names(p.cells.Of(results.Peers), func(strategy string) (string, bool) {
		return strings.CutSuffix(strategy, " "+kind)
	})
}

// those lists the strategies with rows that a query means, as they appear, without ours.
func (p Rows) those(q results.Query) []string {
	return names(p.cells.All(q.In(results.Peers).Of(results.Any)), func(strategy string) (string, bool) {
		return strategy, strategy != Ours
	})
}

// Filters lists the libraries whose filters were asked on some shape of keys.
func (p Rows) Filters() []string { return p.those(OfFilter(results.QFPR).With(by.Keys.Open())) }

// missing are the rows of what was not measured, and why.
var missing = results.Find(results.QMissing, by.Tool.Open())

// Missing lists the libraries that were not measured, as they appear.
func (p Rows) Missing() []string { return p.those(missing) }

// Excess is by how much a filter's rate exceeds its own theory, of one, with the interval: what a weak hash costs, and
// no choice of bits can hide.
func (p Rows) Excess(name string, rate results.Query) (results.Row, bool) {
	r, ok := p.Row(name, rate)
	theory := r.Theory.Or(0)
	if !ok || theory <= 0 || !r.Value.IsSet() {
		return results.Row{}, false
	}
	over := func(n results.Number) results.Number { return results.Num(n.Or(r.Value.Or(0))/theory - 1) }
	r.Quantity = results.QExcess
	r.Value, r.Low, r.High, r.Theory = over(r.Value), over(r.Low), over(r.High), results.Num(0)
	return r, true
}

// Language is the language a library is written in, empty where it is Go.
func (p Rows) Language(library string) string {
	r, _ := p.Row(library, results.Find(results.QLanguage, by.Language.Open()))
	return r.Where.Of(by.Language)
}

// Titled is a name with the language of a library in brackets, where that is not Go.
func (p Rows) Titled(name, library string) string {
	if language := p.Language(library); language != "" {
		return name + " (" + language + ")"
	}
	return name
}
