package store_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"

	"github.com/cespare/xxhash/v2"
)

// While a snapshot is written, one goroutine for each shard goes round its users in order and shows each the number of
// the round. The snapshot holds a shard's users as they were at one moment: the first users in one round, the others
// in the one before. In every round a history moves to another pool, and moves others.
func TestSnapshotOfBusyStore(t *testing.T) {
	const shards, each, copies = 4, 400, 15
	c := store.Config{Unsalted: true, Strategy: stamp{}, Users: shards * each, Shards: shards}
	s := mustNew(t, c)
	show := func(user, round int) { s.Record(user, store.Timestamp(round), []strategies.ID{strategies.ID(round)}) }
	for user := range c.Users {
		show(user, 1)
	}
	var rounds [shards]atomic.Int64 // begun
	var requests sync.WaitGroup
	var stop atomic.Bool
	defer requests.Wait()
	defer stop.Store(true)
	for shard := range shards {
		rounds[shard].Store(1)
		requests.Go(func() {
			for round := 2; !stop.Load(); round++ {
				rounds[shard].Store(int64(round))
				for user := shard; user < c.Users; user += shards {
					show(user, round)
				}
			}
		})
	}
	split := 0
	for range copies {
		var begun [shards]int64
		for i := range begun {
			begun[i] = rounds[i].Load()
		}
		var b bytes.Buffer
		strategytest.Must(t, strategytest.ErrorOf(s.WriteSnapshot(t.Context(), &b, stampAbout, 0, nil)))
		got, snapshot, err := store.ReadSnapshot[int](t.Context(), &b, c, stampAbout)
		if err != nil || snapshot.Histories != c.Users {
			t.Fatalf("%d of %d histories, %v", snapshot.Histories, c.Users, err)
		}
		for shard := range shards {
			first := stamped(got.History(shard, 0, nil))
			if int64(first)+1 < begun[shard] || int64(first) > rounds[shard].Load() {
				t.Fatalf("shard %d: round %d in the snapshot, which began in %d and ended in %d", shard, first, begun[shard],
					rounds[shard].Load())
			}
			behind := false
			for user := shard; user < c.Users; user += shards {
				round := stamped(got.History(user, 0, nil))
				if at, _ := got.Last(user); uint64(at) != round {
					t.Fatalf("user %d: round %d, recorded at %d", user, round, at)
				}
				if round != first && !behind {
					behind = true
					split++
				}
				if behind && round != first-1 || !behind && round != first {
					t.Fatalf("shard %d: user %d in round %d, the first in %d: not one moment", shard, user, round, first)
				}
			}
		}
		check(t, got)
		got.Clear()
	}
	stop.Store(true)
	requests.Wait()
	check(t, s)
	if split == 0 {
		t.Error("no shard was ever copied within a round: the test shows nothing")
	}
	t.Logf("%d of %d copies of a shard were made within a round", split, copies*shards)
}

// Copied is called once, when nothing that is recorded from then on gets into the snapshot, and everything before does.
func TestSnapshotSaysWhenItIsCopied(t *testing.T) {
	for _, shards := range []int{1, 4} {
		c := store.Config{Unsalted: true, Strategy: stamp{}, Users: 400, Shards: shards}
		s := mustNew(t, c)
		record := func(round int) {
			for user := range c.Users {
				s.Record(user, store.Timestamp(round), []strategies.ID{strategies.ID(round)})
			}
		}
		record(1)
		want := s.History(0, 1, nil)
		var b bytes.Buffer
		calls := 0
		_, err := s.WriteSnapshot(context.Background(), &b, stampAbout, 1, func() { calls++; record(2) })
		if err != nil || calls != 1 {
			t.Fatalf("%d shards: copied was called %d times, %v", shards, calls, err)
		}
		got, _, err := store.ReadSnapshot[int](context.Background(), &b, c, stampAbout)
		strategytest.Must(t, err)
		for user := range c.Users {
			if history := got.History(user, 1, nil); !bytes.Equal(history, want) {
				t.Fatalf("%d shards: user %d: history %x, want that before the copy, %x", shards, user, history, want)
			}
		}
		got.Close()
	}
}

// Snapshots that release 0.1.0 wrote, of every strategy of the catalogue, salted and not, can be opened; their users'
// lives go on, and are saved and opened again, with every answer and byte as in that release. The archive holds each
// snapshot, of two users, and "lives", a digest of what came after it.
func TestEarlierSnapshots(t *testing.T) {
	archive := strategytest.Value(zip.OpenReader("testdata/version3.zip"))
	defer archive.Close()
	read := func(name string) string {
		f := strategytest.Value(archive.Open(name))
		data := strategytest.Value(io.ReadAll(f))
		return string(data)
	}
	articles := func(user string, from, n int) (ids []strategies.ID) {
		for i := range n {
			ids = append(ids, strategies.XXHashString(fmt.Sprint(user, from+i)))
		}
		return ids
	}
	secret := strategytest.Value(strategies.NewSecret([]byte("a key of some length")))
	lives, found := read("lives"), 0
	for _, e := range catalogue.All() {
		for _, unsalted := range []bool{false, true} {
			name := path.Base(e.Name) + map[bool]string{true: ".unsalted", false: ".salted"}[unsalted]
			if !slices.ContainsFunc(archive.File, func(f *zip.File) bool { return f.Name == name }) {
				continue // a later strategy
			}
			found++
			c := store.Config{Strategy: catalogue.Must(e.Make()), Secret: secret, Unsalted: unsalted, Idle: 1000}
			open := func(snapshot string, version int, strategy string) *store.Store[string] {
				s, about, err := store.ReadSnapshot[string](t.Context(), strings.NewReader(snapshot), c, e.Name)
				strategytest.Must(t, err)
				strategytest.Equal(t, about.Version, version, "%s: version", name)
				strategytest.Equal(t, about.Strategy, strategy, "%s: strategy", name)
				return s
			}
			s, digest := open(read(name), 3, ""), xxhash.New()
			for round := range 4 {
				for _, user := range []string{"ann", "bob"} {
					ids := articles(user, 0, 1000)
					fmt.Fprint(digest, s.Seen(user, 300, ids, nil))
					s.Record(user, 300, articles(user, 120+40*round, 40))
					_, _ = digest.Write(s.History(user, 300, nil))
				}
				var again strings.Builder
				_, err := s.WriteSnapshot(t.Context(), &again, e.Name, 300, nil)
				strategytest.Must(t, err)
				s.Close()
				s = open(again.String(), 4, strategies.Fingerprint(c.Strategy))
			}
			s.Close()
			strategytest.Contains(t, lives, fmt.Sprintf("%s %016x\n", name, digest.Sum64()), "the lives are")
		}
	}
	strategytest.AtLeast(t, found, 34, "snapshots of strategies that release 0.1.0 had")
}
