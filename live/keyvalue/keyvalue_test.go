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
	"dejavu/live/keyvalue"
	"dejavu/live/layout"
	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A memory is a Database without a server, in which another writes between Get and Swap for some users.
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

var secret = strategies.RandomSecret()

func histories(t testing.TB, strategy string, now *store.Timestamp) keyvalue.Histories {
	t.Helper()
	l := strategytest.Value(layout.Make(layout.Choice{Name: strategy}))
	return keyvalue.Histories{
		Layout: l, Secret: secret, Idle: time.Hour, Clock: func() store.Timestamp { return *now },
	}
}

func opened(t testing.TB, db keyvalue.Database, h keyvalue.Histories) *keyvalue.Keeper {
	t.Helper()
	return strategytest.Value(keyvalue.New(t.Context(), db, h))
}

// A history that nobody extended for the idle time is forgotten, not a second earlier.
func TestIdle(t *testing.T) {
	now := store.Timestamp(100)
	k := opened(t, &memory{values: map[uint64][]byte{}}, histories(t, "queue", &now))
	strategytest.Must(t, k.Record(t.Context(), "ann", 0, []strategies.ID{1}))
	now = 50 // a clock that was set back does not have a user forgotten earlier
	strategytest.Must(t, k.Record(t.Context(), "ann", 0, []strategies.ID{1}))
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
	strategytest.Must(t, opened(t, theirs, h).Record(t.Context(), "ann", 0, []strategies.ID{1}))
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
	const wrong = `does not fit: its histories are of "strategy queue`
	if _, err := keyvalue.New(t.Context(), m, histories(t, "chain", &now)); !errors.Is(err, store.ErrMismatch) ||
		!strings.Contains(err.Error(), wrong) {
		t.Errorf("another strategy: %v", err)
	}
	many := []exposure.Show{{User: "ann", Limit: 256}}
	strategytest.ErrorSays(t, "more than a value can count", k.ShowAll(t.Context(), many), "limit is 256, want at most")
	m.err = errors.New("planted")
	for what, err := range map[string]error{
		"record":  k.Record(t.Context(), "ann", 0, []strategies.ID{1}),
		"show":    k.ShowAll(t.Context(), []exposure.Show{{User: "ann", Candidates: []strategies.ID{1}, Limit: 1}}),
		"seen":    k.Seen(t.Context(), "ann", nil, nil),
		"history": strategytest.ErrorOf(k.History(t.Context(), "ann")),
		"ready":   k.Ready(),
	} {
		if !errors.Is(err, m.err) || what != "ready" && !errors.Is(err, exposure.ErrUnavailable) {
			t.Errorf("%s: %v", what, err)
		}
	}
	m.err = nil
	for _, raw := range []string{"twelve bytes", "a value that ends in what was shown", strings.Repeat("\x00", 14)} {
		m.values[uint64(h.Secret.DigestString("eve"))] = []byte(raw)
		strategytest.ErrorSays(t, raw, k.Record(t.Context(), "eve", 0, []strategies.ID{1}), "histories: user ")
	}
	m.meet = func(uint64) ([]byte, bool) { m.err = errors.New("planted later"); return nil, false }
	err := k.Record(t.Context(), "ann", 0, []strategies.ID{1})
	strategytest.ErrorSays(t, "a value that cannot be written", err, "unavailable: planted later")
}

// No bytes make a keeper panic. What it takes for a history it extends.
func FuzzValue(f *testing.F) {
	now := store.Timestamp(1)
	m := &memory{values: map[uint64][]byte{}}
	h := histories(f, "chain", &now)
	k := opened(f, m, h)
	ann := uint64(h.Secret.DigestString("ann"))
	strategytest.Must(f, k.Record(f.Context(), "ann", 2, []strategies.ID{3}))
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

// A value has room for 255 articles of a call: more are refused, and the call that comes again gets the same.
func TestMany(t *testing.T) {
	now := store.Timestamp(100)
	k := opened(t, &memory{values: map[uint64][]byte{}}, histories(t, "queue", &now))
	candidates := make([]strategies.ID, 300)
	for i := range candidates {
		candidates[i] = strategies.ID(i + 1)
	}
	for _, limit := range []int{300, 255, 255} {
		one := []exposure.Show{{User: "ann", Request: 5, Candidates: candidates, Limit: limit}}
		err := k.ShowAll(t.Context(), one)
		if (err != nil) != (limit > 255) || err == nil && !slices.Equal(one[0].Shown, candidates[:255]) {
			t.Errorf("%d of %d are shown, %v", len(one[0].Shown), limit, err)
		}
	}
}

// A strategy by the calendar, of 30 days, remembers by days.
func TestDays(t *testing.T) {
	now := store.Timestamp(1000 * store.Day)
	h := histories(t, "beyond/daily", &now)
	h.Idle = 0
	k := opened(t, &memory{values: map[uint64][]byte{}}, h)
	strategytest.Must(t, k.Record(t.Context(), "ann", 0, []strategies.ID{1}))
	for _, day := range []store.Timestamp{1000, 1029, 1030} {
		now = day * store.Day
		seen := make([]bool, 1)
		if err := k.Seen(t.Context(), "ann", []strategies.ID{1}, seen); err != nil || seen[0] != (day < 1030) {
			t.Errorf("day %d: seen %v, %v", day, seen[0], err)
		}
	}
}
