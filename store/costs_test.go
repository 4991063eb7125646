package store_test

import (
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
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var keyedUsers = flag.Int("keyed", 50_000, "users in TestShowCosts")

// The cost of a service: users with string keys who were each shown 500 articles, with the histories of the paper's
// chain. It logs the bytes of a user, and the time of Show for 40 candidates, ten of them shown, over Seen and then
// Record of the ten, with one goroutine and with one for each processor: the median ratio of alternating rounds, and
// the quartiles. The README's table comes from
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
		strategytest.AtMost(t, ratios[len(ratios)/2], 1.5, "%d goroutines: Show over Seen and Record", goroutines)
	}
}
