// Package standing says how ours stands beside other filter libraries, in quantities
// of which less is better: ahead, level or behind, by one rule for all, from the rows
// that the module peers measures. It is what a README and a report say of them.
package standing

import (
	"slices"
	"strings"

	"dejavu/results"
)

// Ours is what our own ways are called among the peers.
const Ours = "dejavu"

// OurName is the name of a strategy of ours in the rows of peers.
func OurName(kind string) string { return Ours + "/" + kind }

// Name is the name of a strategy that is built from a library.
func Name(library, kind string) string { return library + " " + kind }

// Roomy stands behind the name of a strategy of ours that serves with a heap as
// it would be beside the peers' filters: a tenth of the histories may be garbage.
const Roomy = ", a tenth more heap"

// Rows are rows of the experiment Peers, found by who and what.
type Rows struct {
	rows  map[[2]string]results.Row
	order []string // who, as they appear
}

// NewRows picks the rows of the experiment from any.
func NewRows(rows []results.Row) Rows {
	p := Rows{rows: map[[2]string]results.Row{}}
	for _, r := range rows {
		if r.Experiment != results.Peers {
			continue
		}
		if !slices.Contains(p.order, r.Strategy) {
			p.order = append(p.order, r.Strategy)
		}
		p.rows[[2]string{r.Strategy, r.Quantity}] = r
	}
	return p
}

// Row returns the row of that name and quantity, and whether there is one.
func (p Rows) Row(strategy, quantity string) (results.Row, bool) {
	r, ok := p.rows[[2]string{strategy, quantity}]
	return r, ok
}

// Alive is how many users' histories were alive while memory was measured; nothing
// where it was not.
func (p Rows) Alive() results.Number {
	for _, kind := range p.Kinds() {
		if r, ok := p.Row(OurName(kind), results.QBytesPerUser); ok {
			return r.X
		}
	}
	return results.Number{}
}

// Kinds lists the strategies of ours that others are compared with, as they
// appear: "single", "dual", "chain".
func (p Rows) Kinds() (kinds []string) {
	for _, s := range p.order {
		if kind, ours := strings.CutPrefix(s, OurName("")); ours && !strings.HasSuffix(kind, Roomy) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Libraries lists those from which a strategy was built, as they appear.
func (p Rows) Libraries(kind string) (names []string) {
	for _, s := range p.order {
		if name, ok := strings.CutSuffix(s, Name("", kind)); ok && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Filters lists the libraries whose filters were asked on some shape of keys,
// as they appear, ours not among them.
func (p Rows) Filters() (names []string) {
	for _, s := range p.order {
		asked := slices.ContainsFunc(results.KeyShapes, func(shape string) bool {
			_, ok := p.Row(s, results.QFPROf+shape)
			return ok
		})
		if asked && s != Ours {
			names = append(names, s)
		}
	}
	return names
}

// FPRError is by how much a filter's rate exceeds its own theory, of one, with
// the interval: what a weak hash costs, and no choice of bits can hide.
func (p Rows) FPRError(name, shape string) (results.Row, bool) {
	r, ok := p.Row(name, results.QFPROf+shape)
	theory := r.Theory.Or(0)
	if !ok || theory <= 0 || !r.Value.IsSet() {
		return results.Row{}, false
	}
	over := func(n results.Number) results.Number { return results.Num(n.Or(r.Value.Or(0))/theory - 1) }
	r.Quantity = "error of " + r.Quantity
	r.Value, r.Low, r.High, r.Theory = over(r.Value), over(r.Low), over(r.High), results.Num(0)
	return r, true
}

// Language is the language a library is written in, empty where it is Go.
func (p Rows) Language(library string) string { return p.about(library, results.QLanguage) }

// Missing lists the libraries that were not measured, as they appear.
func (p Rows) Missing() (names []string) {
	for _, s := range p.order {
		if p.about(s, results.QMissing) != "" {
			names = append(names, s)
		}
	}
	return names
}

// about is what stands behind a prefix in a quantity of a library.
func (p Rows) about(library, prefix string) string {
	for key := range p.rows {
		if what, ok := strings.CutPrefix(key[1], prefix); ok && key[0] == library {
			return what
		}
	}
	return ""
}
