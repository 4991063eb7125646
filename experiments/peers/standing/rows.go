// Package standing compares ours with other filter libraries, in quantities of which
// less is better: ahead, level or behind, by one rule for all, from the rows that the
// module peers measures. It is what a README and a report say of them.
package standing

import (
	"slices"
	"strings"

	"dejavu/results"
	"dejavu/results/by"
)

// Ours is what our own filter is called among the peers.
const Ours = "dejavu"

// OurName is the name of a strategy of ours in the rows of peers, and with no kind of
// our filter.
func OurName(kind string) string {
	if kind == "" {
		return Ours
	}
	return Ours + "/" + kind
}

// Name is the name of a strategy that is built from a library, and with no kind of its
// filter.
func Name(library, kind string) string {
	if kind == "" {
		return library
	}
	return library + " " + kind
}

// Roomy stands behind the name of a strategy of ours that serves with a heap as
// it would be beside the peers' filters: a tenth of the histories may be garbage.
const Roomy = ", a tenth more heap"

// Dimensions are those of the rows of peers.
var Dimensions = []results.Dimension{
	by.Bits, by.Keys, by.Candidates, by.Request, by.Recorded, by.Users, by.Over, by.Language, by.Tool,
}

// A Measure is a quantity in which less is better, and what tables call it.
type Measure struct {
	Name string
	results.Query
}

// Timed are the times, taken in turns: of a candidate of a request and of an article
// recorded.
var Timed = []Measure{
	{"unseen candidate", candidate("unseen")},
	{"seen candidate", candidate("seen")},
	{"mixed candidate", candidate("mixed")}, // half and half, in any order
	{"article recorded, by ten", results.Find(results.QRecordNanosEach, by.Recorded.At(10))},
	{"article recorded, by 500", results.Find(results.QRecordNanosEach, by.Recorded.At(500))},
}

func candidate(request string) results.Query {
	return results.Find(results.QQueryNanos, by.Candidates.At(40), by.Request.Is(request))
}

// Over is the quotient of a time and ours in the same turn.
func Over(time results.Query) results.Query {
	time.Quantity = results.QTimeRatio
	return time.With(by.Over.Is(Ours))
}

// Shapes are the false positives of a filter of 500 articles by the kind of keys: weak
// hashes show on some and not on others. Theory is that of the bits it really has.
var Shapes = []Measure{shape("random"), shape("sequential"), shape("decimal"), shape("URL")}

func shape(keys string) Measure {
	return Measure{keys, results.Find(results.QFPR, by.Keys.Is(keys), by.Bits.Open())}
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
func (p Rows) Row(strategy string, q results.Query) (results.Row, bool) {
	if found := p.cells.All(q.In(results.Peers).Of(strategy)); found != nil {
		return found[0], true
	}
	return results.Row{}, false
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

// Alive is how many users' histories were alive while memory was measured; nothing
// where it was not.
func (p Rows) Alive() results.Number {
	for _, kind := range p.Kinds() {
		if r, ok := p.Row(OurName(kind), OfUsers(results.QBytesPerUser)); ok {
			return r.Coordinate(by.Users)
		}
	}
	return results.Number{}
}

// Kinds lists the strategies of ours that others are compared with, as they
// appear: "single", "dual", "chain".
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

// Excess is by how much a filter's rate exceeds its own theory, of one, with
// the interval: what a weak hash costs, and no choice of bits can hide.
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
