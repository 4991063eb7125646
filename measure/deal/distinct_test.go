package deal

import (
	"math/rand/v2"
	"testing"

	"dejavu/strategies"
)

// A request's articles are told apart as by a map, in requests of all lengths one after
// the other, also where the rounds begin anew.
func TestDistinct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var d distinct
	for i := range 3000 {
		if i == 1500 {
			d.round = 1<<32 - 3
		}
		n := 1 + r.IntN(100)
		d.begin(n)
		if len(d.slots) < 2*n {
			t.Fatalf("%d slots for %d articles", len(d.slots), n)
		}
		known := map[strategies.ID]bool{}
		for range n {
			id := strategies.ID(r.Uint64N(60)) << (8 * r.IntN(3))
			if d.add(id) == known[id] {
				t.Fatalf("request %d: article %d is new: %t", i, id, known[id])
			}
			known[id] = true
		}
	}
}
