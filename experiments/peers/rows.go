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

// timed are times, taken in turns. shapes are the false positives of a filter of 500 articles by the kind of keys, as
// weak hashes show on some kinds only.
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
		{"random", ofKeys("random")},
		{"sequential", ofKeys("sequential")},
		{"decimal", ofKeys("decimal")},
		{"URL", ofKeys("URL")},
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

// kinds are the strategies that are built from libraries.
var kinds = []string{"single", "chain"}

// rows are rows of the peers, found by strategy and query.
type rows struct{ cells results.Cells }

func (p rows) row(strategy string, q results.Query) (r results.Row, ok bool) {
	for _, r := range p.cells.All(q.In(results.Peers).Of(strategy)) {
		return r, true
	}
	return r, false
}

// ratio returns a quantity over ours: a time as it was measured in turns. A library has no ratio to nothing.
func (p rows) ratio(library, kind string, q results.Query) results.Row {
	if r, ok := p.row(name(library, kind), over(q)); ok {
		return r
	}
	theirs, _ := p.row(name(library, kind), q)
	ours, _ := p.row(name(ours, kind), q)
	if v := ours.Value.Or(0); v > 0 && theirs.Value.IsSet() {
		return results.Row{Value: results.Num(theirs.Value.Or(0) / v)}
	}
	return results.Row{}
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

// libraries lists the libraries with a row of a query on a kind, ours first, in the order of rows.
func (p rows) libraries(kind string, q results.Query) (all []string) {
	for _, r := range p.cells.All(q.In(results.Peers).Of(results.Any)) {
		library := strings.TrimSuffix(strings.Replace(r.Strategy, "/", " ", 1), " "+kind)
		if name(library, kind) == r.Strategy && !slices.Contains(all, library) {
			all = append(all, library)
		}
	}
	return all
}

// A standing is our place beside another library, in a quantity that should be small.
type standing int

const (
	level standing = iota // the intervals overlap, or nearly
	ahead
	behind
)

// A verdict is our standing beside one library in one measure.
type verdict struct {
	measure
	kind         string // empty if it is about a filter
	theirs, ours results.Row
	ratio        results.Row // theirs over ours
	standing
}

// margin allows for the compiler's placing of loops and an allocator's rounding.
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

// compared returns the row in which a strategy is compared: of a filter, how far its rate exceeds its expected rate.
func (p rows) compared(strategy, kind string, m measure) (results.Row, bool) {
	if kind == "" {
		return p.excess(strategy, m.query)
	}
	return p.row(strategy, m.query)
}

// verdict compares a library's strategy or filter with ours, if both were measured.
func (p rows) verdict(library, kind string, m measure) (v verdict, ok bool) {
	v = verdict{measure: m, kind: kind}
	if v.theirs, ok = p.compared(name(library, kind), kind, m); !ok {
		return v, false
	}
	if v.ours, ok = p.compared(name(ours, kind), kind, m); !ok {
		return v, false
	}
	v.ratio = p.ratio(library, kind, m.query)
	switch {
	case kind == "":
		v.standing = stand(size(v.theirs), size(v.ours), 0)
	case slices.Contains(counted, m):
		v.standing = stand(v.theirs, v.ours, margin)
	case v.ratio.Value.IsSet(): // times of different turns say nothing
		v.standing = stand(v.ratio, results.Row{Value: results.Num(1)}, margin)
	}
	return v, true
}
