package catalogue_test

import (
	"fmt"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/strategies/strategytest"
)

// Strategies of all packages, of sizes drawn at random, live side by side in one process.
func TestDraw(t *testing.T) {
	entries := catalogue.All()
	draw := func(r strategytest.Random, number int) (strategytest.Subject, string) {
		for {
			e := entries[r.IntN(len(entries))]
			s, err := e.Make()
			strategytest.Must(t, err)
			about := e.Name
			if e.Sized != nil {
				window, fpr := r.Log(1, 2000), r.Rate()
				if s, err = e.Sized(window, fpr); err != nil {
					continue
				}
				about = fmt.Sprintf("%s for %d articles at %v", e.Name, window, fpr)
			}
			return strategytest.Subject{Strategy: s, Theory: s, Life: r.Log(1, 1500), Nested: true}, about
		}
	}
	strategytest.DrawSubjects(t, "cebdc39aff6eae84", draw)
}
