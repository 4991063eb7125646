package store_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"dejavu/internal/sysinfo"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// residents scales the tests of resident memory: -residents 5000000 takes 2.6 GB and ten seconds.
var residents = flag.Int("residents", 200_000, "readers in TestResident and the tests of growth")

// fiveSteps is the chain's way to the paper's 512 bytes: one link after another.
var fiveSteps = climb{104, 206, 307, 409, 510}

var shownOne = []strategies.ID{0x0101}

func recordAll(s *store.Store[int], users int, now store.Timestamp) {
	for u := range users {
		s.Record(u, now, shownOne)
	}
}

// TestSmallStore: a thousand users must not pay for ten million.
func TestSmallStore(t *testing.T) {
	const users = 1000
	s := mustNew(t, store.Config{Unsalted: true, Strategy: fiveSteps, Users: users})
	for range fiveSteps {
		recordAll(s, users, 0)
		st := s.Stats()
		strategytest.AtMost(t, st.Slabs, 2*st.Payload+4096, "bytes of slabs for %d of payload", st.Payload)
		t.Logf("payload %d, slabs %d, bookkeeping %d", st.Payload, st.Slabs, st.Bookkeeping)
	}
	for u := range users - 50 {
		strategytest.Must(t, s.Put(u, 0, nil))
	}
	check(t, s)
	if st := s.Stats(); st.Slabs > 4*st.Payload+4096 {
		t.Errorf("slabs of %d bytes for %d of payload, want at most four times", st.Slabs, st.Payload)
	}
}

// Stats counts every byte of bookkeeping that New takes: the tables of pools, staging buffers, entries, classes.
func TestBookkeeping(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("the race detector keeps memory of its own")
	}
	sizes := make(climb, 16_000)
	for i := range sizes {
		sizes[i] = i + 1
	}
	for _, c := range []store.Config{
		{Strategy: sizes[:1000], Shards: 64},
		{Strategy: climb{1 << 16}, Shards: 64},
		{Strategy: flat, Users: 1 << 19},
		{Strategy: sizes, Shards: 1},
		{Strategy: flat, Shards: 10_000},
	} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := strategytest.Value(store.New[int](c))
		runtime.ReadMemStats(&after)
		took := int64(after.TotalAlloc - before.TotalAlloc)
		strategytest.Between(t, s.Stats().Bookkeeping, took*97/100-4096, took, "bytes of bookkeeping, New allocates %d", took)
	}
}

// TestSpares: a pool that grows and shrinks around the end of a chunk keeps the chunk.
func TestSpares(t *testing.T) {
	s := mustNew(t, store.Config{Unsalted: true, Strategy: climb{1000}, Users: 10_000, Shards: 1})
	recordAll(s, 10_000, 0)
	before := s.Stats()
	for u := range s.ChunkBytes() / 1000 {
		strategytest.Must(t, s.Put(u, 0, nil))
	}
	strategytest.AtLeast(t, s.Stats().Slabs, before.Slabs, "bytes of slabs, with the spare chunk kept,")
}

// TestAllocations checks that a store at rest allocates nothing, for any request: in place, growing, shrinking,
// expiring.
func TestAllocations(t *testing.T) {
	const users = 2000
	s := mustNew(t, store.Config{Unsalted: true, Strategy: climb{104, 208}, Users: users, Idle: store.Day, Shards: 2})
	recordAll(s, users, 0)
	recordAll(s, users/2, 0) // so that no pool is at its very end
	alone := mustNew(t, store.Config{Unsalted: true, Strategy: climb{104, 208}, Users: 1})
	alone.Record(0, 0, shownOne)
	seen, buffer := make([]bool, 0, 1), make([]byte, 0, 508)
	u, now := 0, store.Timestamp(0)
	requests := make([]store.Request[int], 50)
	for i := range requests {
		requests[i] = store.Request[int]{User: i * 17, Candidates: shownOne, Seen: make([]bool, 0, 1)}
	}
	tests := map[string]func(){
		"SeenAll": func() {
			for i := range requests {
				requests[i].Seen = requests[i].Seen[:0]
			}
			s.SeenAll(now, requests)
		},
		"Seen":             func() { s.Seen(u, now, shownOne, seen) },
		"Record":           func() { s.Record(u, now, shownOne); s.Record(u, now, shownOne) },
		"Record, expiring": func() { now += store.Day; s.Record(u, now, shownOne) },
		"History":          func() { s.History(u, now, buffer) },
		"Forget":           func() { s.Forget(0) },
		"Record, alone":    func() { alone.Record(0, 0, shownOne); alone.Record(0, 0, shownOne) },
	}
	for name, f := range tests {
		strategytest.Equal(t, testing.AllocsPerRun(500, f), 0, "%s allocates times", name)
	}
}

// resident returns residentNow without garbage.
func resident() int64 {
	debug.FreeOSMemory()
	return residentNow()
}

// residentNow returns the resident bytes of this process without pages of files, such as its own code, or 0 if the
// system does not say.
func residentNow() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages, files int64
	if _, err := fmt.Fscan(bytes.NewReader(text), &size, &pages, &files); err != nil {
		return 0
	}
	return (pages - files) * int64(os.Getpagesize())
}

// tellsResident skips a test of resident memory if the system does not report it.
func tellsResident(t *testing.T) {
	t.Helper()
	if sysinfo.RaceDetector {
		t.Skip("the race detector keeps memory of its own")
	}
	if residentNow() == 0 {
		t.Skip("no /proc/self/statm here")
	}
}

// TestResident asks the operating system what Stats cannot know. The aim at ten million users is 1.05 of the
// payload and 12 bytes a user; a megabyte is for the rest of the process.
func TestResident(t *testing.T) {
	tellsResident(t)
	users := *residents
	before := resident()
	s := mustNew(t, store.Config{Unsalted: true, Strategy: flat, Users: users, Idle: store.Day})
	recordAll(s, users, 0)
	held := resident() - before
	st := s.Stats()
	t.Logf("resident %d = %.4f payload + 12 bytes a reader; slabs %.4f payload; bookkeeping %.2f bytes a reader",
		held, float64(held-12*int64(users))/float64(st.Payload), float64(st.Slabs)/float64(st.Payload),
		float64(st.Bookkeeping)/float64(users))
	strategytest.AtMost(t, held, st.Payload*105/100+12*int64(users)+1<<20, "bytes resident")
	s.Forget(store.Day)
	left := resident() - before
	t.Logf("after Forget: resident %d = %.2f bytes a reader", left, float64(left)/float64(users))
	strategytest.AtMost(t, left, 12*int64(users)+2<<20, "bytes resident after everyone is forgotten")
	check(t, s) // and keeps s alive
}

// TestAbandoned: an abandoned store gives its memory back. It is the only store here that no cleanup empties.
func TestAbandoned(t *testing.T) {
	tellsResident(t)
	const users = 100_000
	before := resident()
	s := strategytest.Value(store.New[int](store.Config{Unsalted: true, Strategy: flat, Users: users}))
	recordAll(s, users, 0)
	if held := resident() - before; held < users*508 {
		t.Fatalf("%d bytes resident, want at least the payload of %d", held, users*508)
	}
	runtime.KeepAlive(s)
	// Cleanups run some time after a collection.
	for range 100 {
		if resident()-before < users*50 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d bytes resident a second after the store was abandoned, want less than %d", resident()-before, users*50)
}

// Two stores with chunks of different lengths, one after the other, repeatedly: resident memory stays at what the
// larger needs, the arena knows how much of it is idle, and Release gives it back.
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
		strategytest.AtMost(t, resident()-before-kept, most+4<<20,
			"round %d: bytes resident, the largest store took %d", round, most)
		s.Clear()
		strategytest.Between(t, arena.Idle(), st.Payload, resident()-before+1<<20,
			"round %d: bytes idle after Clear, %d resident, the payload was %d", round, resident()-before, st.Payload)
	}
	arena.Release()
	kept := int64(9 * users * rounds)
	if idle, held := arena.Idle(), resident()-before-kept; idle != 0 || held > 2<<20 {
		t.Errorf("after Release %d bytes are idle and %d resident", idle, held)
	}
}

// Readers may come while the store is cleared: each finds no history or one recorded since, and never freed memory.
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
