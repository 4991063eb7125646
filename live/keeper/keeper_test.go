package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/layout"
	"dejavu/live/log"
	"dejavu/live/log/journal"
	"dejavu/live/partition"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

const parts = 5

var (
	queue, _ = layout.Make(layout.Choice{Name: "queue"})
	secret   = strategies.RandomSecret()
)

// fakeLog is a log that the test stops and makes fail.
type fakeLog struct {
	*journal.Log
	lapsed        error         // others may write to it
	ticket        *log.Ticket   // of all records, if not nil
	reading, goOn chan struct{} // if not nil, a Read waits; if deaf, even after its context has ended
	deaf          bool
}

func (l *fakeLog) Sole() error { return l.lapsed }

func (l *fakeLog) Append(partition int, record []byte) (log.Offset, *log.Ticket, error) {
	at, ticket, err := l.Log.Append(partition, record)
	return at, cmp.Or(l.ticket, ticket), err
}

func (l *fakeLog) Read(ctx context.Context, from map[int]log.Offset, each log.Each) (map[int]log.Offset, error) {
	if l.reading != nil {
		l.reading <- struct{}{}
		if !l.deaf {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		<-l.goOn
	}
	return l.Log.Read(context.WithoutCancel(ctx), from, each)
}

// made returns a keeper over a new log, or the one that there is, and the log.
func made(t testing.TB, dir string) (*Keeper, *fakeLog) {
	t.Helper()
	path := filepath.Join(dir, "log")
	if !strategytest.Value(journal.Find(path)).There {
		strategytest.Must(t, journal.Begin(path, 0))
	}
	l := &fakeLog{Log: strategytest.Value(journal.Open(path, parts))}
	l.Sync(false)
	said := strategytest.Value(os.Create(dir + ".said"))
	t.Cleanup(func() { l.Close(); said.Close() })
	return New(Config{
		Config: partition.Config{
			Of: parts, Layout: queue, Secret: secret, Retries: 16, Log: l, Dir: filepath.Join(dir, "snapshots"),
		},
		Every: 20 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(said, nil)),
		Clock: func() store.Timestamp { return 1 },
	}), l
}

// says counts how often a keeper has logged what.
func says(k *Keeper, what string) int {
	return strings.Count(string(strategytest.Value(os.ReadFile(filepath.Dir(k.c.Dir)+".said"))), what)
}

// await waits until is returns true, for six seconds.
func await(t testing.TB, not string, is func() bool) {
	t.Helper()
	for range 3000 {
		if is() {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatal(not)
}

func every() []int { return []int{0, 1, 2, 3, 4} }

// The queue remembers exactly: twenty users, for whom eight callers ask at once, are shown each article once. A second
// keeper goes on with snapshots and log, and answers a repeated request; a third finds all cleared.
func TestMemory(t *testing.T) {
	const users, articles, callers = 20, 160, 8
	dir := t.TempDir()
	var all []strategies.ID
	for i := range articles {
		all = append(all, strategies.Number(uint64(i)))
	}
	show := func(k *Keeper, requests ...exposure.Show) (shown string) {
		strategytest.Must(t, k.ShowAll(t.Context(), requests))
		for _, r := range requests {
			shown += fmt.Sprint(r.Shown)
		}
		return shown
	}
	again := func(user string, request uint64) exposure.Show {
		return exposure.Show{User: user, Request: request, Candidates: []strategies.ID{1, 1, 2, 3}, Limit: 2}
	}
	for round := range 3 {
		k, l := made(t, dir)
		strategytest.Must(t, k.Take(t.Context(), every()))
		switch round {
		case 0:
			ctx, stop := context.WithCancel(t.Context())
			var running, asking sync.WaitGroup
			running.Go(func() { k.Run(ctx) })
			var shown sync.Map
			for range callers {
				asking.Go(func() {
					for range articles / callers {
						requests := make([]exposure.Show, users)
						for u := range requests {
							requests[u] = exposure.Show{User: fmt.Sprint(u), Candidates: all, Limit: 1}
						}
						show(k, requests...)
						for _, r := range requests {
							_, again := shown.LoadOrStore(fmt.Sprint(r.User, r.Shown), true)
							strategytest.Equal(t, again, false, "user %s is shown %d again", r.User, r.Shown)
						}
					}
				})
			}
			asking.Wait()
			for range 2 { // the second time the answer was lost
				strategytest.Equal(t, show(k, again("ann", 7)), "[1 2]", "shown")
			}
			strategytest.Equal(t, show(k, again("ann", 0), again("ann", 0)), "[3][]", "a user twice in one call")
			got := show(k, again("eve", 8), again("ann", 0), again("eve", 8), again("eve", 0))
			strategytest.Equal(t, got, "[1 2][][1 2][3]", "a request twice in one call")
			await(t, "there is no snapshot", func() bool { return k.Meter.Saves.Load() > 0 })
			stop()
			running.Wait()
			strategytest.Equal(t, k.Meter.SaveErrors.Load(), 0, "snapshots that failed")
		case 1:
			for u := range users {
				seen := make([]bool, len(all))
				strategytest.Must(t, k.Seen(t.Context(), fmt.Sprint(u), all, seen))
				strategytest.Equal(t, slices.Contains(seen, false), false, "an article of user %d is forgotten", u)
			}
			strategytest.Equal(t, k.Users(), users+2, "users")
			strategytest.Must(t, k.Clear(t.Context()))
		}
		if round > 0 {
			strategytest.Equal(t, k.Users(), 0, "users after all were cleared")
			strategytest.Equal(t, show(k, exposure.Show{User: "ann", Request: 7, Candidates: all[:1], Limit: round - 1}),
				fmt.Sprint(all[:round-1]), "shown by a request from before")
		}
		strategytest.Must(t, l.Close())
	}
}

// A failed partition is read again, and calls for a partition that is not here say so.
func TestComesBack(t *testing.T) {
	k, l := made(t, t.TempDir())
	strategytest.Must(t, k.Ready())
	elsewhere := exposure.ErrElsewhere.Error()
	one := []strategies.ID{1}
	for what, err := range map[string]error{
		"record": k.Record(t.Context(), "ann", 0, one), "seen": k.Seen(t.Context(), "ann", one, make([]bool, 1)),
		"history": strategytest.ErrorOf(k.History(t.Context(), "ann")), "clear": k.Clear(t.Context()),
		"show": k.ShowAll(t.Context(), []exposure.Show{{User: "ann", Candidates: one, Limit: 1}}),
	} {
		strategytest.ErrorSays(t, what, err, elsewhere)
	}
	go k.Maintain(t.Context())
	k.Serve(every())
	ready := func() bool { _, here := k.Partitions(); return k.Ready() == nil && len(here) == parts }
	await(t, "the partitions do not come", ready)
	strategytest.Must(t, k.ShowAll(t.Context(), []exposure.Show{
		{User: "ann", Request: 1, Candidates: one, Limit: 1},
		{User: "ann", Request: 2, Candidates: []strategies.ID{2}, Limit: 1},
	}))
	strategytest.Equal(t, l.Meter.Records.Load(), 1, "records of a call for one partition")
	n := exposure.Partition("ann", parts)
	failed := k.slots[n].here.Load()
	failed.Fail(errors.New("planted"))
	strategytest.ErrorSays(t, "a failed one", k.Record(t.Context(), "ann", 0, []strategies.ID{3}), "unavailable: planted")
	await(t, "the failed partition does not come back", ready)
	strategytest.Equal(t, failed.Stats().Users, 0, "users that the failed one still has in memory")
	strategytest.Equal(t, says(k, "a partition is read anew"), 1, "partitions that are said to be read anew")
	seen := make([]bool, 3)
	strategytest.Must(t, k.Seen(t.Context(), "ann", []strategies.ID{1, 2, 3}, seen))
	strategytest.Equal(t, fmt.Sprint(seen, k.Meter.Failures.Load()), "[true true false] 1", "seen, and failures")
	given := k.slots[n].here.Load()
	k.Drop(t.Context(), []int{n}, true)
	strategytest.ErrorSays(t, "one that was given up", given.Err(), elsewhere)
	k.Serve([]int{n})
	await(t, "the partition does not come again", ready)
	strategytest.Must(t, k.Forget(t.Context(), "ann"))
	strategytest.Equal(t, len(strategytest.Value(k.History(t.Context(), "ann"))), 0, "bytes of a history after Forget")
}

// A keeper that is not sure of its partitions answers what the log has confirmed, and no question, nor an empty show.
func TestNotSure(t *testing.T) {
	k, l := made(t, t.TempDir())
	strategytest.Must(t, k.Take(t.Context(), every()))
	one, fresh := []strategies.ID{1}, strategies.ID(1)
	for _, l.lapsed = range []error{nil, errors.New("planted")} {
		check := func(what string, err error) {
			t.Helper()
			strategytest.ErrorSays(t, what, err, map[bool]string{true: exposure.ErrUnavailable.Error()}[l.lapsed != nil])
		}
		strategytest.Must(t, k.Record(t.Context(), "ann", 0, one))
		fresh++
		shows := []exposure.Show{{User: "bob", Candidates: []strategies.ID{fresh}, Limit: 1}}
		strategytest.Must(t, k.ShowAll(t.Context(), shows))
		known := exposure.Show{User: "ann", Candidates: one, Limit: 1}
		check("Seen", k.Seen(t.Context(), "ann", one, make([]bool, 1)))
		_, err := k.History(t.Context(), "ann")
		check("History", err)
		check("a show of nothing", k.ShowAll(t.Context(), []exposure.Show{known}))
		check("two of them", k.ShowAll(t.Context(), []exposure.Show{known, {User: "eve", Candidates: one, Limit: 0}}))
		check("Ready", k.Ready())
		_, here := k.Partitions()
		strategytest.Equal(t, len(here), map[bool]int{true: parts}[l.lapsed == nil], "partitions, lapsed %v", l.lapsed)
	}
}

// A partition whose record is not durable answers no more; a caller who has no time to wait for it does not end it.
func TestNotDurable(t *testing.T) {
	k, l := made(t, t.TempDir())
	l.ticket = log.NewTicket()
	strategytest.Must(t, k.Take(t.Context(), every()))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	one := []strategies.ID{1}
	strategytest.ErrorSays(t, "a wait that is given up", k.Record(over, "ann", 0, one), context.Canceled.Error())
	strategytest.Must(t, k.Ready())
	l.ticket.Stall(log.ErrStalled) // as on a full disk: the record becomes durable later
	strategytest.ErrorSays(t, "stalled", k.Record(t.Context(), "ann", 0, one), "unavailable: the log cannot be written")
	strategytest.Must(t, k.Ready())
	l.ticket.Settle(errors.New("planted"))
	const planted = "unavailable: planted"
	strategytest.ErrorSays(t, "record", k.Record(t.Context(), "ann", 0, one), planted)
	other := "bob"
	for exposure.Partition(other, parts) == exposure.Partition("ann", parts) {
		other += "b"
	}
	for _, users := range [][]string{{"ann"}, {"ann", other}, {other, "ann"}} { // one fails the whole call
		var shows []exposure.Show
		for _, user := range users {
			shows = append(shows, exposure.Show{User: user, Candidates: one, Limit: 0})
		}
		strategytest.ErrorSays(t, fmt.Sprint(users), k.ShowAll(t.Context(), shows), planted)
	}
	shows := []exposure.Show{{User: other, Candidates: one, Limit: 1}}
	strategytest.ErrorSays(t, "show", k.ShowAll(t.Context(), shows), planted)
	strategytest.ErrorSays(t, "forget", k.Forget(t.Context(), "ann"), planted)
	strategytest.ErrorSays(t, "seen", k.Seen(t.Context(), "ann", one, make([]bool, 1)), planted)
	strategytest.ErrorSays(t, "history", strategytest.ErrorOf(k.History(t.Context(), "ann")), planted)
	strategytest.ErrorSays(t, "ready", k.Ready(), "planted")
}

// Take serves nothing if a partition cannot be loaded, Maintain the others. Snapshots that fail are counted.
func TestTakeFails(t *testing.T) {
	k, l := made(t, t.TempDir())
	k.Serve(every())
	strategytest.ErrorSays(t, "ready", k.Ready(), "partition 0 is being loaded: not served here")
	_, ticket, err := l.Append(3, []byte("no record"))
	strategytest.Must(t, err)
	strategytest.Must(t, ticket.Wait(t.Context()))
	strategytest.ErrorSays(t, "a record that nobody wrote", k.Take(t.Context(), every()), "partition 3")
	strategytest.Equal(t, len(k.all()), 0, "partitions that are here")
	strategytest.Must(t, k.Take(t.Context(), []int{0, 1}))
	strategytest.Equal(t, fmt.Sprint(k.Meter.Loads.Load(), k.Meter.Failures.Load()), "2 1", "loads and failures")
	go k.Maintain(t.Context())
	await(t, "the others do not come", func() bool { return len(k.all()) == parts-1 })
	strategytest.Equal(t, fmt.Sprintln(k.Partitions()), "5 [0 1 2 4]\n", "partitions that are here: all but one")
	strategytest.Equal(t, says(k, "partitions cannot be served") > 1, true, "what cannot be served is said each time")
	strategytest.Must(t, os.WriteFile(k.c.Dir, nil, 0o600)) // where snapshots cannot be
	strategytest.ErrorSays(t, "a snapshot", k.Save(t.Context()), "partition ")
	strategytest.ErrorSays(t, "a start", New(k.c).Take(t.Context(), every()), "snapshots: ")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan struct{})
	go func() { k.Run(ctx); close(ended) }()
	await(t, "snapshots do not fail", func() bool { return k.Meter.SaveErrors.Load() > 3*parts })
	strategytest.Must(t, os.Remove(k.c.Dir))
	await(t, "snapshots fail on", func() bool { return says(k, "snapshots are saved again") > 0 })
	stop()
	<-ended
	strategytest.Equal(t, says(k, "snapshots fail"), 1, "alarms of many snapshots that fail")
	strategytest.Must(t, os.RemoveAll(k.c.Dir), os.WriteFile(k.c.Dir, nil, 0o600))
	failed := k.Meter.SaveErrors.Load()
	k.Drop(t.Context(), []int{4}, false)
	strategytest.Equal(t, k.Meter.SaveErrors.Load(), failed, "errors after one that was not to be saved")
	k.Drop(t.Context(), []int{0, 2}, true)
	strategytest.Equal(t, k.Meter.SaveErrors.Load(), failed+2, "errors after two that were")
	strategytest.Equal(t, fmt.Sprint(failed > 0, k.all()), "true [1]", "errors, and what is left")
	strategytest.Equal(t, says(k, "a partition is given up unsaved"), 2, "partitions that are said to be unsaved")
}

// Drop ends a load under way. A dropped partition is not served even if its load completes.
func TestDropWhileLoading(t *testing.T) {
	for _, deaf := range []bool{false, true} {
		k, l := made(t, t.TempDir())
		l.reading, l.goOn, l.deaf = make(chan struct{}), make(chan struct{}), deaf
		taken, dropped := make(chan error, 1), make(chan struct{})
		go func() { taken <- k.Take(t.Context(), every()) }()
		<-l.reading
		go func() { k.Drop(t.Context(), every(), true); close(dropped) }()
		for k.Ready() != nil { // until Drop has said that they are not wanted
			runtime.Gosched()
		}
		close(l.goOn)
		<-dropped // which does not wait for the load
		if err := <-taken; !deaf && !errors.Is(err, context.Canceled) || k.Meter.Loads.Load() > 0 ||
			k.Meter.Failures.Load() > 0 {
			t.Errorf("deaf %v: %v, %d loads, %d failures", deaf, err, k.Meter.Loads.Load(), k.Meter.Failures.Load())
		}
	}
}

// Run drops who has been away. Snapshots are counted, and their bytes.
func TestRun(t *testing.T) {
	k, _ := made(t, t.TempDir())
	var now atomic.Uint32
	k.c.Clock, k.c.Idle = func() store.Timestamp { return store.Timestamp(now.Load()) }, 1000
	k.c.Every = 200 * time.Millisecond
	now.Store(1)
	strategytest.Must(t, errors.Join(k.Take(t.Context(), every()), k.Record(t.Context(), "ann", 0, []strategies.ID{1})))
	now.Store(1001)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { k.Run(ctx); close(ended) }()
	await(t, "there are not two snapshots of each, every 200 ms", func() bool { return k.Meter.Saves.Load() >= 2*parts })
	stop()
	<-ended
	s, _ := k.Stats()
	strategytest.Equal(t, fmt.Sprint(s.Users, s.Expired), "0 1", "users, and expired ones")
	m, bytes := &k.Meter, int64(0)
	saves, saved := m.Saves.Load(), m.SavedBytes.Load()
	strategytest.Must(t, k.Record(t.Context(), "bob", 0, []strategies.ID{1}), k.Save(t.Context()))
	for n := range parts {
		all, _ := filepath.Glob(filepath.Join(k.c.Dir, fmt.Sprintf("partition-%04d-*.snapshot", n)))
		if info, err := os.Stat(all[len(all)-1]); err == nil {
			bytes += info.Size() - 60 // of the partition's header
		}
	}
	got := fmt.Sprint(m.Saves.Load()-saves, m.SavedBytes.Load()-saved, m.SaveNanos.Load() > 0, m.SaveErrors.Load())
	strategytest.Equal(t, got, fmt.Sprint(parts, bytes, true, 0), "snapshots, their bytes, some time, errors")
	var said strings.Builder
	again := New(k.c)
	again.c.Logger = slog.New(slog.NewTextHandler(&said, nil))
	strategytest.Must(t, again.Take(t.Context(), every()), again.Take(t.Context(), every())) // all are there already
	want := fmt.Sprintf("count=%d histories=1 snapshot_bytes=%d ", parts, bytes)
	strategytest.Contains(t, said.String(), want, "a start")
	strategytest.Equal(t, strings.Count(said.String(), " records=0 "), 1, "starts, and no records")
	strategytest.Equal(t, strings.Contains(said.String(), " load=0s "), false, "loading takes time: %s", &said)
	one, n := New(k.c), exposure.Partition("bob", parts)
	strategytest.Must(t, one.Take(t.Context(), []int{n}), one.ShowAll(t.Context(), []exposure.Show{
		{User: "bob", Candidates: []strategies.ID{1, 2}, Limit: 2},
	}))
	sum, here := one.Stats()
	strategytest.Equal(t, sum, one.slots[n].here.Load().Stats(), "of %d partitions, and of the one", here)
}
