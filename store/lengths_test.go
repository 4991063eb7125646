package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"dejavu/chain"
	"dejavu/queue"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A longSet remembers up to 10,000 articles exactly, and notes the longest request.
type longSet struct{ most *int }

const longSetBytes = 8 * (1 + 10_000) // how many there are, and they

func (longSet) Sizes() []int          { return []int{longSetBytes} }
func (longSet) Validate([]byte) error { return nil }
func (l longSet) Seen(h []byte, candidates []strategies.ID, seen []bool) {
	*l.most = max(*l.most, len(candidates))
	known := map[strategies.ID]bool{}
	if len(h) > 0 {
		for n := range binary.LittleEndian.Uint64(h) {
			known[strategies.ID(binary.LittleEndian.Uint64(h[8+8*n:]))] = true
		}
	}
	for i, id := range candidates {
		seen[i] = known[id]
	}
}

func (longSet) Record(h []byte, shown []strategies.ID) []byte {
	if len(h) == 0 {
		h = make([]byte, longSetBytes)
	}
	n := binary.LittleEndian.Uint64(h)
	for i, id := range shown {
		binary.LittleEndian.PutUint64(h[8+8*(int(n)+i):], uint64(id))
	}
	binary.LittleEndian.PutUint64(h, n+uint64(len(shown)))
	return h
}

// A request of any length, with repeated articles, gets what a loop over its candidates would choose; no strategy is
// asked about more than 4000 at once, and no slice must be as long as another.
func TestLongRequests(t *testing.T) {
	most := 0
	forgetful := keyed[uint64](t, store.Config{Strategy: strategytest.Value(queue.New(queue.Config{Window: 1}))})
	for _, unsalted := range []bool{false, true} {
		s := keyed[uint64](t, store.Config{Strategy: longSet{&most}, Unsalted: unsalted, Shards: 2})
		random := rand.New(rand.NewPCG(31, 2))
		user := uint64(0)
		for _, n := range []int{0, 1, 2, 39, 40, 3999, 4000, 4001, 8000, 9001} {
			candidates := make([]strategies.ID, n)
			for i := range candidates {
				candidates[i] = strategies.ID(1 + random.IntN(1+n)) // 63 of 100 differ
			}
			for _, limit := range []int{math.MinInt, 0, 1, 10, n / 2, math.MaxInt} {
				user++
				var want []int
				known := map[strategies.ID]bool{}
				for i, id := range candidates {
					if !known[id] && len(want) < limit {
						want, known[id] = append(want, i), true
					}
				}
				got := s.Show(user, 0, candidates, limit, []int{7})
				if again := forgetful.Show(user, 0, candidates, limit, []int{7}); !unsalted && !slices.Equal(again, got) {
					t.Fatalf("%d of %d candidates: a strategy that forgets shows %d, want %d", limit, n, len(again)-1, len(want))
				}
				requests := []store.Request[uint64]{
					{User: user + 1000, Candidates: candidates, Limit: limit, Shown: []int{7}}, {User: user, Candidates: candidates},
				}
				s.ShowAll(0, requests)
				if got[0] != 7 || !slices.Equal(got[1:], want) || !slices.Equal(requests[0].Shown, got) {
					t.Fatalf("%d of %d candidates: %d are shown, and %d together, want %d", limit, n, len(got)-1,
						len(requests[0].Shown)-1, len(want))
				}
				seen := s.Seen(user, 0, candidates, []bool{true})
				s.SeenAll(0, requests)
				for i, id := range candidates {
					if seen[1+i] != known[id] || requests[0].Seen[i] != known[id] || requests[1].Seen[i] != known[id] {
						t.Fatalf("%d of %d candidates: %d is seen: %v, want %v", limit, n, i, seen[1+i], known[id])
					}
				}
				if len(seen) != 1+n || len(requests[0].Seen) != n {
					t.Fatalf("%d candidates have %d and %d answers", n, len(seen)-1, len(requests[0].Seen))
				}
			}
		}
	}
	strategytest.Equal(t, most, 4000, "the most that a strategy is asked for at once is")
}

// Histories of every length to 600 bytes, and of longer ones around powers of two, fill more than one chunk, move as
// others leave, and go through a snapshot.
func TestEveryLength(t *testing.T) {
	lengths := []int{1023, 1024, 1025, 4094, 4096, 32766, 32767, 32768, 65535, 65536, 65537}
	for n := range 600 {
		lengths = append(lengths, n+1)
	}
	arena := new(store.Arena)
	defer arena.Release()
	for i, size := range lengths {
		c := store.Config{Unsalted: true, Strategy: climb{size, size + 1}, Shards: 1, Arena: arena}
		if i%2 == 0 { // else users have keys
			c.Users = 1 << 14
		}
		s := strategytest.Value(store.New[int](c))
		users := s.ChunkBytes()/(size+2) + 3
		history := func(user int) []byte {
			return bytes.Repeat([]byte{byte(user), byte(user >> 8), 7}, size)[:size+user%5/4]
		}
		for user := range users {
			strategytest.Must(t, s.Put(user, 1, history(user)))
		}
		for user := 0; user < users; user += 3 {
			s.Remove(user)
		}
		check(t, s)
		again, _, err := loaded(written(t, s, 1), c)
		strategytest.Must(t, err)
		for user := range users {
			want := history(user)
			if user%3 == 0 {
				want = nil
			}
			if !bytes.Equal(s.Raw(user), want) || !bytes.Equal(again.Raw(user), want) {
				t.Fatalf("%d bytes, user %d of %d: %x, and %x after a snapshot", size, user, users, s.Raw(user), again.Raw(user))
			}
		}
		s.Clear()
		again.Clear()
	}
}

// Replay reports requests that do not fit its articles, changes nothing then, and leaves no lock.
func TestReplayLengths(t *testing.T) {
	s := mustNew(t, store.Config{Strategy: ladder{stride: 8}, Users: 1})
	articles := []strategies.ID{1, 2, 3}
	for _, requests := range [][]store.Past{
		nil, {{N: 2}}, {{N: 2}, {N: 2}}, {{N: math.MaxUint32}, {N: 4}}, {{N: math.MaxUint32}},
	} {
		seen, err := s.Replay(0, requests, articles, []bool{true})
		strategytest.ErrorSays(t, "a replay of other articles", err, "user 0: 3 articles, want the ")
		if len(seen) != 1 || s.Size(0, 0) != 0 {
			t.Errorf("%v: %d answers, and a history of %d bytes", requests, len(seen)-1, s.Size(0, 0))
		}
	}
	seen, err := s.Replay(0, []store.Past{{N: 1}, {}, {N: 2}}, articles, []bool{true})
	if err != nil || !slices.Equal(seen, []bool{true, false, false, false}) {
		t.Errorf("%v, %v", seen, err)
	}
}

// Long requests take memory that comes back: of 64 shards each has served one of 50,000.
func TestLongRequestsLeaveNothing(t *testing.T) {
	s := keyed[uint64](t, store.Config{Strategy: flat, Shards: 64})
	candidates := make([]strategies.ID, 50_000)
	dst := make([]int, 0, len(candidates))
	for user := range uint64(500) {
		s.Record(user, 0, shownOne)
	}
	heap := func() int64 {
		runtime.GC()
		runtime.GC() // what lies in pools stays for one
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for user := range uint64(500) {
		s.Show(user, 0, candidates, len(candidates), dst)
		s.Seen(user, 0, candidates[:4000], nil)
	}
	strategytest.AtMost(t, heap()-before, 1<<20, "bytes are left")
	runtime.KeepAlive(candidates)
	runtime.KeepAlive(dst)
}

// A store that could not use an entry refuses it, and names it.
func TestImportErrors(t *testing.T) {
	config := store.Config{Strategy: ladder{stride: 8}, Secret: secret(t, "one")}
	from := keyed[uint64](t, config)
	from.Record(7, 5, shownOne)
	var entry store.Entry
	for e := range from.Export(5) {
		entry, entry.History = e, bytes.Clone(e.History)
	}
	if entry.User != 7 || entry.Last != 5 || len(entry.History) == 0 {
		t.Fatalf("exported %+v", entry)
	}
	unsalted, another := config, config
	unsalted.Unsalted, another.Secret = true, secret(t, "another")
	strategytest.ErrorSays(t, "another secret", keyed[uint64](t, another).Import(entry), "entry of user 7: its origin is")
	byName := keyed[string](t, config)
	byName.Record("ann", 5, shownOne)
	for e := range byName.Export(5) {
		strategytest.ErrorSays(t, "articles that are not salted", keyed[string](t, unsalted).Import(e), "its origin is")
	}
	strategytest.ErrorSays(t, "users by strings", keyed[string](t, config).Import(entry), "want")
	old := entry // version 0.1.0 exported no strategy
	old.Origin = config.Secret.Fingerprint() ^ 0x107
	strategytest.Must(t, keyed[uint64](t, config).Import(old))
	into := keyed[uint64](t, config)
	short := entry
	short.History = entry.History[:11]
	strategytest.ErrorSays(t, "a damaged history", into.Import(short), "entry of user 7: ladder: 1 articles in 11 bytes")
	strategytest.Must(t, into.Import(entry))
	config.Users = 9
	tens := mustNew(t, config)
	tens.Record(8, 5, shownOne)
	config.Users = 8
	for e := range tens.Export(5) {
		strategytest.ErrorSays(t, "fewer users", mustNew(t, config).Import(e), "entry of user 8, want 0 to 7")
	}
}

// A longer chain with Extends takes snapshots and entries of a shorter one; chains with other parameters do not.
func TestExtends(t *testing.T) {
	chained := func(change func(*chain.Config)) *chain.Chain {
		c := chain.Paper
		change(&c)
		return strategytest.Value(chain.New(c))
	}
	five := chained(func(c *chain.Config) {})
	c := store.Config{Strategy: five, Secret: secret(t, "extends")}
	s := keyed[string](t, c)
	articles := make([]strategies.ID, 300)
	for i := range articles {
		articles[i] = strategies.ID(i)
	}
	s.Record("ann", 0, articles)
	var file bytes.Buffer
	strategytest.Value(s.WriteSnapshot(t.Context(), &file, about, 0, nil))
	for _, other := range []struct {
		strategy, extends strategies.Strategy
		taken             bool
	}{
		{chained(func(c *chain.Config) { c.Links = 10 }), nil, false},
		{chained(func(c *chain.Config) { c.Links = 10 }), five, true},
		{chained(func(c *chain.Config) { c.Geometry.Hashes = 7 }), nil, false},
		{chained(func(c *chain.Config) { c.HeadSilent = true }), nil, false},
	} {
		c.Strategy, c.Extends = other.strategy, other.extends
		into := keyed[string](t, c)
		for e := range s.Export(0) {
			if err := into.Import(e); (err == nil) != other.taken {
				t.Errorf("%s takes the entry: %v", strategies.Fingerprint(c.Strategy), err)
			}
		}
		again, _, err := store.ReadSnapshot[string](t.Context(), bytes.NewReader(file.Bytes()), c, about)
		if (err == nil) != other.taken || err != nil && !errors.Is(err, store.ErrMismatch) {
			t.Errorf("%s takes the snapshot: %v", strategies.Fingerprint(c.Strategy), err)
			continue
		}
		for _, s := range []*store.Store[string]{into, again} {
			if other.taken {
				strategytest.Equal(t, strategytest.Count(s.Seen("ann", 0, articles, nil)), 300, "seen of 300")
			}
		}
	}
}

func TestSeenAllRefusesStrangers(t *testing.T) {
	s := mustNew(t, store.Config{Unsalted: true, Strategy: flat, Users: 10})
	defer func() {
		if recover() == nil {
			t.Error("a reader beyond the last is accepted")
		}
		s.Record(3, 0, shownOne) // nothing is left locked
	}()
	s.SeenAll(0, []store.Request[int]{{User: 3}, {User: 10}})
}
