package store_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"dejavu/chain"
	"dejavu/internal/sysinfo"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var coldUsers = flag.Int("cold", 2000, "users in TestColdHistories")

// What a request of 40 candidates takes, ten of them shown or none (Seen), for a random user whose history lies in no
// cache, over what its memory takes alone: medians of rounds that take turns, and their quartiles, of the goroutine
// that other programs disturbed least; then what single requests take, and 32 of ShowAll, the clock's own time
// included. The table in docs/library.md is of
//
//	go test ./store -run TestColdHistories -cold 1000000 -v
func TestColdHistories(t *testing.T) {
	if testing.Short() || sysinfo.RaceDetector {
		t.Skip("measures")
	}
	users := *coldUsers
	floor := newColdFloor(users)
	ways := []way{{"floor, dependent", 0, floor.reads(1)}, {"floor, independent", 1, floor.reads(32)}}
	ways = append(ways, coldWays(t, "int", users, func(i int) int { return i })...)
	ways = append(ways, coldWays(t, "uint64", users, func(i int) uint64 { return uint64(i) })...)
	ways = append(ways, coldWays(t, "string", users, func(i int) string { return "user-" + strconv.Itoa(i) })...)
	const rounds, batch = 41, 2048
	for goroutines := 1; goroutines <= min(2, runtime.GOMAXPROCS(0)); goroutines++ {
		took := make([][]float64, len(ways))
		for round := range rounds {
			for turn := range ways {
				w := (turn + round) % len(ways)
				each := coldTimes(ways[w], users, goroutines, 1, batch, uint64(round*len(ways)+w))
				took[w] = append(took[w], float64(slices.Min(each).Nanoseconds())/batch)
			}
		}
		for i, w := range ways {
			n, some := 20_000, 1
			if w.floor == 1 {
				n, some = 1000, 32
			}
			single := coldTimes(w, users, goroutines, n, some, uint64(1000*i))
			var over []float64
			for round := range rounds {
				over = append(over, took[i][round]/took[w.floor][round])
			}
			slices.Sort(over)
			slices.Sort(single)
			t.Logf("%d goroutines, %-18s %5.0f ns, %.2f of the floor (%.2f to %.2f); %2d alone: p50 %v, p99 %v, p99.9 %v",
				goroutines, w.name, median(took[i]), over[rounds/2], over[rounds/4], over[rounds*3/4],
				some, single[len(single)/2], single[len(single)*99/100], single[len(single)*999/1000])
		}
	}
}

func median(all []float64) float64 { return slices.Sorted(slices.Values(all))[len(all)/2] }

// A way answers requests of users. What it does before is not timed. Its time is told over that of a floor, a way too.
type way struct {
	name  string
	floor int
	batch func(users []int) func()
}

// coldTimes is how long n batches of random users take in each goroutine.
func coldTimes(w way, users, goroutines, n, batch int, seed uint64) []time.Duration {
	times := make([]time.Duration, goroutines*n)
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			random, some := rand.New(rand.NewPCG(seed, uint64(g))), make([]int, batch)
			for i := range n {
				for j := range some {
					some[j] = random.IntN(users)
				}
				f := w.batch(some)
				begin := time.Now()
				f()
				times[g*n+i] = time.Since(begin)
			}
		})
	}
	group.Wait()
	return times
}

// A coldFloor is the least that a request's memory costs: 508 bytes of a random user, read after an index entry of 24
// bytes that says where they lie, in memory as Go has it.
type coldFloor struct {
	entries [][3]uint64
	slab    []byte
	zero    uint64 // which no compiler knows: what is masked with it is waited for
}

func newColdFloor(users int) *coldFloor {
	f := &coldFloor{entries: make([][3]uint64, users), slab: bytes.Repeat([]byte{1}, 508*users)}
	for i, at := range rand.New(rand.NewPCG(31, 1)).Perm(users) {
		f.entries[i][0] = uint64(508 * at)
	}
	return f
}

// reads reads those of n users at once, whose misses overlap, and then those of the next.
func (f *coldFloor) reads(n int) func(users []int) func() {
	return func(users []int) func() {
		return func() {
			sum, places := uint64(0), [32]uint64{}
			for rest := users; len(rest) > 0; rest = rest[n:] {
				for i := range n {
					places[i] = f.entries[rest[i]+int(sum&f.zero)][0]
				}
				for i := range n {
					sum += words(f.slab[places[i]:][:508])
				}
			}
			runtime.KeepAlive(sum)
		}
	}
}

func words(b []byte) (sum uint64) {
	for ; len(b) >= 16; b = b[16:] {
		sum += binary.LittleEndian.Uint64(b) + binary.LittleEndian.Uint64(b[8:])
	}
	return sum
}

// coldWays are those of a store whose users were each shown 500 articles.
func coldWays[U store.User](tb testing.TB, kind string, users int, name func(int) U) []way {
	const candidates, shown = 40, 10
	links := strategytest.Value(chain.New(chain.Paper))
	c := store.Config{Strategy: links, Idle: store.Day, Secret: secret(tb, "cold")}
	if kind == "int" {
		c.Users = users
	}
	s := strategytest.Value(store.New[U](c))
	tb.Cleanup(s.Close)
	random, ids := rand.New(rand.NewPCG(31, 2)), make([]strategies.ID, 4096)
	for i := range ids {
		ids[i] = strategies.ID(random.Uint64())
	}
	for _, user := range random.Perm(users) {
		s.Record(name(user), 0, ids[user%3000:][:500])
	}
	serves := func(serve func([]store.Request[U])) func(users []int) func() {
		return func(users []int) func() {
			requests := make([]store.Request[U], len(users))
			for i, user := range users {
				requests[i] = store.Request[U]{
					User: name(user), Candidates: ids[i*97%4000:][:candidates], Limit: shown, Shown: make([]int, 0, shown),
				}
			}
			return func() { serve(requests) }
		}
	}
	return []way{{"Seen " + kind, 0, serves(func(requests []store.Request[U]) {
		dst := make([]bool, 0, candidates)
		for _, r := range requests {
			dst = s.Seen(r.User, 0, r.Candidates, dst[:0])
		}
	})}, {"Show " + kind, 0, serves(func(requests []store.Request[U]) {
		for _, r := range requests {
			s.Show(r.User, 0, r.Candidates, shown, r.Shown)
		}
	})}, {"ShowAll " + kind, 1, serves(func(requests []store.Request[U]) {
		for r := range slices.Chunk(requests, 32) {
			s.ShowAll(0, r)
		}
	})}}
}

var keyedUsers = flag.Int("keyed", 50_000, "users in TestShowCosts")

// The cost of a service: users known by strings who were each shown 500 articles, with the histories of the
// paper's chain. It logs what a user takes, and what Show takes of 40 candidates, ten of them shown, over
// Seen and then Record of the ten, at one goroutine and at one for each processor: the median ratio of rounds
// that take turns, and their quartiles. The table of the README is of
//
//	go test ./store -run TestShowCosts -keyed 10000000 -v
func TestShowCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("measures")
	}
	links := strategytest.Value(chain.New(chain.Paper))
	s := keyed[string](t, store.Config{Strategy: links, Idle: store.Day})
	users, workers := *keyedUsers, runtime.GOMAXPROCS(0)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			var name []byte
			ids := make([]strategies.ID, 500)
			for user := w; user < users; user += workers {
				random := rand.NewPCG(14, uint64(user))
				for i := range ids {
					ids[i] = strategies.ID(random.Uint64())
				}
				name = strconv.AppendInt(append(name[:0], "user-"...), int64(user), 10)
				s.Record(string(name), 0, ids)
			}
		})
	}
	group.Wait()
	st, n := s.Stats(), float64(users)
	index, entries := float64(s.IndexBytes())/n-8, 8.
	owner := float64(st.Bookkeeping)/n - index - entries
	t.Logf("%d users: bytes each: history %.1f, its room %.1f, index %.1f, place and time %.0f, other bookkeeping %.1f",
		st.Users, float64(st.Payload)/n, float64(st.Slabs-st.Payload)/n, index, entries, owner)
	// Beside the history a user takes what the package comment says: 10 bytes, and 16 for the key; of few
	// users, the shards' own memory too.
	if beside := index + entries + owner; users >= 1_000_000 && (index > 13 || beside > 28) {
		t.Errorf("a user takes %.1f bytes in the index and %.1f beside the history, want 13 and 28 at most", index, beside)
	}

	const batch, candidates, shown = 500, 40, 10
	times := make([]time.Duration, 100_000)
	random, ids, dst := rand.New(rand.NewPCG(14, 14)), make([]strategies.ID, candidates), make([]int, 0, shown)
	for i := range times {
		name := "user-" + strconv.Itoa(random.IntN(users))
		for j := range ids {
			ids[j] = strategies.ID(random.Uint64())
		}
		begin := time.Now()
		dst = s.Show(name, 0, ids, shown, dst[:0])
		times[i] = time.Since(begin)
	}
	slices.Sort(times)
	round := func(goroutines, round int, show bool) time.Duration {
		var group sync.WaitGroup
		begin := time.Now()
		for g := range goroutines {
			group.Go(func() {
				random := rand.New(rand.NewPCG(uint64(round), uint64(2*g)))
				ids, seen := make([]strategies.ID, candidates), make([]bool, candidates)
				dst, record := make([]int, 0, shown), make([]strategies.ID, 0, shown)
				for range batch {
					name := "user-" + strconv.Itoa(random.IntN(users))
					for i := range ids {
						ids[i] = strategies.ID(random.Uint64())
					}
					if show {
						dst = s.Show(name, 0, ids, shown, dst[:0])
						continue
					}
					seen, record = s.Seen(name, 0, ids, seen[:0]), record[:0]
					for i, id := range ids {
						if !seen[i] && len(record) < shown {
							record = append(record, id)
						}
					}
					s.Record(name, 0, record)
				}
			})
		}
		group.Wait()
		return time.Since(begin)
	}
	t.Logf("a request: Show takes %v at p50, %v at p99.9", times[len(times)/2], times[len(times)*999/1000])
	for goroutines := 1; goroutines <= workers; goroutines *= 2 {
		var ratios, took []float64
		for i := range 61 {
			one, two := round(goroutines, 2*i, i%2 == 0), round(goroutines, 2*i+1, i%2 != 0)
			if i%2 != 0 {
				one, two = two, one
			}
			if i > 0 { // the first warms up
				ratios, took = append(ratios, float64(one)/float64(two)), append(took, float64(one.Nanoseconds())/batch)
			}
		}
		slices.Sort(ratios)
		slices.Sort(took)
		t.Logf("%s: Show takes %.0f ns, %.2f of Seen and Record (quartiles %.2f to %.2f)",
			fmt.Sprintf("%d goroutines",
				goroutines), took[len(took)/2], ratios[len(ratios)/2], ratios[len(ratios)/4], ratios[len(ratios)*3/4])
		// Noise doubles a round now and then, not every second one.
		if ratio := ratios[len(ratios)/2]; ratio > 1.5 {
			t.Errorf("%d goroutines: Show takes %.2f of Seen and Record", goroutines, ratio)
		}
	}
}
