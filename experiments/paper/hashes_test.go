package paper

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/measure"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// Seeds are independent: one nearby has other URLs, none of those of this one, and no stream of another shape.
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

// The catalogue has the MD5 of its URLs, whose queue has no false positive; digests of 16 bits, planted, give it many.
func TestPopulationByMD5(t *testing.T) {
	named, short := namedByMD5(7), new(workload.Named)
	sum := md5.Sum(fmt.Appendf(nil, "https://news.example/articles/%d", firstArticle(7)+1))
	strategytest.Equal(t, uint64(named[1]), binary.BigEndian.Uint64(sum[:8]), "article 1, the first half of %x, is", sum)
	for i, id := range named {
		short[i] = id >> 48
	}
	count := func(named *workload.Named) measure.FullCounts {
		population := catalogue.Must(workload.NewFull(7, 300)).Over(named)
		s, users := catalogue.Subjects("queue")[0], measure.Range{To: 300}
		c, _, err := measure.Full(t.Context(), s, population, users, measure.Options{}, nil)
		strategytest.Must(t, err)
		return c
	}
	good, bad := count(named), count(short)
	if good.WindowMisses > 0 || good.WindowChecks == 0 || good.Steady().Hits > 0 || bad.Steady().Hits == 0 {
		t.Errorf("%d repeats, %v; of 16 bits %v", good.WindowMisses, good.Steady(), bad.Steady())
	}
}
