// Package claims lists what the sources claim, in our own words, and judges each claim by a run's rows.
//
// A Claim names the rows that answer it and a Region of values for which it would be true. Judge looks the rows up:
// change a row, and the verdict follows. Closed forms are rows too. A claim that states no bound has a region without
// one, and the ledger shows what was found beside it.
//
// Among all claims that rest on measured rates, the chance that even one is wrongly refuted is at most 5 %, and so is
// the chance that even one is wrongly upheld (Holm's correction over the ledger, once for each). Counts and closed
// forms are compared as they are. A claim on times must be off by Robust to be refuted.
package claims

import (
	"math"
	"slices"
	"strconv"

	"dejavu/results"
)

// A Source is a document whose claims are in the ledger.
type Source string

// The sources.
const (
	Paper   Source = "paper"   // Zhao, Li, Zhu, Zhan: Research on deduplication based on Bloom filters, 2016
	Article Source = "article" // Bloom filters in recommender systems, an encyclopaedic article of 2025
	Lecture Source = "lecture" // Wang: lecture on the exposure filter, its slides, and a listener's notes
)

// A Claim is something that a source says and that rows can confirm or refute. Rows decide every Claim with evidence;
// no row can answer a Claim without.
type Claim struct {
	ID      string // "P12", or "P25a" and "P25b" for two readings
	Source  Source
	Section string // "§5", "Table 1", "slides"
	Says    string // the claim, in our words, in one line
	Reading string // which of several readings this is; empty for a single one

	Quantity string         // what is compared, for people
	Unit     string         // "B", "bit", "ratio" for a share, Times; empty for a pure number
	Stated   results.Number // the number that the source states, in that unit

	Rule

	// Slip corrects a slip of the pen, such as a power of ten or = for ≈. If the Rule refutes what is printed and the
	// Slip's rule confirms what is meant, the claim holds after correction.
	Slip *Amendment

	// Remedy says what would make a refuted claim true, or what else was found if the claim cannot be tested.
	Remedy *Amendment

	// Silent says why no row can answer a claim without evidence.
	Silent string
}

// Times is the unit of a quotient that is not a share.
const Times = "times"

// A Rule says when a claim is true: all its evidence lies in the region.
type Rule struct {
	Evidence []Evidence
	Region   Region
	Because  string // why this evidence and this tolerance
}

// An Amendment is a claim changed so that it holds; the Rule checks that.
type Amendment struct {
	Says  string // a "%s" for each of Shows
	Shows []Ref  // whose numbers are shown
	Rule
}

// A Ref names a row, and which of its numbers counts: what was measured, or the closed form.
type Ref struct {
	Measured, Theory results.Query // one of them
	Among            int64         // if not 0, the observations that the row must rest on
	Most             float64       // if not 0, the row is a mean of sampled numbers, each from 0 to Most
}

// Query returns the name of the row.
func (r Ref) Query() results.Query {
	if r.Measured.Quantity == "" {
		return r.Theory
	}
	return r.Measured
}

// String names the row, and which of its columns counts.
func (r Ref) String() string {
	if r.Measured.Quantity == "" {
		return r.Theory.String() + " (theory)"
	}
	return r.Measured.String()
}

// Evidence is a number computed from rows: one row's number, or divided by another's, or less another's.
type Evidence struct {
	Ref
	Over, Less *Ref
}

// Refs lists the rows that e rests on.
func (e Evidence) Refs() []Ref {
	refs := []Ref{e.Ref}
	for _, other := range []*Ref{e.Over, e.Less} {
		if other != nil {
			refs = append(refs, *other)
		}
	}
	return refs
}

// String names the rows.
func (e Evidence) String() string {
	switch {
	case e.Over != nil:
		return e.Ref.String() + ", over " + e.Over.String()
	case e.Less != nil:
		return e.Ref.String() + ", less " + e.Less.String()
	}
	return e.Ref.String()
}

// Refs lists the rows that the claim's verdict and remedy rest on, each once.
func (c Claim) Refs() (refs []Ref) {
	rules := []Rule{c.Rule}
	var shows []Ref
	for _, a := range []*Amendment{c.Slip, c.Remedy} {
		if a != nil {
			rules, shows = append(rules, a.Rule), append(shows, a.Shows...)
		}
	}
	for _, rule := range rules {
		for _, e := range rule.Evidence {
			refs = append(refs, e.Refs()...)
		}
	}
	return distinct(append(refs, shows...))
}

// Experiments lists the experiments of these rows, each once, in the claim's order.
func (c Claim) Experiments() []string {
	var names []string
	for _, r := range c.Refs() {
		names = append(names, r.Query().Experiment)
	}
	return distinct(names)
}

// distinct returns the list without repetitions.
func distinct[T comparable](list []T) (once []T) {
	for _, v := range list {
		if !slices.Contains(once, v) {
			once = append(once, v)
		}
	}
	return once
}

// A Region holds the values for which a claim is true, Low to High, either of which may be infinite. From TightLow to
// TightHigh it holds as stated, elsewhere approximately.
type Region struct {
	Low, High           float64
	TightLow, TightHigh float64
}

// bounded reports whether some value lies outside r.
func (r Region) bounded() bool { return !math.IsInf(r.Low, -1) || !math.IsInf(r.High, 1) }

// contains reports whether low to high lies in r.
func (r Region) contains(low, high float64) bool { return r.Low <= low && high <= r.High }

// String returns the region in words: "= 4000", "0.0155 to 0.0157", "at most 0.02". If only part of it is tight, that
// part follows a semicolon.
func (r Region) String() string {
	whole := span(r.Low, r.High)
	if r.TightLow == r.Low && r.TightHigh == r.High {
		return whole
	}
	return whole + "; as stated " + span(r.TightLow, r.TightHigh)
}

func span(low, high float64) string {
	switch {
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		return "no bound is stated"
	case low == high:
		return "= " + short(low)
	case math.IsInf(low, -1):
		return "at most " + short(high)
	case math.IsInf(high, 1):
		return "at least " + short(low)
	default:
		return short(low) + " to " + short(high)
	}
}

// short formats a number with the digits that a check needs.
func short(v float64) string { return digits(v, 6) }

// digits formats a number with n digits; a whole number keeps all of its own.
func digits(v float64, n int) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', n, 64)
}
