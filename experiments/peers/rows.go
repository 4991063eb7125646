package peers

import (
	"math"
	"slices"
	"strings"

	"dejavu/results"
	"dejavu/results/by"
)

// ours is the name of our own filter in the rows of peers.
const ours = "dejavu"

// name returns the name of a strategy that is built from a library, or of the library's filter if kind is empty.
func name(library, kind string) string {
	if library == ours && kind != "" {
		return ours + "/" + kind
	}
	return strings.TrimSuffix(library+" "+kind, " ")
}

// A measure is a quantity in which less is better.
type measure struct {
	name  string // in tables
	query results.Query
}

// timed are times, taken in turns. shapes are the false positives of a filter of 500 articles by the kind of keys, as weak
// hashes show on some kinds only.
var (
	timed = []measure{
		{"unseen candidate", ofCandidate("unseen")},
		{"seen candidate", ofCandidate("seen")},
		{"mixed candidate", ofCandidate("mixed")}, // half and half, in any order
		{"article recorded, by ten", results.Find(results.QRecordNanosEach, by.Recorded.At(10))},
		{"article recorded, by 500", results.Find(results.QRecordNanosEach, by.Recorded.At(500))},
	}
	counted = []measure{
		{"bytes a user", ofUsers(results.QBytesPerUser)},
		{"heap objects a user", ofUsers(results.QObjectsPerUser)},
	}
	shapes = []measure{
		{"random", ofKeys("random")}, {"sequential", ofKeys("sequential")}, {"decimal", ofKeys("decimal")}, {"URL", ofKeys("URL")},
	}
)

func ofCandidate(request string) results.Query {
	return results.Find(results.QQueryNanos, by.Candidates.At(40), by.Request.Is(request))
}

func ofUsers(quantity string) results.Query { return results.Find(quantity, by.Users.Open()) }

func ofFilter(quantity string) results.Query { return results.Find(quantity, by.Bits.Open()) }

func ofKeys(keys string) results.Query { return ofFilter(results.QFPR).With(by.Keys.Is(keys)) }

// over returns the query of a time divided by ours in the same turn.
func over(time results.Query) results.Query {
	time.Quantity = results.QTimeRatio
	return time.With(by.Over.Is(ours))
}

// rows are rows of the peers, found by strategy and query.
type rows struct{ cells results.Cells }

func (p rows) row(strategy string, q results.Query) (r results.Row, ok bool) {
	for _, r := range p.cells.All(q.In(results.Peers).Of(strategy)) {
		return r, true
	}
	return r, false
}

// excess returns by how much a filter's rate exceeds its own expected rate, as a share of it: what a weak hash costs,
// whatever the number of bits.
func (p rows) excess(name string, rate results.Query) (results.Row, bool) {
	r, ok := p.row(name, rate)
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

// kinds lists the strategies of ours that have peers: "single", "dual", "chain".
func (p rows) kinds() []string {
	return names(p.cells.Of(results.Peers), func(strategy string) (string, bool) {
		return strings.CutPrefix(strategy, ours+"/")
	})
}

// libraries lists the libraries from which a strategy was built.
func (p rows) libraries(kind string) []string {
	return names(p.cells.Of(results.Peers), func(strategy string) (string, bool) {
		return strings.CutSuffix(strategy, " "+kind)
	})
}

// others lists the libraries that have a row of a query.
func (p rows) others(q results.Query) []string {
	return names(p.cells.All(q.In(results.Peers).Of(results.Any)), func(strategy string) (string, bool) {
		return strategy, strategy != ours
	})
}

var (
	anyKeys  = ofFilter(results.QFPR).With(by.Keys.Open())
	missing  = results.Find(results.QMissing, by.Tool.Open())
	language = results.Find(results.QLanguage, by.Language.Open())
)

// static reports whether a library's filters cannot be added to.
func (p rows) static(library string) bool {
	_, static := p.row(library, ofFilter(results.QStatic))
	return static
}

// alive returns the number of users whose memories were measured, or no number.
func (p rows) alive() (n results.Number) {
	for _, kind := range p.kinds() {
		if r, ok := p.row(name(ours, kind), ofUsers(results.QBytesPerUser)); ok {
			return r.Coordinate(by.Users)
		}
	}
	return n
}

// titled returns a name with the library's language in brackets, unless it is Go.
func (p rows) titled(name, library string) string {
	if r, ok := p.row(library, language); ok {
		return name + " (" + r.Where.Of(by.Language) + ")"
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
	measure
	library, kind string // no kind if it is about a filter
	theirs, ours  results.Row
	ratio         results.Row // theirs over ours
	standing
}

// margin is where the compiler happens to put two loops, and an allocator's rounding.
const margin = 0.02

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

// verdicts compares every strategy in times, bytes and objects, and every filter in how far its rates exceed the expected
// ones.
func (p rows) verdicts() (all []verdict) {
	add := func(library, kind string, measures []measure, find func(string, results.Query) (results.Row, bool)) {
		for _, m := range measures {
			v := verdict{measure: m, library: library, kind: kind}
			var both, taken bool
			if v.theirs, both = find(name(library, kind), m.query); both {
				v.ours, both = find(name(ours, kind), m.query)
			}
			if !both {
				continue
			}
			v.ratio, taken = p.row(v.theirs.Strategy, over(m.query))
			switch {
			case kind == "":
				v.standing = stand(size(v.theirs), size(v.ours), 0)
			case taken:
				v.standing = stand(v.ratio, results.Row{Value: results.Num(1)}, margin)
			case slices.Contains(counted, m): // times of different turns say nothing
				v.standing = stand(v.theirs, v.ours, margin)
				if ours := v.ours.Value.Or(0); ours > 0 {
					v.ratio.Value = results.Num(v.theirs.Value.Or(0) / ours)
				}
			}
			all = append(all, v)
		}
	}
	for _, kind := range p.kinds() {
		for _, library := range p.libraries(kind) {
			add(library, kind, slices.Concat(timed, counted), p.row)
		}
	}
	for _, library := range p.others(anyKeys) {
		add(library, "", shapes, p.excess)
	}
	return all
}
