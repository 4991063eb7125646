package peers

import (
	"math"
	"slices"
	"strings"

	"dejavu/results"
	"dejavu/results/by"
)

// Ours is the name of our own filter among the peers.
const Ours = "dejavu"

// OurName returns the name of a strategy of ours in the rows of peers, or of our filter if kind is empty.
func OurName(kind string) string { return strings.TrimSuffix(Ours+"/"+kind, "/") }

// Name returns the name of a strategy that is built from a library, or of the library's filter if kind is empty.
func Name(library, kind string) string { return strings.TrimSuffix(library+" "+kind, " ") }

// Dimensions are the dimensions of the rows of peers.
var Dimensions = []results.Dimension{
	by.Bits, by.Keys, by.Candidates, by.Request, by.Recorded, by.Users, by.Over, by.Language, by.Tool,
}

// A Measure is a quantity in which less is better.
type Measure struct {
	Name   string // in tables
	Query  results.Query
	margin float64 // beyond the intervals; 0 if a ratio was measured in turns, or for rates
}

const (
	// Two per cent are where the compiler happens to put two loops, and an allocator's rounding.
	narrow = 0.02
	// What is measured one after the other, not in turns, meets the machine at different speeds.
	wide = 0.1
)

// The measures. Timed are times, taken in turns. Shapes are the false positives of a filter of 500 articles by the kind
// of keys, as weak hashes show on some kinds only.
var (
	Timed = []Measure{
		ofCandidate("unseen"),
		ofCandidate("seen"),
		ofCandidate("mixed"), // half and half, in any order
		{Name: "article recorded, by ten", Query: results.Find(results.QRecordNanosEach, by.Recorded.At(10))},
		{Name: "article recorded, by 500", Query: results.Find(results.QRecordNanosEach, by.Recorded.At(500))},
	}
	Shapes  = []Measure{shape("random"), shape("sequential"), shape("decimal"), shape("URL")}
	counted = []Measure{
		{"bytes a user", OfUsers(results.QBytesPerUser), narrow},
		{"heap objects a user", OfUsers(results.QObjectsPerUser), narrow},
	}
	others = []Measure{
		{"memory goal per user", OfUsers(results.QGoalPerUser), wide},
		{"gc pause", OfUsers(results.QForcedPause), wide},
		{"cpu of a collection", OfUsers(results.QForcedCPU), wide},
	}
)

func ofCandidate(request string) Measure {
	q := results.Find(results.QQueryNanos, by.Candidates.At(40), by.Request.Is(request))
	return Measure{Name: request + " candidate", Query: q}
}

func shape(keys string) Measure {
	return Measure{Name: keys, Query: ofFilter(results.QFPR).With(by.Keys.Is(keys))}
}

// Over returns the query of a time divided by ours in the same turn.
func Over(time results.Query) results.Query {
	time.Quantity = results.QTimeRatio
	return time.With(by.Over.Is(Ours))
}

// OfUsers returns the query of a quantity at any number of users.
func OfUsers(quantity string) results.Query { return results.Find(quantity, by.Users.Open()) }

func ofFilter(quantity string) results.Query { return results.Find(quantity, by.Bits.Open()) }

// Rows are rows of the peers, found by strategy and query.
type Rows struct{ cells results.Cells }

// NewRows picks the rows of the peers from any rows.
func NewRows(rows []results.Row) Rows { return Rows{results.NewCells(rows)} }

// Row returns the row of a strategy that a query finds, and reports whether there is one.
func (p Rows) Row(strategy string, q results.Query) (r results.Row, ok bool) {
	for _, r := range p.cells.All(q.In(results.Peers).Of(strategy)) {
		return r, true
	}
	return r, false
}

// Excess returns by how much a filter's rate exceeds its own expected rate, as a share of it: what a weak hash costs,
// whatever the number of bits.
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

// names lists the names that of makes of the strategies of rows, in their order.
func names(rows []results.Row, of func(strategy string) (name string, ok bool)) (all []string) {
	for _, r := range rows {
		if name, ok := of(r.Strategy); ok && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// Kinds lists the strategies of ours that have peers: "single", "dual", "chain".
func (p Rows) Kinds() []string {
	return names(p.cells.Of(results.Peers), func(strategy string) (string, bool) {
		kind, ours := strings.CutPrefix(strategy, Ours+"/")
		return kind, ours && !strings.Contains(kind, ",") // such as "single, a tenth more heap" of earlier runs
	})
}

// Libraries lists the libraries from which a strategy was built.
func (p Rows) Libraries(kind string) []string {
	return names(p.cells.Of(results.Peers), func(strategy string) (string, bool) {
		return strings.CutSuffix(strategy, " "+kind)
	})
}

func (p Rows) those(q results.Query) []string {
	return names(p.cells.All(q.In(results.Peers).Of(results.Any)), func(strategy string) (string, bool) {
		return strategy, strategy != Ours
	})
}

// Filters lists the libraries whose filters were asked on some shape of keys.
func (p Rows) Filters() []string { return p.those(ofFilter(results.QFPR).With(by.Keys.Open())) }

var missing = results.Find(results.QMissing, by.Tool.Open())

// Missing lists the libraries that were not measured.
func (p Rows) Missing() []string { return p.those(missing) }

// Static reports whether a library's filters cannot be added to.
func (p Rows) Static(library string) bool {
	_, static := p.Row(library, ofFilter(results.QStatic))
	return static
}

// Alive returns the number of users whose memories were measured, or no number.
func (p Rows) Alive() results.Number {
	for _, kind := range p.Kinds() {
		if r, ok := p.Row(OurName(kind), OfUsers(results.QBytesPerUser)); ok {
			return r.Coordinate(by.Users)
		}
	}
	return results.Number{}
}

// Language returns the language of a library, or "" if it is Go.
func (p Rows) Language(library string) string {
	r, _ := p.Row(library, results.Find(results.QLanguage, by.Language.Open()))
	return r.Where.Of(by.Language)
}

// Titled returns a name with the library's language in brackets, unless it is Go.
func (p Rows) Titled(name, library string) string {
	if language := p.Language(library); language != "" {
		return name + " (" + language + ")"
	}
	return name
}

// A standing is our place beside another library, in a quantity of which less is better.
type standing int

const (
	level standing = iota // the intervals overlap, or nearly
	ahead
	behind
)

// A verdict is our standing beside one library in one measure.
type verdict struct {
	Measure
	library, kind string // no kind if it is about a filter
	theirs, ours  results.Row
	ratio         results.Row // theirs over ours
	standing
}

// stand applies the rule: one is ahead if the intervals lie apart by more than the margin.
func stand(theirs, ours results.Row, margin float64) standing {
	theirLow, theirHigh := span(theirs)
	ourLow, ourHigh := span(ours)
	switch {
	case theirLow > ourHigh*(1+margin):
		return ahead
	case theirHigh*(1+margin) < ourLow:
		return behind
	}
	return level
}

// span returns a row's interval, or its value twice.
func span(r results.Row) (low, high float64) {
	v := r.Value.Or(0)
	return r.Low.Or(v), r.High.Or(v)
}

// size returns the row of the absolute value. An interval around zero begins at zero.
func size(r results.Row) results.Row {
	low, high := span(r)
	r.Low, r.High = results.Num(max(0, low, -high)), results.Num(max(math.Abs(low), math.Abs(high)))
	return r
}

// verdicts compares every strategy in measures, and every filter in the rates that find returns.
func (p Rows) verdicts(measures []Measure, find finder) (all []verdict) {
	for _, kind := range p.Kinds() {
		for _, library := range p.Libraries(kind) {
			all = append(all, p.compare(p.Row, measures, library, kind)...)
		}
	}
	for _, library := range p.Filters() {
		all = append(all, p.compare(find, Shapes, library, "")...)
	}
	return all
}

// A finder is Rows.Row or Rows.Excess.
type finder func(strategy string, q results.Query) (results.Row, bool)

// compare returns the verdicts in the measures of which there are both rows.
func (p Rows) compare(find finder, measures []Measure, library, kind string) (all []verdict) {
	for _, m := range measures {
		theirs, ok := find(Name(library, kind), m.Query)
		ours, both := find(OurName(kind), m.Query)
		if !ok || !both {
			continue
		}
		v := verdict{Measure: m, library: library, kind: kind, theirs: theirs, ours: ours}
		inTurns, taken := p.Row(theirs.Strategy, Over(m.Query))
		switch {
		case kind == "":
			v.standing = stand(size(theirs), size(ours), 0)
		case m.margin > 0:
			v.standing = stand(theirs, ours, m.margin)
			if ours := ours.Value.Or(0); ours > 0 {
				v.ratio.Value = results.Num(theirs.Value.Or(0) / ours)
			}
		case taken: // times of different turns say nothing
			v.ratio, v.standing = inTurns, stand(inTurns, results.Row{Value: results.Num(1)}, narrow)
		}
		all = append(all, v)
	}
	return all
}
