package paper

import (
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// Certainty comes from theory's window, or from the strategy itself.
func TestRemembers(t *testing.T) {
	for _, subject := range catalogue.Subjects("chain", results.Beyond+"ring") {
		window := subject.Theory.Window(1000)
		r, says := subject.Strategy.(measure.Rememberer)
		for age := max(1, window-2); age < window+2; age++ {
			want := age <= window
			if says {
				want = r.Remembers(1000, age)
			}
			strategytest.Equal(t, remembers(subject, 1000, age), want,
				"%s after 1000 articles: the one %d ago is remembered", subject.Name, age)
		}
	}
}
