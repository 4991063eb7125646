package partition

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dejavu/live/exposure"
	"dejavu/live/log"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"
)

func init() { _ = flag.Set("rapid.steps", "100") } // so that calls are forgotten in a life

// A life of a partition with kills and snapshots at any moment, beside a model: the strategy on each user's calls in
// the log. A call that comes again with its number is answered as before, unless it is too old, or too many came since.
func TestKills(tb *testing.T) {
	type called struct {
		Kind          // 0: by Touch
		user, request uint64
		time          store.Timestamp
		articles      []strategies.ID
	}
	rapid.Check(tb, func(t *rapid.T) {
		const users = 3
		l := &memoryLog{}
		c := configOf(tb, l, strategytest.Value(os.MkdirTemp(tb.TempDir(), "")))
		c.Retries = rapid.SampledFrom([]int{8, 1, 0}).Draw(t, "retries")
		p := start(t, c)
		defer func() { p.Close() }()
		now, savedAt, touched := store.Timestamp(100), store.Timestamp(0), true
		var all []called                  // in the order of the log's records
		var next, from, before log.Offset // of the last snapshot, and where the one before needs the log from
		same := func(what string, got, want any) {
			if got, want := fmt.Sprint(got), fmt.Sprint(want); got != want {
				t.Fatalf("%s: %s, want %s", what, got, want)
			}
		}
		history := func(user uint64) (history []byte) {
			last := store.Timestamp(0)
			for _, a := range append(all, called{Kind: Shown, user: user, time: now}) {
				if a.user == user && a.time-last >= c.Idle || a.Kind == Cleared || a.Kind == Forgotten && a.user == user {
					history = nil
				}
				if a.user == user && len(a.articles) > 0 {
					last, history = a.time, c.Layout.Record(history, c.Secret.Salt(user).Append(nil, a.articles))
				}
			}
			return history
		}
		seenBy := func(user uint64, candidates []strategies.ID) []bool {
			seen := make([]bool, len(candidates))
			c.Layout.Seen(history(user), c.Secret.Salt(user).Append(nil, candidates), seen)
			return seen
		}
		drawn := func() (user uint64, ids []strategies.ID) {
			for range rapid.IntRange(1, 8).Draw(t, "articles") {
				ids = append(ids, strategies.ID(rapid.Uint64Range(1, 40).Draw(t, "id")*0x9e3779b97f4a7c15))
			}
			return rapid.Uint64Range(0, users-1).Draw(t, "user"), ids
		}
		compare := func(*rapid.T) {
			for user := range uint64(users) {
				same("history", strategytest.Value(p.History(now, user)), history(user))
			}
			user, ids := drawn()
			seen := make([]bool, len(ids))
			strategytest.Must(t, p.Seen(now, user, ids, seen))
			same("seen", seen, seenBy(user, ids))
		}
		t.Repeat(map[string]func(*rapid.T){
			"call": func(*rapid.T) {
				user, ids := drawn()
				kinds := []Kind{Shown, Shown, Shown, Shown, Recorded, Recorded, Forgotten, Cleared}
				a := called{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), user: user, time: now}
				if a.Kind != Cleared {
					a.request = rapid.Uint64Range(1, 12).Draw(t, "request")
				}
				again, numbered := false, 0
				for _, b := range slices.Backward(all) {
					if b.Kind == Cleared || numbered == c.Retries {
						break
					}
					if again = a.request > 0 && b.user == user && b.request == a.request && now-b.time <= RetryAge; again {
						a.articles = b.articles
						break
					}
					numbered += int(min(b.request, 1))
				}
				switch {
				case again:
				case a.Kind == Recorded:
					a.articles = ids
				case a.Kind == Shown:
					for i, seen := range seenBy(user, ids) {
						if !seen && !slices.Contains(a.articles, ids[i]) && len(a.articles) < 3 {
							a.articles = append(a.articles, ids[i])
						}
					}
				}
				if a.Kind == Shown {
					one := asking{exposure.Show{Request: a.request, Candidates: ids, Limit: 3}, user}
					same("shown", strategytest.Value(one.of(p, now)), a.articles)
				} else {
					strategytest.Must(t, strategytest.ErrorOf(p.Record(now, Exposure{a.Kind, user, a.request, a.articles})))
				}
				if !again && (a.Kind != Shown || len(a.articles) > 0) {
					all, touched = append(all, a), true
				}
				same("records", len(l.records), len(all))
			},
			"wait":    func(t *rapid.T) { l.settle(rapid.IntRange(l.durable, len(l.records)).Draw(t, "durable")) },
			"pass":    func(t *rapid.T) { now += rapid.SampledFrom([]store.Timestamp{0, 1, 299, 300, 600}).Draw(t, "seconds") },
			"forget":  func(*rapid.T) { p.Forget(now) },
			"compare": compare,
			"touch": func(t *rapid.T) {
				compare(t)
				strategytest.Must(t, p.Touch())
				if !touched {
					all, touched = append(all, called{time: now}), true
				}
				same("records", len(l.records), len(all))
			},
			"save": func(t *rapid.T) {
				compare(t)
				l.settle(len(l.records))
				needed, _, err := p.Snapshot(context.Background())
				strategytest.Must(t, err)
				reaches, numbered := log.Offset(3*len(all)+1), 0
				if reaches != next {
					next, before = reaches, from
				}
				from, savedAt, touched, l.trimmed = next, now, false, needed
				for i, a := range slices.Backward(all) {
					if a.request > 0 && numbered < c.Retries && now-a.time <= RetryAge {
						from = l.at[i]
						numbered++
					}
				}
				same("needed", needed, before)
				f := strategytest.Value(OpenFolder(c.Dir, false))
				same("reached", fmt.Sprintln(f.Reached(p.check)), fmt.Sprintln(next, -1, nil))
				same("another's", fmt.Sprintln(f.Reached(p.check+1)), fmt.Sprintln(next, 0, nil))
			},
			"kill": func(t *rapid.T) {
				left := rapid.IntRange(l.durable, len(l.records)).Draw(t, "left")
				l.records, l.at, l.tickets, all = l.records[:left], l.at[:left], l.tickets[:left], all[:left]
				l.settle(left)
				p = start(t, c)
				if left > 0 {
					savedAt = max(savedAt, all[left-1].time)
				}
				same("the last time", p.Begin(0), savedAt)
				touched = true
				compare(t)
			},
		})
	})
}

// While calls go on, a snapshot is of one moment: of all records before its offset, and of no other.
func TestSnapshotIsOfOneMoment(t *testing.T) {
	l, c, p := begun(t)
	show := func(user uint64) {
		strategytest.Must(t, strategytest.ErrorOf(showOf(user, 0, strategies.ID(len(l.records)+1)).of(p, 1)))
		l.settle(len(l.records))
	}
	for user := range uint64(3000) {
		show(user)
	}
	var over atomic.Bool
	var asking sync.WaitGroup
	asking.Go(func() {
		for user := uint64(0); !over.Load(); user++ {
			show(user % 6000)
		}
	})
	for range 20 {
		strategytest.ErrorSays(t, "a snapshot", strategytest.ErrorOf(p.Snapshot(t.Context())), "")
	}
	over.Store(true)
	asking.Wait()
	again := start(t, c)
	for user := range uint64(6000) {
		a, _ := p.History(1, user)
		b, _ := again.History(1, user)
		strategytest.Equal(t, bytes.Equal(a, b), true, "user %d has the same history after a start", user)
	}
}

// Only the unfinished snapshots of killed processes are removed, once nobody writes to them.
func TestRemoveLeftovers(t *testing.T) {
	dir := t.TempDir()
	const left = "partition-0000-0000000000000000.snapshot.saving"
	for _, name := range []string{left, ".other", "partition-0000-0000000000000001.snapshot", "secret"} {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	strategytest.Must(t, os.Mkdir(filepath.Join(dir, "partition-folder.saving"), 0o700), RemoveLeftovers(dir, time.Hour))
	strategytest.Equal(t, len(strategytest.Value(os.ReadDir(dir))), 5, "files, none of them old")
	strategytest.Must(t, RemoveLeftovers(dir, 0))
	_, gone := os.Stat(filepath.Join(dir, left))
	got := fmt.Sprint(len(strategytest.Value(os.ReadDir(dir))), gone != nil)
	strategytest.Equal(t, got, "4 true", "files that are left, and without the unfinished one")
	strategytest.ErrorSays(t, "no folder yet", RemoveLeftovers(filepath.Join(dir, "nowhere"), 0), "")
}

// A snapshot waits until its records are durable. Others' snapshots and records are refused, damaged ones passed over.
func TestRefused(t *testing.T) {
	l, c, p := begun(t)
	for i := range 3 {
		strategytest.Must(t, strategytest.ErrorOf(showOf(1, 0, strategies.ID(i)).of(p, 1)))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		early := strategytest.ErrorOf(p.Snapshot(ctx))
		strategytest.ErrorSays(t, "what is not durable", early, context.DeadlineExceeded.Error())
		strategytest.Equal(t, len(strategytest.Value(c.snapshots())), i, "snapshots")
		cancel()
		l.settle(len(l.records))
		strategytest.Must(t, strategytest.ErrorOf(p.Snapshot(t.Context())))
	}
	other := func(change func(*Config)) Config {
		c := c
		change(&c)
		return c
	}
	p.store.Close()
	closed := strategytest.ErrorOf(p.Snapshot(t.Context()))
	strategytest.ErrorSays(t, "a snapshot of a closed store", closed, "partition 0: snapshot: store")
	for _, d := range []struct {
		Config
		want string
	}{
		{other(func(c *Config) { c.Layout = single }), `of "strategy chain, window 0, fpr 0, layout`},
		{other(func(c *Config) { c.Secret = secretOf(t, "x") }), "of the secret"},
		{other(func(c *Config) { c.Of = 2 }), "it is of partition 0 of 1, want 0 of 2"},
	} {
		_, _, err := Load(t.Context(), d.Config)
		strategytest.ErrorSays(t, "a snapshot", err, store.ErrMismatch.Error())
		strategytest.ErrorSays(t, "a snapshot", err, d.want)
		d.Dir = t.TempDir()
		fresh, _, err := Load(t.Context(), d.Config)
		strategytest.Must(t, err)
		want := map[int]string{1: "of another strategy or secret"}[d.Of]
		strategytest.ErrorSays(t, "a record", fresh.Apply(l.at[0], l.records[0]), want)
	}
	names := strategytest.Value(c.snapshots())
	strategytest.Equal(t, len(names), kept, "snapshots")
	strategytest.Must(t, os.Truncate(filepath.Join(c.Dir, names[0]), 100))
	again, found, err := Load(t.Context(), c)
	strategytest.Must(t, err)
	strategytest.ErrorSays(t, "a damaged snapshot", errors.Join(found.Damaged...), store.ErrDamaged.Error())
	strategytest.Equal(t, again.next, l.at[1]+1, "what the older one reaches to")
	again.Close()
	strategytest.ErrorSays(t, "closed", strategytest.ErrorOf(again.History(1, 1)), exposure.ErrElsewhere.Error())
	older := filepath.Join(c.Dir, names[1])
	strategytest.Must(t, os.Truncate(older, 10))
	strategytest.ErrorSays(t, "the older one is damaged", strategytest.ErrorOf(c.removeOld()), older+": ")
	// As if another instance removed it between the listing and the reading.
	err = errors.Join(os.Remove(older), os.Symlink("nowhere", older))
	needed, removing := c.removeOld()
	_, found, loading := Load(t.Context(), c)
	strategytest.Must(t, err, removing, loading)
	strategytest.Equal(t, fmt.Sprint(needed, len(found.Damaged)), "0 2", "needed when the older one is gone, and damaged")
	strategytest.Must(t, os.MkdirAll(filepath.Join(c.Dir, "partition-0000-0000000000000000.snapshot", "full"), 0o700))
	full := strategytest.ErrorOf(start(t, c).Snapshot(t.Context()))
	strategytest.ErrorSays(t, "one that cannot be removed", full, "not empty")
}
