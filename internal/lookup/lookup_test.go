package lookup_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/internal/lookup"
	"dejavu/internal/mix"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// listed is a list as it lies in a history.
func listed(ids []strategies.ID) (list []byte) {
	for _, id := range ids {
		list = append(list, make([]byte, lookup.IDBytes)...)
		lookup.Put(list[len(list)-lookup.IDBytes:], id)
	}
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

// Both ways give the answers of a map, for lists and requests of any length that a
// table takes, and leave alone what they do not find: seen is true of a tenth before.
func TestAgainstAMap(t *testing.T) {
	t.Run("uint8", func(t *testing.T) { againstAMap[uint8](t, lookup.MaxEntries8) })
	t.Run("uint16", func(t *testing.T) { againstAMap[uint16](t, lookup.MaxEntries) })
}

func againstAMap[N uint8 | uint16](t *testing.T, most int) {
	r := rand.New(rand.NewPCG(2016, 8))
	found, missed := 0, 0
	for round := range 300 {
		crowded := round%2 == 0
		entered, run := draw(r, r.IntN(most+1), crowded), draw(r, r.IntN(1200), crowded)
		if round%100 == 0 {
			entered = draw(r, most, crowded) // no more room
		}
		for i := range run { // half of them are there
			if len(entered) > 0 && r.IntN(2) == 0 {
				run[i] = entered[r.IntN(len(entered))]
			}
		}
		var table lookup.Table[N]
		for i, id := range entered {
			table.Enter(id, i+1)
		}
		check := func(way string, list, candidates []strategies.ID,
			answer func(list []byte, candidates []strategies.ID, seen []bool),
		) {
			set := map[strategies.ID]bool{}
			for _, id := range list {
				set[id] = true
			}
			seen := make([]bool, len(candidates))
			want := make([]bool, len(candidates))
			for i, id := range candidates {
				seen[i] = r.IntN(10) == 0
				want[i] = seen[i] || set[id]
			}
			answer(listed(list), candidates, seen)
			if !slices.Equal(seen, want) {
				t.Fatalf("%s, round %d: %d listed, %d candidates: other answers than a map's", way, round, len(list),
					len(candidates))
			}
			found += strategytest.Count(seen)
			missed += len(seen) - strategytest.Count(seen)
		}
		check("Run", run, entered, table.Run)
		check("Ask", entered, run, table.Ask)
	}
	strategytest.AtLeast(t, min(found, missed), 10_000,
		"%d were found and %d were not: that shows little", found, missed)
}

// A table may hold some of the candidates: the others are not looked for.
func TestSomeAreEntered(t *testing.T) {
	ids := strategytest.IDs(8, 100)
	var table lookup.Table[uint8]
	for i := 1; i < len(ids); i += 2 {
		table.Enter(ids[i], i+1)
	}
	seen := make([]bool, len(ids))
	table.Run(listed(ids), ids, seen)
	for i, s := range seen {
		strategytest.Equal(t, s, i%2 == 1, "candidate %d seen is", i)
	}
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
