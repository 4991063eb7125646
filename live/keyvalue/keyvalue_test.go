package keyvalue_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dejavu/live/exposure"
	"dejavu/live/exposure/exposuretest"
	"dejavu/live/keyvalue"
	"dejavu/live/measure"
	"dejavu/store"
	"dejavu/strategies"
)

// A memory is a Database without a server, in which another writes between Get and Swap
// for some users.
type memory struct {
	mu     sync.Mutex
	about  string
	values map[uint64][]byte
	err    error
	gets   int
	closed bool
	meet   func(user uint64) (others []byte, ok bool)
}

func (m *memory) Claim(_ context.Context, about string) (string, error) {
	if m.about == "" {
		m.about = about
	}
	return m.about, m.err
}

func (m *memory) Get(_ context.Context, users []uint64) (values [][]byte, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gets++
	for _, user := range users {
		values = append(values, m.values[user])
	}
	return values, m.err
}

func (m *memory) Swap(_ context.Context, changes []keyvalue.Change) (made []bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range changes {
		if m.meet != nil {
			if others, ok := m.meet(c.User); ok {
				m.values[c.User] = others
			}
		}
		same := bytes.Equal(m.values[c.User], c.Old)
		if same {
			m.values[c.User] = slices.Clone(c.New)
		}
		made = append(made, same)
	}
	return made, m.err
}

func (m *memory) Close() error { m.closed = true; return nil }

func histories(t testing.TB, strategy string, now *store.Timestamp) keyvalue.Histories {
	return keyvalue.Histories{
		Layout: exposuretest.Layout(t, strategy), Secret: exposuretest.Secret(t), Idle: time.Hour,
		Clock: func() store.Timestamp { return *now },
	}
}

// each runs a test over a memory, and over a Redis of the test's own where there is one.
func each(t *testing.T, test func(t *testing.T, open func() keyvalue.Database)) {
	t.Run("memory", func(t *testing.T) {
		m := &memory{values: map[uint64][]byte{}}
		test(t, func() keyvalue.Database { return m })
	})
	t.Run("redis", func(t *testing.T) {
		p, err := measure.StartRedis(t.Context(), t.TempDir())
		if errors.Is(err, measure.ErrNoRedis) {
			t.Skip("left out: ", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Kill() })
		test(t, func() keyvalue.Database {
			r, err := keyvalue.NewRedis(t.Context(), keyvalue.RedisOptions{Address: p.Address, Idle: time.Hour})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.Close() })
			return r
		})
	})
}

func opened(t testing.TB, db keyvalue.Database, h keyvalue.Histories) *keyvalue.Keeper {
	t.Helper()
	k, err := keyvalue.New(t.Context(), db, h)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Two services over one database, many callers: no article is shown twice, none is lost,
// and the histories are what the strategy makes. A request that comes again gets its
// answer again.
func TestKeeper(t *testing.T) {
	each(t, func(t *testing.T, open func() keyvalue.Database) {
		now := store.Timestamp(100)
		h := histories(t, "queue", &now)
		k, other := opened(t, open(), h), opened(t, open(), h)
		crowd := exposuretest.Crowd{Users: 3, Articles: 60}
		crowd.Show(t, 6, k, other)
		crowd.Remembered(t, k)
		ask := exposure.Show{User: "ann", Request: 7, Candidates: []strategies.ID{1, 1, 2, 3}, Limit: 2}
		for range 2 { // the second time the answer was lost
			one := []exposure.Show{ask}
			if err := k.ShowAll(t.Context(), one); err != nil || fmt.Sprint(one[0].Shown) != "[1 2]" {
				t.Errorf("show: %v, %v", one[0].Shown, err)
			}
			if err := k.Record(t.Context(), "bob", 9, []strategies.ID{5}); err != nil {
				t.Error(err)
			}
		}
		unnumbered := exposure.Show{User: "ann", Candidates: ask.Candidates, Limit: 2}
		twice := []exposure.Show{unnumbered, unnumbered}
		if err := k.ShowAll(t.Context(), twice); err != nil || fmt.Sprint(twice[0].Shown, twice[1].Shown) != "[3] []" {
			t.Errorf("a user twice in one call: %v, %v", twice, err)
		}
		seen := make([]bool, 3)
		if err := k.Seen(t.Context(), "ann", []strategies.ID{1, 3, 4}, seen); err != nil ||
			fmt.Sprint(seen) != "[true true false]" {
			t.Errorf("seen %v, %v", seen, err)
		}
		want := h.Layout.Record(nil, h.Secret.Salt(uint64(h.Secret.DigestString("bob"))).Append(nil, []strategies.ID{5}))
		if got, err := k.History(t.Context(), "bob"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("a history of %d bytes, %v, want %d", len(got), err, len(want))
		}
		for range 2 { // the second time there is nothing to forget
			if err := k.Forget(t.Context(), "bob"); err != nil {
				t.Error(err)
			}
		}
		if got, err := k.History(t.Context(), "bob"); err != nil || len(got) > 0 {
			t.Errorf("after Forget: %d bytes, %v", len(got), err)
		}
		if err := k.Ready(); err != nil {
			t.Error(err)
		}
		if of, here := k.Partitions(); of != 1 || len(here) != 1 {
			t.Errorf("partitions %d, %v", of, here)
		}
		const wrong = `does not fit: its histories are of "strategy queue`
		if _, err := keyvalue.New(t.Context(), open(), histories(t, "chain", &now)); !errors.Is(err, store.ErrMismatch) ||
			!strings.Contains(err.Error(), wrong) {
			t.Errorf("another strategy: %v", err)
		}
	})
}

// A history that nobody extended for the idle time is forgotten, not a second earlier.
func TestIdle(t *testing.T) {
	now := store.Timestamp(100)
	k := opened(t, &memory{values: map[uint64][]byte{}}, histories(t, "queue", &now))
	if err := k.Record(t.Context(), "ann", 0, []strategies.ID{1}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at    store.Timestamp
		alive bool
	}{{100 + 3599, true}, {100 + 3600, false}} {
		now = c.at
		seen := make([]bool, 1)
		err := k.Seen(t.Context(), "ann", []strategies.ID{1}, seen)
		h, err2 := k.History(t.Context(), "ann")
		if err != nil || err2 != nil || seen[0] != c.alive || (len(h) > 0) != c.alive {
			t.Errorf("at %d: seen %v, a history of %d bytes, %v, %v", c.at, seen[0], len(h), err, err2)
		}
	}
}

// Where another writes between reading and writing, the call begins anew on what the other
// wrote, for those users alone.
func TestAnother(t *testing.T) {
	now := store.Timestamp(100)
	h := histories(t, "queue", &now)
	theirs := &memory{values: map[uint64][]byte{}}
	if err := opened(t, theirs, h).Record(t.Context(), "ann", 0, []strategies.ID{1}); err != nil {
		t.Fatal(err)
	}
	ann := uint64(h.Secret.DigestString("ann"))
	met := false
	mine := &memory{values: map[uint64][]byte{}, meet: func(user uint64) ([]byte, bool) {
		if met || user != ann {
			return nil, false
		}
		met = true
		return theirs.values[ann], true
	}}
	k := opened(t, mine, h)
	two := []exposure.Show{
		{User: "ann", Candidates: []strategies.ID{1, 2}, Limit: 1},
		{User: "bob", Candidates: []strategies.ID{1, 2}, Limit: 1},
	}
	if err := k.ShowAll(t.Context(), two); err != nil || fmt.Sprint(two[0].Shown, two[1].Shown) != "[2] [1]" ||
		mine.gets != 2 {
		t.Errorf("%v %v after %d rounds, %v, want 2, which the other has not shown, and 1", two[0].Shown, two[1].Shown,
			mine.gets, err)
	}
}

// What the database cannot do is unavailable; a value that no service wrote is named.
func TestWrong(t *testing.T) {
	now := store.Timestamp(100)
	m := &memory{values: map[uint64][]byte{}, err: errors.New("planted")}
	h := histories(t, "queue", &now)
	if _, err := keyvalue.New(t.Context(), m, h); !errors.Is(err, m.err) || !m.closed {
		t.Errorf("a database that cannot be claimed: %v, closed: %v", err, m.closed)
	}
	m.err = nil
	k := opened(t, m, h)
	m.err = errors.New("planted")
	for what, err := range map[string]error{
		"record": k.Record(t.Context(), "ann", 0, []strategies.ID{1}),
		"seen":   k.Seen(t.Context(), "ann", nil, nil),
		"ready":  k.Ready(),
	} {
		if !errors.Is(err, m.err) || what != "ready" && !errors.Is(err, exposure.ErrUnavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}
	m.err = nil
	for _, raw := range []string{"twelve bytes", "a value that ends in what was shown", strings.Repeat("\x00", 14)} {
		m.values[uint64(h.Secret.DigestString("eve"))] = []byte(raw)
		if err := k.Record(t.Context(), "eve", 0, []strategies.ID{1}); err == nil ||
			!strings.Contains(err.Error(), "histories: user ") {
			t.Errorf("%q: %v", raw, err)
		}
	}
}

// No bytes make a keeper panic. What it takes for a history it extends.
func FuzzValue(f *testing.F) {
	now := store.Timestamp(1)
	m := &memory{values: map[uint64][]byte{}}
	h := histories(f, "chain", &now)
	k := opened(f, m, h)
	ann := uint64(h.Secret.DigestString("ann"))
	if err := k.Record(f.Context(), "ann", 2, []strategies.ID{3}); err != nil {
		f.Fatal(err)
	}
	f.Add(m.values[ann])
	f.Fuzz(func(t *testing.T, b []byte) {
		m.values[ann] = b
		if err := k.Record(t.Context(), "ann", 0, []strategies.ID{3}); err != nil {
			return
		}
		seen := make([]bool, 1)
		if err := k.Seen(t.Context(), "ann", []strategies.ID{3}, seen); err != nil || !seen[0] {
			t.Errorf("%x: what was recorded is seen: %v, %v", b, seen[0], err)
		}
	})
}
