package measure

import (
	"testing"

	"pgregory.net/rapid"

	"dejavu/strategies"
)

// The exact sets are maps: few readers and articles, so that tables grow, move
// and are used again.
func TestExactIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lanes := rapid.IntRange(1, 3).Draw(t, "lanes")
		x := newExact(lanes)
		want := map[int]map[strategies.ID][3]uint32{}
		ids := rapid.SampledFrom([]strategies.ID{0, 1, 2, 3, 1 << 32, 2 << 32, 1 << 63, 1<<64 - 1, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86})
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			reader := rapid.IntRange(0, 5).Draw(t, "reader")
			more := rapid.IntRange(1, 40).Draw(t, "more")
			if want[reader] == nil {
				want[reader] = map[strategies.ID][3]uint32{}
			}
			table := x.open(reader, more)
			for range more {
				id := ids.Draw(t, "article") + strategies.ID(rapid.IntRange(0, 9).Draw(t, "and")*1000)
				got, known := table.find(id)
				old, ok := want[reader][id]
				if known != ok || len(got) != lanes || first(got) != old[0] {
					t.Fatalf("article %d of reader %d: known %v, %v, want %v, %v", id, reader, known, got, ok, old)
				}
				for i := 1; i < lanes; i++ {
					if got[i] != old[i] {
						t.Fatalf("article %d of reader %d: lane %d is %d, want %d", id, reader, i, got[i], old[i])
					}
					old[i] = rapid.Uint32().Draw(t, "value")
					got[i] = old[i]
				}
				old[0] = rapid.Uint32Max(1<<31-1).Draw(t, "first")
				setFirst(got, old[0])
				want[reader][id] = old
			}
			if n := int(x.places[reader].n); n != len(want[reader]) {
				t.Fatalf("reader %d has %d articles, want %d", reader, n, len(want[reader]))
			}
		}
		if x.bytes() == 0 {
			t.Fatal("no memory at all")
		}
	})
}
