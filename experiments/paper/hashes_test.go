package paper

import (
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/strategies/strategytest"
)

// Seeds are independent: a nearby seed has other URLs, and no stream of another shape.
func TestSeedsAreIndependent(t *testing.T) {
	apart := func(seed uint64) {
		t.Helper()
		if a, b := firstArticle(seed), firstArticle(seed+1); max(a, b)-min(a, b) < 1e7 {
			t.Errorf("seed %d begins with URL %d, the next with %d", seed, a, b)
		}
	}
	used := map[uint64]uint64{}
	for seed := uint64(2016); seed < 2036; seed++ {
		apart(seed)
		for number := range 20 {
			of := engine.Scope{Seed: seed}.SeedOf(number)
			if before, ok := used[of]; ok {
				t.Errorf("number %d of seed %d is one of seed %d", number, seed, before)
			}
			used[of] = seed
		}
	}
	// What is counted of URLs follows the seed.
	countOf := func(seed uint64) measure.Rate {
		scope := engine.Scope{Users: 1, Seed: seed, Entries: catalogue.All()}
		run := engine.New(t.Context(), scope, engine.NewProgress(t.Output()))
		few := biases("few", filters, 1, byDigests[:1])
		return strategytest.Value(few.Make(t.Context(), run, measure.Range{To: 50}))[0][0]
	}
	if countOf(1) == countOf(2) {
		t.Errorf("seeds 1 and 2 count the same: %+v", countOf(1))
	}
}
