package store_test

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"dejavu/chain"
	"dejavu/store"
	"dejavu/strategies"
)

var coldUsers = flag.Int("cold", 2000, "users in TestColdHistories")

// A way answers requests of users, which are random. Its time is told over that of a floor.
type way struct {
	name  string
	floor int // the way that memory alone allows
	batch func(users []int) func()
}

// A coldFloor is the least that a request's memory costs: 508 bytes of a random user, read after an index entry of 24
// bytes that says where they lie, in memory as Go has it.
type coldFloor struct {
	entries [][3]uint64
	slab    []byte
	zero    uint64 // which no compiler knows: what follows waits for what it is masked with
}

func newColdFloor(users int) *coldFloor {
	f := &coldFloor{entries: make([][3]uint64, users), slab: make([]byte, 508*users)}
	for i, at := range rand.New(rand.NewPCG(31, 1)).Perm(users) {
		f.entries[i][i%3] = uint64(508 * at)
	}
	for i := range f.slab {
		f.slab[i] = byte(i)
	}
	return f
}

func (f *coldFloor) at(user int) uint64 { return f.entries[user][user%3] }

func (f *coldFloor) read(at uint64) (sum uint64) {
	h := f.slab[at : at+508]
	for ; len(h) >= 16; h = h[16:] {
		sum += binary.LittleEndian.Uint64(h) + binary.LittleEndian.Uint64(h[8:])
	}
	return sum + uint64(h[0])
}

// dependent reads one after the other, as the answer to a request comes before the next.
func (f *coldFloor) dependent(users []int) func() {
	return func() {
		before := uint64(0)
		for _, user := range users {
			before = f.read(f.at(user + int(before&f.zero)))
		}
		runtime.KeepAlive(before)
	}
}

// independent reads those of 32 users at a time, whose misses overlap.
func (f *coldFloor) independent(users []int) func() {
	return func() {
		sum, places := uint64(0), [32]uint64{}
		for some := range slices.Chunk(users, len(places)) {
			for i, user := range some {
				places[i] = f.at(user)
			}
			for i := range some {
				sum += f.read(places[i])
			}
		}
		runtime.KeepAlive(sum)
	}
}

// coldWays are those of a store whose users were each shown 500 articles.
func coldWays[U store.User](tb testing.TB, kind string, users int, name func(int) U) []way {
	const candidates, shown = 40, 10
	links, err := chain.New(chain.Paper)
	if err != nil {
		tb.Fatal(err)
	}
	c := store.Config{Strategy: links, Idle: store.Day, Secret: secret(tb, "cold")}
	if kind == "int" {
		c.Users = users
	}
	s, err := store.New[U](c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	random, ids := rand.New(rand.NewPCG(31, 2)), make([]strategies.ID, 4096)
	for i := range ids {
		ids[i] = strategies.ID(random.Uint64())
	}
	for _, user := range random.Perm(users) {
		s.Record(name(user), 0, ids[user%3000:][:500])
	}
	some := func(i int) []strategies.ID { return ids[i*97%4000:][:candidates] }
	named := func(users []int) (names []U) {
		for _, user := range users {
			names = append(names, name(user))
		}
		return names
	}
	show := func(users []int) func() {
		names, dst := named(users), make([]int, 0, shown)
		return func() {
			for i, user := range names {
				dst = s.Show(user, 0, some(i), shown, dst[:0])
			}
		}
	}
	seen := func(users []int) func() {
		names, dst := named(users), make([]bool, candidates)
		return func() {
			for i, user := range names {
				dst = s.Seen(user, 0, some(i), dst[:0])
			}
		}
	}
	showAll := func(users []int) func() {
		requests := make([]store.Request[U], len(users))
		for i, user := range named(users) {
			requests[i] = store.Request[U]{User: user, Candidates: some(i), Limit: shown, Shown: make([]int, 0, shown)}
		}
		return func() {
			for r := range slices.Chunk(requests, 32) {
				s.ShowAll(0, r)
			}
		}
	}
	return []way{{"Seen " + kind, 0, seen}, {"Show " + kind, 0, show}, {"ShowAll " + kind, 1, showAll}}
}

// What a request of 40 candidates takes, ten of them shown or none (Seen), for a random user whose history lies in no
// cache, over what its memory takes alone: medians of rounds that take turns, and their quartiles; then what single
// requests take, the clock's own time included. The README's table is of
//
//	go test ./store -run TestColdHistories -cold 1000000 -v
func TestColdHistories(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	users := *coldUsers
	floor := newColdFloor(users)
	ways := []way{{"floor, dependent", 0, floor.dependent}, {"floor, independent", 1, floor.independent}}
	ways = append(ways, coldWays(t, "int", users, func(i int) int { return i })...)
	ways = append(ways, coldWays(t, "uint64", users, func(i int) uint64 { return uint64(i) })...)
	ways = append(ways, coldWays(t, "string", users, func(i int) string { return "user-" + strconv.Itoa(i) })...)
	for goroutines := 1; goroutines <= min(2, runtime.GOMAXPROCS(0)); goroutines++ {
		coldRounds(t, ways, users, goroutines)
		for _, w := range ways {
			coldTails(t, w, users, goroutines)
		}
	}
}

func randomUsers(users, n int, seed ...uint64) []int {
	random, some := rand.New(rand.NewPCG(seed[0], seed[1])), make([]int, n)
	for i := range some {
		some[i] = random.IntN(users)
	}
	return some
}

// coldRounds times batches of all ways in turns.
func coldRounds(t *testing.T, ways []way, users, goroutines int) {
	const rounds, batch = 81, 512
	took := make([][]float64, len(ways))
	for round := range rounds {
		for w := range ways {
			w = (w + round) % len(ways)
			var group sync.WaitGroup
			begin := make(chan struct{})
			for g := range goroutines {
				f := ways[w].batch(randomUsers(users, batch, uint64(round), uint64(g*len(ways)+w)))
				group.Go(func() { <-begin; f() })
			}
			start := time.Now()
			close(begin)
			group.Wait()
			took[w] = append(took[w], float64(time.Since(start).Nanoseconds())/batch)
		}
	}
	for w, way := range ways {
		var over []float64
		for round := range rounds {
			over = append(over, took[w][round]/took[way.floor][round])
		}
		slices.Sort(over)
		slices.Sort(took[w])
		t.Logf("%d goroutines, %-18s %5.0f ns, %.2f of the floor (quartiles %.2f to %.2f)", goroutines, way.name+":",
			took[w][rounds/2], over[rounds/2], over[rounds/4], over[rounds*3/4])
	}
}

// coldTails times requests one by one, of ShowAll 32.
func coldTails(t *testing.T, w way, users, goroutines int) {
	n, each := 20_000, 1
	if w.floor == 1 {
		n, each = n/16, 32
	}
	times := make([][]time.Duration, goroutines)
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			for i := range n {
				f := w.batch(randomUsers(users, each, uint64(i), uint64(1000+g)))
				begin := time.Now()
				f()
				times[g] = append(times[g], time.Since(begin))
			}
		})
	}
	group.Wait()
	all := slices.Concat(times...)
	slices.Sort(all)
	t.Logf("%d goroutines, %-18s a request of %2d: p50 %v, p99 %v, p99.9 %v", goroutines, w.name+":", each,
		all[len(all)/2], all[len(all)*99/100], all[len(all)*999/1000])
}
