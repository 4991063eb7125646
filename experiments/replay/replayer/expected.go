package replayer

import (
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies"
)

// Expected is theory's mean over the fresh articles that were asked for, by how
// many articles a history held: nothing where none was, or where forgetting goes by
// the calendar.
func Expected(s measure.Subject, fresh []int64) (mean results.Number) {
	if _, dated := s.Strategy.(strategies.Dated); dated || row.Sum(fresh) == 0 {
		return mean
	}
	sum := 0.
	for held, n := range fresh {
		if n > 0 {
			sum += float64(n) * s.Theory.FPR(held)
		}
	}
	return results.Num(sum / float64(row.Sum(fresh)))
}

// ExpectedOfDistinct is theory's mean by how many different articles a history keeps, which is
// what theory is of: nothing where that is not known.
func ExpectedOfDistinct(s measure.Subject, r Counts) (mean results.Number) {
	counted := row.Sum(r.FreshByDistinct)
	if counted+r.FreshLinked == 0 {
		return mean
	}
	sum := float64(r.HitsLinked) / linkedUnit
	if rate, ok := Expected(s, r.FreshByDistinct).Get(); ok {
		sum += rate * float64(counted)
	}
	return results.Num(sum / float64(counted+r.FreshLinked))
}
