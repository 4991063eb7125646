package store_test

import (
	"testing"

	"dejavu/store"
	"dejavu/strategies"
)

// Two stores with chunks of different lengths, one after the other, as often as you like: what is resident
// stays what the larger of the two needed, the arena knows how much of it is idle, and Release gives it back.
func TestArena(t *testing.T) {
	tellsResident(t)
	const users, rounds = 100_000, 6
	arena := new(store.Arena)
	before := resident()
	most := int64(0)
	for round := range rounds {
		strategy := []strategies.Strategy{flat, climb{300}}[round%2]
		s := mustNew(t, store.Config{Unsalted: true, Strategy: strategy, Users: users, Arena: arena})
		recordAll(s, users, 0)
		st := s.Stats()
		most = max(most, st.Slabs+st.Bookkeeping)
		kept := int64(9 * users * round) // of the stores before, which the test keeps alive: 8 for words
		if held, want := resident()-before-kept, st.Slabs+st.Bookkeeping+arena.Idle(); held > want+2<<20 ||
			held < want-2<<20 {
			t.Errorf("round %d: %d bytes resident, want %d of the store's and %d idle", round, held, st.Slabs+st.Bookkeeping,
				arena.Idle())
		}
		if held := resident() - before - kept; held > most+4<<20 {
			t.Errorf("round %d: %d bytes resident, the largest store took %d", round, held, most)
		}
		s.Clear()
		if idle := arena.Idle(); idle < st.Payload || idle > resident()-before+1<<20 {
			t.Errorf("round %d: %d bytes idle after Clear, %d resident, the payload was %d", round, idle, resident()-before,
				st.Payload)
		}
	}
	arena.Release()
	kept := int64(9 * users * rounds)
	if idle, held := arena.Idle(), resident()-before-kept; idle != 0 || held > 2<<20 {
		t.Errorf("after Release %d bytes are idle and %d resident", idle, held)
	}
}

// Readers may come while the store is cleared: each finds a newcomer's history or the one that was recorded
// since, and no memory that is gone.
func TestClearWhileServing(t *testing.T) {
	const users = 2000
	s := mustNew(t, store.Config{Unsalted: true, Strategy: ladder{stride: 8}, Users: users, Arena: new(store.Arena)})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 30 {
			s.Clear()
		}
	}()
	ids, seen := []strategies.ID{1, 2, 3}, make([]bool, 3)
	for user := 0; ; user = (user + 1) % users {
		select {
		case <-done:
			check(t, s)
			return
		default:
		}
		s.Record(user, 0, ids)
		s.Seen(user, 0, ids, seen[:0])
	}
}
