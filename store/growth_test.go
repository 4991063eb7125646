package store_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"dejavu/internal/sysinfo"
	"dejavu/store"
	"dejavu/strategies/strategytest"
)

// crowd is the share of one shard in ten million users; with fewer, the unfilled ends of chunks would weigh more.
const crowd = 40_000

// A gauge holds a store to the aim: 1.05 of the payload and 12 bytes a user.
type gauge struct {
	*testing.T
	store  *store.Store[int]
	users  int
	before int64 // resident without the store; 0 where nobody can tell
}

func newGauge(t *testing.T, users int) *gauge {
	g := &gauge{T: t, users: users}
	if !sysinfo.RaceDetector { // which keeps memory of its own
		g.before = resident()
	}
	shards := (users + crowd - 1) / crowd
	g.store = mustNew(t, store.Config{Unsalted: true, Strategy: fiveSteps, Users: users, Idle: store.Day, Shards: shards})
	return g
}

// rest bounds how far, beside a hundredth, the process may differ from what the store reports: by tables that are not
// touched yet, and by the runtime's own memory, which varies by less than a megabyte.
const rest = 2 << 20

// read fails the test if the store reports more than the aim, or the system reports that the process takes more or
// less than the store says.
func (g *gauge) read(when string) store.Stats {
	g.Helper()
	st := g.store.Stats()
	own := st.Slabs + st.Bookkeeping
	if limit := st.Payload*105/100 + 12*int64(g.users); own > limit || st.Slabs < st.Payload {
		g.Errorf("%s: slabs of %d bytes and %d of bookkeeping for %d of payload, want at most %d in all",
			when, st.Slabs, st.Bookkeeping, st.Payload, limit)
	}
	if g.before == 0 {
		return st
	}
	held := resident() - g.before
	if tolerance := own/100 + rest; held < own-tolerance || held > own+tolerance {
		g.Errorf("%s: %d bytes are resident, want the store's %d, give or take %d", when, held, own, tolerance)
	}
	g.Logf("%s: payload %d, slabs and bookkeeping %d, resident %d", when, st.Payload, own, held)
	return st
}

// TestGrowth takes everyone from the shortest history to the longest, all together and in no order, then forgets half,
// lets them come back, and forgets all. At every moment, even halfway between two lengths, memory that one length no
// longer needs serves another or is returned to the system.
func TestGrowth(t *testing.T) {
	users := *residents
	if testing.Short() {
		users = min(users, 2*crowd)
	}
	random := rand.New(rand.NewPCG(5, 5))
	order := random.Perm(users)
	shuffle := func() { random.Shuffle(users, func(i, j int) { order[i], order[j] = order[j], order[i] }) }
	g := newGauge(t, users)
	s := g.store
	for i, size := range fiveSteps {
		shuffle()
		for n, u := range order {
			now := store.Timestamp(i)
			if i == len(fiveSteps)-1 && n >= users/2 {
				now = store.Day // who reads so late stays when the others are forgotten
			}
			s.Record(u, now, shownOne)
			if n == users/2 {
				g.read("on the way")
			}
		}
		if st := g.read("all"); st.Users != users || st.Payload != int64(users*size) {
			t.Fatalf("after %d rounds: %+v", i+1, st)
		}
		check(t, s)
	}

	const longest = 510
	strategytest.Equal(t, s.Forget(store.Day+4), users/2, "forgot")
	if st := g.read("half"); st.Users != users-users/2 || st.Payload != int64(st.Users*longest) {
		t.Errorf("after half have gone: %+v", st)
	}
	check(t, s)
	for _, u := range order[:users/2] {
		s.Record(u, store.Day+4, shownOne)
	}
	if st := g.read("half anew"); st.Users != users {
		t.Errorf("after half have come back: %+v", st)
	}
	strategytest.Equal(t, s.Forget(3*store.Day), users, "forgot")
	left := 0 // a block for each shard and length
	for _, size := range fiveSteps {
		left += (users + crowd - 1) / crowd * size
	}
	if st := g.read("none"); st.Users != 0 || st.Payload != 0 || st.Slabs > int64(left) {
		t.Errorf("after all have gone, want no more than one block a shard and size: %+v", st)
	}
	check(t, s)
	runtime.KeepAlive(order) // it was there before the store
}

// TestGrowthBesideGarbage: memory of the smaller pools serves the larger ones, while the program makes garbage, as
// programs do, and no collection is forced. With the tag heapslabs and a million users it fails: that is why
// pages_linux.go exists.
func TestGrowthBesideGarbage(t *testing.T) {
	tellsResident(t)
	users := *residents
	before := resident()
	s := mustNew(t, store.Config{Unsalted: true, Strategy: fiveSteps, Users: users})
	var garbage []byte
	for range fiveSteps {
		for u := range users {
			s.Record(u, 0, shownOne)
			if u%10 == 0 {
				garbage = make([]byte, 500+u%10)
			}
		}
	}
	_ = garbage
	held := residentNow() - before
	st := s.Stats()
	t.Logf("resident %.4f payload + 12 bytes a reader", float64(held-12*int64(users))/float64(st.Payload))
	strategytest.AtMost(t, held, st.Payload*105/100+12*int64(users)+8<<20, "bytes resident")
	check(t, s)
}

// A shard is copied into exactly the memory that its blocks take if nothing has expired.
func TestSnapshotRoom(t *testing.T) {
	// A block has 873 histories of 1200 bytes, and a shard more of them.
	for _, s := range []*store.Store[int]{
		lived(t, store.Config{Unsalted: true, Strategy: climb{3, 5}, Users: 60, Shards: 7}),
		lived(t, store.Config{Unsalted: true, Strategy: climb{1200}, Users: 6000, Shards: 3}),
	} {
		if room, taken := s.SnapshotRoom(); fmt.Sprint(room) != fmt.Sprint(taken) {
			t.Errorf("room for %v bytes, and %v are taken", room, taken)
		}
		s.Clear()
	}
}

// A location can number all users that a shard's index finds, and fewer if histories have hundreds of lengths.
func TestMostKeyed(t *testing.T) {
	for classes, want := range map[int]int{
		1: 1<<24 - 2, 63: 1<<24 - 2, 127: 1<<24 - 1<<16, 128: 1<<23 - 1<<16, 16383: 1<<17 - 1<<16,
	} {
		strategytest.Equal(t, store.MostKeyed(classes), want, "%d lengths leave room for users", classes)
	}
}

// Forget takes a shard in parts, and leaves none of them, whatever the number of its users.
func TestForgetTakesEveryPart(t *testing.T) {
	for _, users := range []int{1, 2, 1023, 1024, 1025, 2048, 2049, 3000} {
		for name, make := range map[string]func() (int, int){
			"numbered": func() (int, int) { return forgetAll[int](t, store.Config{Users: users}, users) },
			"keyed":    func() (int, int) { return forgetAll[uint64](t, store.Config{}, users) },
		} {
			forgot, left := make()
			strategytest.Equal(t, forgot, users, "%s: forgot", name)
			strategytest.Equal(t, left, 0, "%s: of %d users are left", name, users)
		}
	}
}

func forgetAll[U int | uint64](t *testing.T, c store.Config, users int) (forgot, left int) {
	t.Helper()
	c.Strategy, c.Shards, c.Idle, c.Unsalted = fiveSteps, 1, store.Day, true
	s := strategytest.Value(store.New[U](c))
	defer s.Close()
	for u := range users {
		s.Record(U(u), 0, shownOne)
	}
	return s.Forget(2 * store.Day), s.Stats().Users
}
