package scalable

import (
	"testing"

	"dejavu/bloom"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// The stages equal filters of package bloom, each with its own IDs, for every number of hashes.
func TestStagesAreFiltersOfBloom(t *testing.T) {
	for hashes := 1; hashes <= 12; hashes++ {
		for i := range 3 {
			g := bloom.Geometry{Bits: 301 + 100*i, Hashes: hashes}
			lane := strategytest.Value(bloom.NewLanes(g, 1))
			s := stage{Lanes: lane, salt: bloom.Salt(i)}
			plain, array := make([]bool, g.Bits), make([]byte, s.Bytes())
			ids := strategytest.IDs(uint64(hashes), 1000)
			ids[0], ids[1] = 0, 1<<64-1
			own := func(id strategies.ID) []int { return g.Positions(nil, uint64(bloom.Salted(id, s.salt))) }
			for _, id := range ids[:200] {
				for _, p := range own(id) {
					plain[p] = true
				}
			}
			bloom.InsertSalted(s.Lanes, array, s.salt, ids[:150])
			bloom.InsertSalted(s.Lanes, array, s.salt, ids[150:200])
			for p, want := range plain {
				if got := array[p/8]>>(p%8)&1 != 0; got != want {
					t.Fatalf("%v, stage %d: bit %d is %v, want %v", g, i, p, got, want)
				}
			}
			seen := make([]bool, len(ids))
			for j := range seen {
				seen[j] = j%7 == 0
			}
			s.mark(array, ids, seen)
			for j, id := range ids {
				want := true
				for _, p := range own(id) {
					want = want && plain[p]
				}
				if want = want || j%7 == 0; seen[j] != want {
					t.Fatalf("%v, stage %d: ID %#x is %v, want %v", g, i, id, seen[j], want)
				}
			}
		}
	}
}
