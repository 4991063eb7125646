package exposure_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/keeper"
	"dejavu/live/layout"
	"dejavu/live/log/journal"
	"dejavu/live/partition"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var (
	queue, _ = layout.Make(layout.Choice{Name: "queue"})
	secret   = strategies.RandomSecret()
	now      = func() store.Timestamp { return 1 }
)

// The crowd's users are each shown the same articles.
const users, articles = 20, 160

func userName(n int) string { return fmt.Sprint("user ", n) }

// crowd runs concurrent callers. Each asks one keeper for one article for every user at a time, until all must have
// been shown. The queue remembers exactly, so that each user is shown each article once.
func crowd(t *testing.T, keepers ...exposure.Keeper) (all []strategies.ID) {
	const callers = 8
	for i := range articles {
		all = append(all, strategies.ID(i+1)*0x9e3779b97f4a7c15)
	}
	var mu sync.Mutex
	shown := map[string]int{}
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			for range articles / callers {
				requests := make([]exposure.Show, users)
				for u := range requests {
					requests[u] = exposure.Show{User: userName(u), Candidates: all, Limit: 1}
				}
				if err := keepers[caller%len(keepers)].ShowAll(t.Context(), requests); err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, r := range requests {
					shown[fmt.Sprint(r.User, r.Shown)]++
				}
				mu.Unlock()
			}
		})
	}
	group.Wait()
	strategytest.Equal(t, len(shown), users*articles, "articles of users that were shown, each once")
	return all
}

func remembered(t *testing.T, k exposure.Keeper, all []strategies.ID) {
	for u := range users {
		seen := make([]bool, len(all))
		if err := k.Seen(t.Context(), userName(u), all, seen); err != nil || slices.Contains(seen, false) {
			t.Fatalf("%s: an article is forgotten: %v", userName(u), err)
		}
	}
}

// held holds a keeper to what every one does, apart from the crowd. A request that comes again gets its answer again.
func held(t *testing.T, k exposure.Keeper) {
	ask := exposure.Show{User: "ann", Request: 7, Candidates: []strategies.ID{1, 1, 2, 3}, Limit: 2}
	for range 2 { // the second time the answer was lost
		one := []exposure.Show{ask}
		if err := k.ShowAll(t.Context(), one); err != nil || fmt.Sprint(one[0].Shown) != "[1 2]" {
			t.Errorf("show: %v, %v", one[0].Shown, err)
		}
		strategytest.Must(t, k.Record(t.Context(), "bob", 9, []strategies.ID{5}))
	}
	ask.Request = 0
	twice := []exposure.Show{ask, ask}
	if err := k.ShowAll(t.Context(), twice); err != nil || fmt.Sprint(twice[0].Shown, twice[1].Shown) != "[3] []" {
		t.Errorf("a user twice in one call: %v, %v", twice, err)
	}
	again := exposure.Show{User: "eve", Request: 8, Candidates: ask.Candidates, Limit: 2}
	twice = []exposure.Show{again, ask, again}
	if err := k.ShowAll(t.Context(), twice); err != nil || fmt.Sprint(twice[0].Shown, twice[2].Shown) != "[1 2] [1 2]" {
		t.Errorf("a request twice in one call: %v, %v", twice, err)
	}
	seen := make([]bool, 3)
	if err := k.Seen(t.Context(), "eve", []strategies.ID{1, 2, 3}, seen); err != nil || seen[2] {
		t.Errorf("a request twice in one call counts twice: %v", err)
	}
	err := k.Seen(t.Context(), "ann", []strategies.ID{1, 3, 4}, seen)
	if err != nil || fmt.Sprint(seen) != "[true true false]" {
		t.Errorf("seen %v, %v", seen, err)
	}
	want := queue.Record(nil, secret.Salt(uint64(secret.DigestString("bob"))).Append(nil, []strategies.ID{5}))
	for _, want := range [][]byte{want, nil, nil} { // the second time there is nothing to forget
		if got, err := k.History(t.Context(), "bob"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("a history of %d bytes, %v, want %d", len(got), err, len(want))
		}
		strategytest.Must(t, k.Forget(t.Context(), "bob"))
	}
	if of, here := k.Partitions(); of != len(here) || k.Ready() != nil {
		t.Errorf("%d of %d partitions are here, %v", len(here), of, k.Ready())
	}
}

// A keeper in memory saves snapshots all the while, and a second one takes over from them and the log.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	var all []strategies.ID
	for round := range 3 {
		l := strategytest.Value(journal.OpenOrBegin(filepath.Join(dir, "log"), 5))
		l.Sync(false)
		k := keeper.New(keeper.Config{
			Config: partition.Config{Of: 5, Layout: queue, Secret: secret, Retries: 16, Log: l, Dir: dir},
			Every:  20 * time.Millisecond, Logger: slog.New(slog.DiscardHandler), Clock: now,
		})
		strategytest.Must(t, k.Take(t.Context(), []int{0, 1, 2, 3, 4}))
		if round == 0 {
			ctx, stop := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { k.Run(ctx) })
			all = crowd(t, k)
			held(t, k)
			for end := time.Now().Add(10 * time.Second); k.Meter.Saves.Load() == 0 && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			stop()
			running.Wait()
			if m := &k.Meter; m.Saves.Load() == 0 || m.SaveErrors.Load() > 0 {
				t.Errorf("%d snapshots, %d failed", m.Saves.Load(), m.SaveErrors.Load())
			}
		}
		switch round {
		case 0, 1:
			remembered(t, k, all)
		case 2: // what was cleared is cleared after a restart, too, and so are the requests with a number
			one := []exposure.Show{{User: "ann", Request: 7, Candidates: all[:1], Limit: 1}}
			strategytest.Equal(t, k.Users(), 0, "users after all were cleared")
			if err := k.ShowAll(t.Context(), one); err != nil || len(one[0].Shown) != 1 || one[0].Shown[0] != all[0] {
				t.Errorf("a request from before: %v, %v", one[0].Shown, err)
			}
		}
		if round == 1 {
			strategytest.Equal(t, k.Users() >= users, true, "all users are counted")
			strategytest.Must(t, k.Clear(t.Context()))
			strategytest.Equal(t, k.Users(), 0, "users")
		}
		strategytest.Must(t, l.Close())
	}
}

// A user's partition is on the disk and known to callers: xxHash of the name. These are the values of xxHash's
// reference implementation.
func TestPartition(t *testing.T) {
	for name, sum := range map[string]uint64{"": 0xef46db3751d8e999, "a": 0xd24ec4f1a98c6e5b, "abc": 0x44bc2cf5ad770999} {
		for _, of := range []int{1, 5, 256, 4096} {
			strategytest.Equal(t, exposure.Partition(name, of), int(sum%uint64(of)), "partition of %q, of %d", name, of)
		}
	}
}
