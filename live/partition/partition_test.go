package partition

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"dejavu/live/exposure"
	"dejavu/live/log"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A life of a partition with kills and snapshots at any moment: what is durable is there afterwards, once, byte for
// byte as the strategy makes it of the records. A call that comes again with its number is answered as before.
func TestKills(t *testing.T) {
	type asked struct {
		asking
		Kind  // of a call of Record, or 0
		time  store.Timestamp
		shown []strategies.ID
	}
	rapid.Check(t, func(rt *rapid.T) {
		l := &memoryLog{}
		c := configOf(t, l, strategytest.Value(os.MkdirTemp(t.TempDir(), "")))
		p := start(t, c)
		defer func() { p.Close() }()
		now := store.Timestamp(100)
		var history []asked // in the order of the log's records
		const users = 3
		check := func() {
			for user := range uint64(users) {
				var want []byte
				last := store.Timestamp(0)
				for _, a := range history {
					if a.user != user {
						continue
					}
					if a.time-last >= c.Idle {
						want = nil
					}
					last = a.time
					want = c.Layout.Record(want, c.Secret.Salt(user).Append(nil, a.shown))
					if a.Kind == Forgotten {
						want = nil
					}
				}
				if now-last >= c.Idle {
					want = nil
				}
				if got := strategytest.Value(p.History(now, user)); !bytes.Equal(got, want) {
					rt.Fatalf("user %d: a history of %d bytes, want %d", user, len(got), len(want))
				}
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"show": func(t *rapid.T) {
				a := asked{asking: showOf(rapid.Uint64Range(0, users-1).Draw(t, "user"), uint64(len(l.records)+1))}
				a.Limit = 3
				for range rapid.IntRange(1, 8).Draw(t, "candidates") {
					a.Candidates = append(a.Candidates, strategies.ID(rapid.Uint64Range(1, 40).Draw(t, "id")*0x9e3779b97f4a7c15))
				}
				before := len(l.records)
				a.shown, a.time = strategytest.Value(a.of(p, now)), now
				if len(a.shown) > 0 {
					history = append(history, a)
				}
				if len(l.records)-before != min(len(a.shown), 1) {
					t.Fatalf("%d records for %d articles", len(l.records)-before, len(a.shown))
				}
			},
			"record": func(t *rapid.T) {
				a := asked{asking: showOf(rapid.Uint64Range(0, users-1).Draw(t, "user"), uint64(len(l.records)+1))}
				a.Kind, a.time = Kind(rapid.SampledFrom([]Kind{Recorded, Recorded, Forgotten}).Draw(t, "kind")), now
				if a.Kind == Recorded {
					a.shown = []strategies.ID{strategies.ID(rapid.Uint64Range(1, 40).Draw(t, "id") * 0x9e3779b97f4a7c15)}
				}
				history = append(history, a)
				strategytest.Must(t, strategytest.ErrorOf(p.Record(now, Exposure{a.Kind, a.user, a.Request, a.shown})))
			},
			"again": func(t *rapid.T) {
				if len(history) == 0 {
					return
				}
				a := history[len(history)-1-rapid.IntRange(0, min(len(history), c.Retries)-1).Draw(t, "which")]
				if now-a.time > RetryAge {
					return
				}
				before, again := len(l.records), Exposure{a.Kind, a.user, a.Request, a.shown}
				if a.Kind != 0 {
					strategytest.Must(t, strategytest.ErrorOf(p.Record(now, again)))
				}
				if got := strategytest.Value(a.of(p, now)); !slices.Equal(got, a.shown) || len(l.records) != before {
					t.Fatalf("again: %v, want %v; %d records more", got, a.shown, len(l.records)-before)
				}
			},
			"wait":    func(t *rapid.T) { l.settle(rapid.IntRange(l.durable, len(l.records)).Draw(t, "durable")) },
			"pass":    func(t *rapid.T) { now += store.Timestamp(rapid.IntRange(0, 600).Draw(t, "seconds")) },
			"forget":  func(*rapid.T) { p.Forget(now) },
			"compare": func(*rapid.T) { check() },
			"save": func(t *rapid.T) {
				l.settle(len(l.records))
				needed, _, err := p.Snapshot(context.Background())
				strategytest.Must(t, err)
				l.trimmed = needed
			},
			"kill": func(t *rapid.T) {
				left := rapid.IntRange(l.durable, len(l.records)).Draw(t, "left")
				l.records, l.at, l.tickets = l.records[:left], l.at[:left], l.tickets[:left]
				l.settle(left)
				history = history[:left]
				p = start(t, c)
				check()
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
	done := make(chan struct{})
	go func() {
		defer close(done)
		for user := uint64(0); !over.Load(); user++ {
			show(user % 6000)
		}
	}()
	for range 20 {
		strategytest.ErrorSays(t, "a snapshot", strategytest.ErrorOf(p.Snapshot(t.Context())), "")
	}
	over.Store(true)
	<-done
	again := start(t, c)
	for user := range uint64(6000) {
		a, _ := p.History(1, user)
		b, _ := again.History(1, user)
		strategytest.Equal(t, bytes.Equal(a, b), true, "user %d has the same history after a start", user)
	}
}

// A snapshot is not there before what it holds is durable, nor if it cannot be written as a whole.
func TestSnapshotWaits(t *testing.T) {
	l, c, p := begun(t)
	strategytest.Must(t, strategytest.ErrorOf(showOf(1, 0, 1).of(p, 1)))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	early := strategytest.ErrorOf(p.Snapshot(ctx))
	strategytest.ErrorSays(t, "a snapshot of what is not durable", early, context.DeadlineExceeded.Error())
	l.settle(1)
	p.store.Close()
	closed := strategytest.ErrorOf(p.Snapshot(t.Context()))
	strategytest.ErrorSays(t, "a snapshot of a closed store", closed, "partition 0: snapshot: store")
	strategytest.Equal(t, len(strategytest.Value(c.snapshots())), 0, "snapshots")
}

// Only the unfinished snapshots of killed processes are removed, once nobody writes to them.
func TestRemoveLeftovers(t *testing.T) {
	dir := t.TempDir()
	const left = "partition-0000-0000000000000000.snapshot.saving"
	all := []string{left, ".other", "partition-0000-0000000000000001.snapshot", "secret"}
	for _, name := range all {
		strategytest.Must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	strategytest.Must(t, os.Mkdir(filepath.Join(dir, "partition-folder.saving"), 0o700))
	for _, c := range []struct {
		age   time.Duration
		there bool
	}{{time.Hour, true}, {0, false}} {
		strategytest.Must(t, RemoveLeftovers(dir, c.age))
		_, gone := os.Stat(filepath.Join(dir, left))
		got := fmt.Sprint(len(strategytest.Value(os.ReadDir(dir))), gone == nil)
		strategytest.Equal(t, got, map[bool]string{true: "5 true", false: "4 false"}[c.there],
			"left of those older than %v", c.age)
	}
	strategytest.ErrorSays(t, "no folder yet", RemoveLeftovers(filepath.Join(dir, "nowhere"), 0), "")
}

// Snapshots and records of another strategy, secret or number of partitions are refused; damaged ones are passed over.
func TestRefused(t *testing.T) {
	l, c, p := begun(t)
	for i := range 3 {
		strategytest.Must(t, strategytest.ErrorOf(showOf(1, 0, strategies.ID(i)).of(p, 1)))
		l.settle(len(l.records))
		strategytest.Must(t, strategytest.ErrorOf(p.Snapshot(t.Context())))
	}
	other := func(change func(*Config)) Config {
		c := c
		change(&c)
		return c
	}
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
}

// A call too old to be repeated does not keep the log from being trimmed.
func TestRetriesGrowOld(t *testing.T) {
	l, c, p := begun(t)
	var needed [2]log.Offset
	for i, now := range []store.Timestamp{1, 1 + RetryAge, 2 + RetryAge} {
		strategytest.Must(t, strategytest.ErrorOf(showOf(1, uint64(i+1), strategies.ID(i)).of(p, now)))
		l.settle(len(l.records))
		if i > 0 {
			var err error
			needed[i-1], _, err = p.Snapshot(t.Context()) // the second keeps the first
			strategytest.Must(t, err)
		}
	}
	strategytest.Must(t, strategytest.ErrorOf(p.Snapshot(t.Context())))
	strategytest.Equal(t, needed, [2]log.Offset{0, l.at[0]}, "needed by the first, and the second")
	newest := strategytest.Value(c.snapshots())[0]
	strategytest.Equal(t, strategytest.Value(readHeaderOf(filepath.Join(c.Dir, newest))).From, l.at[1],
		"needed by the third")
}

// A partition may be closed, and closed again, while calls ask it; those end. The race detector watches.
func TestClosedWhileAsked(t *testing.T) {
	p := start(t, configOf(t, &memoryLog{}, t.TempDir()))
	asked := make(chan error)
	go func() {
		for n := range strategies.ID(1 << 62) {
			if _, err := showOf(1, 0, n).of(p, 5); err != nil {
				asked <- err
				return
			}
		}
	}()
	for range 100 {
		p.Close()
	}
	strategytest.ErrorSays(t, "the end", <-asked, exposure.ErrElsewhere.Error())
}
