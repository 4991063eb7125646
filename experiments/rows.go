package main

import (
	"dejavu/experiments/catalogue"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/workload"
)

// What the paper says, with the section that says it.
const (
	paperFPR     = 0.0156 // §5, Table 1: f of every filter
	paperEpsilon = 0.02   // §4: ε
)

// What every experiment makes its rows with.
var (
	rate    = row.Rate
	number  = row.Number
	perUser = row.Mean
)

// meanOverLives is the expectation of f over the articles shown to a reader of
// the full population.
func meanOverLives(f func(shown int) float64) float64 {
	sum := 0.
	for shown := workload.Least; shown <= workload.MaxShown; shown++ {
		sum += workload.ShownShare(shown) * f(shown)
	}
	return sum
}

// remembers is whether theory says that the article shown age articles ago is
// certainly recognised after read articles.
func remembers(s measure.Subject, read, age int) bool {
	if r, ok := s.Strategy.(measure.Rememberer); ok {
		return r.Remembers(read, age)
	}
	return age <= s.Theory.Window(read)
}

// eachEntry collects the rows that every entry of the full population contributes.
func (s *suite) eachEntry(rows func(e catalogue.Entry, subject measure.Subject) (rows, timing []results.Row, err error)) (all, timing []results.Row, err error) {
	for _, e := range fullEntries() {
		subject, err := s.subject(e)
		if err != nil {
			return nil, nil, err
		}
		r, t, err := rows(e, subject)
		if err != nil {
			return nil, nil, err
		}
		all, timing = append(all, r...), append(timing, t...)
	}
	return all, timing, nil
}
