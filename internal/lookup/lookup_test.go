package lookup_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/internal/kernel/kerneltest"
	"dejavu/internal/lookup"
	"dejavu/internal/mix"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// listed returns a list as in a history.
func listed(ids []strategies.ID) []byte {
	list := make([]byte, lookup.IDBytes*len(ids))
	lookup.Put(list, ids...)
	return list
}

// draw draws IDs, with repeats. Where crowded they begin their search at one of three
// places, the last of all among them, so that searches meet, and go round the end.
func draw(r *rand.Rand, n int, crowded bool) []strategies.ID {
	ids := make([]strategies.ID, n)
	for i := range ids {
		ids[i] = strategies.ID(r.Uint64())
		if crowded {
			ids[i] = strategies.ID(mix.Unmix([]uint64{0, 1 << 62, 0x7ff << 53}[r.IntN(3)] + r.Uint64N(200)))
		}
		if i > 0 && r.IntN(10) == 0 {
			ids[i] = ids[r.IntN(i)]
		}
	}
	return ids
}

// Both ways give the answers of a map, for lists and requests of any length up to 70,000 past a table of any number of
// candidates or IDs that it takes. They leave alone what they do not find, and candidates that were not entered.
func TestDrawn(t *testing.T) {
	t.Run("uint8", func(t *testing.T) { drawn[uint8](t, lookup.MaxEntries8, "4d519ff1d4aeb13e") })
	t.Run("uint16", func(t *testing.T) { drawn[uint16](t, lookup.MaxEntries, "ce77dc8f0ad77972") })
}

func drawn[N uint8 | uint16](t *testing.T, most int, digest string) {
	kerneltest.Draw(t, 400, digest, func(_ int, r *rand.Rand) (about string, returned []byte) {
		crowded := r.IntN(2) == 0
		entered, run := draw(r, kerneltest.Log(r, 0, most), crowded), draw(r, kerneltest.Length(r), crowded)
		for i := range run { // half of them are there
			if len(entered) > 0 && r.IntN(2) == 0 {
				run[i] = entered[r.IntN(len(entered))]
			}
		}
		about = fmt.Sprintf("%d entered, %d run past them, crowded: %v", len(entered), len(run), crowded)
		for _, ask := range []bool{false, true} {
			var table lookup.Table[N]
			list, candidates, step := run, entered, 1+r.IntN(2)
			if ask {
				list, candidates, step = entered, run, 1
			}
			bytes := listed(list)
			set, seen, want := map[strategies.ID]bool{}, make([]bool, len(candidates)), make([]bool, len(candidates))
			for _, id := range list {
				set[id] = true
			}
			for i, id := range candidates {
				seen[i] = r.IntN(10) == 0
				want[i] = seen[i] || i%step == 0 && set[id]
			}
			if ask {
				table.EnterAll(bytes)
				table.Ask(bytes, candidates, seen)
			} else {
				for i := 0; i < len(candidates); i += step {
					table.Enter(candidates[i], i+1)
				}
				table.Run(bytes, candidates, seen)
			}
			if !slices.Equal(seen, want) || len(list) > 0 && lookup.First(bytes) != list[0] {
				t.Fatalf("%s: other answers than a map's, asked: %v, one in %d entered", about, ask, step)
			}
			returned = append(fmt.Append(returned, seen), bytes...)
		}
		return about, returned
	})
}

func TestAllocations(t *testing.T) {
	ids, seen := strategytest.IDs(4, lookup.MaxEntries), make([]bool, lookup.MaxEntries)
	list := listed(ids)
	strategytest.Equal(t, testing.AllocsPerRun(20, func() {
		var table lookup.Table[uint16]
		for i, id := range ids {
			table.Enter(id, i+1)
		}
		table.Run(list, ids, seen)
		table.Ask(list, ids, seen)
	}), 0, "allocations")
}

// Two candidates against a list of three: the table holds the candidates.
func ExampleTable() {
	article := strategies.XXHashString
	list := listed([]strategies.ID{article("tides"), article("comet"), article("bees")})
	candidates := []strategies.ID{article("comet"), article("moss")}

	var table lookup.Table[uint8]
	for i, id := range candidates {
		table.Enter(id, i+1)
	}
	seen := make([]bool, len(candidates))
	table.Run(list, candidates, seen)
	fmt.Println(seen)
	// Output: [true false]
}
