package shared

import (
	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/workload"
)

// MeanOverLives is the expectation of f over the articles shown to a user of the full population.
func MeanOverLives(f func(shown int) float64) float64 {
	sum := 0.
	for shown := workload.Least; shown <= workload.MaxShown; shown++ {
		sum += workload.ShownShare(shown) * f(shown)
	}
	return sum
}

// Remembers is whether theory says that the article shown age articles ago, 1 being the newest, is certainly
// recognised after read articles.
func Remembers(s measure.Subject, read, age int) bool {
	if r, ok := s.Strategy.(measure.Rememberer); ok {
		return r.Remembers(read, age)
	}
	return age <= s.Theory.Window(read)
}

// A Limited strategy records the first articles of those it is shown and no more: stopwatch.Hot shows all its
// subjects the same.
type Limited struct {
	strategies.Strategy
	Articles int
}

// Record keeps the first articles of those shown.
func (l Limited) Record(history []byte, shown []strategies.ID) []byte {
	return l.Strategy.Record(history, shown[:min(len(shown), l.Articles)])
}
