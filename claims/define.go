package claims

import (
	"fmt"
	"math"

	"dejavu/results"
)

// All returns every claim of the ledger, in the order of the sources. The caller may change them.
func All() (all []Claim) {
	for _, s := range []struct {
		source Source
		claims []Claim
	}{{Paper, paper()}, {Article, article()}, {Lecture, lecture()}} {
		for _, c := range s.claims {
			c.Source = s.source
			all = append(all, c)
		}
	}
	return all
}

// Reasons that several claims share.
const (
	counted      = "counted, so equal or not"
	aBound       = "a stated bound: met, or missed by a quarter at most"
	noRepeat     = "one repeat would refute it"
	closedForm   = "a closed form, against what is printed: a unit of its last digit"
	roughly      = "'about', '≈' or one digit: within a quarter; within a hundredth as stated"
	fourDigits   = "printed to four decimals: a unit of the last, for the paper cuts as well as rounds"
	exactFormula = "the exact formula"
	oneArray     = "Table 1 computes f and ε of one array; it states no rate of the whole"
	noGainInTime = "no network is named, and no gain in time"
	designed     = "a design for ε comes near it: within a quarter"
	inPlaceOf    = "in place of: no higher a rate, both at 500 articles"
	growsNoMore  = "cured if the rate grows no more: when full again, over when full for the first time"
	movedStays   = "moved data stay recognised; one repeat would refute it"
	lowerRate    = "a larger filter is built for a lower rate: no higher than one that began so large"
	oneLost      = "one lost would refute it"
	isLess       = "less is a tenth less at least"
)

// rule returns the Rule that all the evidence lies in the region.
func rule(region Region, because string, evidence ...Evidence) Rule {
	return Rule{Evidence: evidence, Region: region, Because: because}
}

// amend returns an Amendment. Its text contains a %s for each row of shows.
func amend(says string, r Rule, shows ...Evidence) *Amendment {
	a := &Amendment{Says: says, Rule: r}
	for _, e := range shows {
		a.Shows = append(a.Shows, e.Ref)
	}
	return a
}

// sized returns the remedy that a filter sized for a target rate meets it by the exact formula. The query contains a
// %s for the quantity; the text shows the filter's bits and hashes.
func sized(says, query string, target float64) *Amendment {
	of := func(quantity string) Evidence { return theory(fmt.Sprintf(query, quantity)) }
	return amend(says, rule(atMost(target), exactFormula, of("fpr")), of("bits"), of("hashes"))
}

// measured returns the measured value of the row that a query names, and theory its expected value. They panic if the
// query is malformed, which any test of All finds.
func measured(query string) Evidence { return Evidence{Ref: Ref{Measured: mustParse(query)}} }
func theory(query string) Evidence   { return Evidence{Ref: Ref{Theory: mustParse(query)}} }

// overTheory divides a row's measured value by its expected one, and textbook the textbook's rate by the exact one.
func overTheory(query string) Evidence { return measured(query).over(theory(query)) }

func textbook(of string) Evidence {
	return theory("fpr: fpr of " + of + ", formula=asymptotic").over(theory("fpr: fpr of " + of + ", formula=exact"))
}

func mustParse(query string) results.Query {
	q, err := results.ParseQuery(query)
	if err != nil {
		panic(err)
	}
	return q
}

// among requires that the row rests on n observations.
func (e Evidence) among(n int64) Evidence { e.Among = n; return e }

// upTo says that the row is a mean over users, each of whom has a number from 0 to most.
func (e Evidence) upTo(most float64) Evidence { e.Most = most; return e }

// over divides by another row's number, and less subtracts it.
func (e Evidence) over(by Evidence) Evidence   { e.Over = &by.Ref; return e }
func (e Evidence) less(than Evidence) Evidence { e.Less = &than.Ref; return e }

// list is evidence that must all lie in one region.
type list []Evidence

// over divides each by another row's number.
func (l list) over(by Evidence) list {
	for i := range l {
		l[i] = l[i].over(by)
	}
	return l
}

// each returns a row for each value, which replaces %v in the query. kind is measured or theory.
func each(kind func(query string) Evidence, query string, values ...any) (l list) {
	for _, v := range values {
		l = append(l, kind(fmt.Sprintf(query, v)))
	}
	return l
}

// arrays returns the bytes of a strategy's bit arrays, without the header, after each number of articles.
func arrays(strategy string, articles ...any) list {
	l := each(measured, "memory: bytes per user of "+strategy+" at articles=%v", articles...)
	for i := range l {
		l[i] = l[i].less(measured("table1: header per user of " + strategy))
	}
	return l
}

// interval returns a Region that is tight as a whole.
func interval(low, high float64) Region { return Region{low, high, low, high} }

// equal returns the region of a number without error, counted or computed.
func equal(v float64) Region { return interval(v, v) }

// printed returns v give or take a unit of the last printed digit: the sources cut as well as round (5.633 for
// 5.6339).
func printed(v, unit float64) Region { return interval(v-unit, v+unit) }

// atMost and atLeast have one end.
func atMost(v float64) Region  { return interval(math.Inf(-1), v) }
func atLeast(v float64) Region { return interval(v, math.Inf(1)) }

// The rule for ratios: like is divided by like, both full or both at the same moment, by what the sentence compares
// with. No more is at most a tenth more, less is a tenth less at least, and "far" or "greatly" is a factor of two.
var (
	noMore  = atMost(1.1)
	less    = atMost(0.9)
	more    = atLeast(1.1)
	greatly = atLeast(2)
)

// anything is the region of a claim that states no bound. No row can refute it, so the verdict is Vague.
var anything = interval(math.Inf(-1), math.Inf(1))

// The rule for every number behind "about" or "≈", or rounded to one digit: up to a share of aboutWide away from it
// the claim holds approximately, up to aboutTight it holds. A quarter changes nobody's plans. Nobody says "about" for a
// hundredth.
const (
	aboutWide  = 0.25
	aboutTight = 0.01
)

// about returns the region of such a number.
func about(v float64) Region {
	w, t := math.Abs(aboutWide*v), math.Abs(aboutTight*v)
	return Region{v - w, v + w, v - t, v + t}
}

// upTo and fromOn return the region of a bound that a source states: a claim that meets it holds, and one that misses
// it by a share of aboutWide at most holds approximately.
func upTo(v float64) Region   { return Region{math.Inf(-1), v * (1 + aboutWide), math.Inf(-1), v} }
func fromOn(v float64) Region { return Region{v * (1 - aboutWide), math.Inf(1), v, math.Inf(1)} }
