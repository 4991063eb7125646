package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

func TestConfigErrors(t *testing.T) {
	toy := ladder{stride: 8}
	tooMany := math.MaxInt32
	tooMany++ // negative where an int has 32 bits, and as wrong
	refused := func(config store.Config, want string) {
		t.Helper()
		s, err := store.New[int](config)
		if strategytest.ErrorSays(t, "New", err, want); s != nil {
			t.Errorf("a store, want an error with %q", want)
		}
	}
	refused(store.Config{Users: 1}, "Strategy is nil")
	refused(store.Config{Unsalted: true, Strategy: toy, Users: -1}, "Users is -1, want 0 (keys) to 2147483647")
	refused(store.Config{Unsalted: true, Strategy: toy, Users: tooMany}, fmt.Sprintf("Users is %d", tooMany))
	refused(store.Config{Unsalted: true, Strategy: toy, Users: 1, Shards: -1}, "Shards is -1, want 0")
	refused(store.Config{Unsalted: true, Strategy: toy, Users: 1, Shards: 1<<16 + 1}, "to 65536")
	refused(store.Config{Unsalted: true, Strategy: toy, Users: 1<<16 + 1, Shards: 1}, "want at least 2 for")
	refused(store.Config{Unsalted: true, Strategy: toy, Users: math.MaxInt32, Shards: 1}, "want at least 32768")
	refused(store.Config{Unsalted: true, Strategy: climb{}, Users: 1}, "Sizes has 0 lengths, want 1 to 16383")
	refused(store.Config{Unsalted: true, Strategy: make(climb, 1<<14), Users: 1}, "Sizes has 16384 lengths")
	refused(store.Config{Unsalted: true, Strategy: climb{0, 8}, Users: 1}, "Sizes[0] is 0 bytes, want 1 to 67108864")
	refused(store.Config{Unsalted: true, Strategy: climb{8, 8}, Users: 1}, "Sizes[1] is 8 bytes, want 9 to")
	refused(store.Config{Unsalted: true, Strategy: climb{16, 8}, Users: 1}, "Sizes[1] is 8 bytes, want 17 to")
	refused(store.Config{Unsalted: true, Strategy: climb{1<<26 + 1}, Users: 1}, "Sizes[0] is 67108865 bytes")
}

// TestExtremes tries limits at their allowed end: one huge history, the most sizes.
func TestExtremes(t *testing.T) {
	t.Run("large", func(t *testing.T) {
		s := mustNew(t, store.Config{Unsalted: true, Strategy: climb{5, 1 << 26}, Users: 1})
		for range 4 {
			s.Record(0, 0, []strategies.ID{7})
			check(t, s)
		}
	})
	t.Run("many", func(t *testing.T) {
		sizes := make(climb, 1<<14-1)
		for i := range sizes {
			sizes[i] = i + 1
		}
		s := mustNew(t, store.Config{Unsalted: true, Strategy: sizes, Users: 2, Shards: 1})
		for _, size := range []int{1, 1 << 13, 1<<14 - 1} {
			for u := range 2 {
				strategytest.Must(t, s.Put(u, 0, make([]byte, size)))
			}
			check(t, s)
		}
	})
}

// picky is a strategy whose Validate may return an error.
type picky struct{ climb }

var errPicky = errors.New("picky: not that one")

func (picky) Validate(h []byte) error {
	if len(h) > 0 && h[0] == 'x' {
		return errPicky
	}
	return nil
}

func TestPutErrors(t *testing.T) {
	s := mustNew(t, store.Config{Unsalted: true, Strategy: picky{climb{3, 5}}, Users: 2})
	strategytest.Must(t, s.Put(1, 7, []byte("abc")))
	if err := s.Put(1, 8, []byte("xyz")); !errors.Is(err, errPicky) || !strings.Contains(err.Error(), "user 1") {
		t.Errorf("Put of an invalid history: %v", err)
	}
	strategytest.ErrorSays(t, "Put of a history of an unknown length", s.Put(1, 8, []byte("abcd")),
		"4 bytes, want 0 or one of [3 5]")
	for _, user := range []int{-1, 2, math.MaxInt} {
		strategytest.ErrorSays(t, fmt.Sprintf("Put for user %d", user), s.Put(user, 8, []byte("abc")), "want 0 to 1")
	}
	if h := s.History(1, 0, nil); string(h) != "abc" {
		t.Errorf("the history is %q after failed Puts, want abc", h)
	}
	if at, ok := s.Last(1); at != 7 || !ok {
		t.Errorf("Last is %d, %v after failed Puts, want 7", at, ok)
	}
}

// broken returns histories its Sizes do not list.
type broken struct{ climb }

func (broken) Record(h []byte, shown []strategies.ID) []byte { return append(h, 1, 2) }

func TestPanics(t *testing.T) {
	s := mustNew(t, store.Config{Unsalted: true, Strategy: broken{climb{3}}, Users: 2, Shards: 1})
	panics := func(want string, f func()) {
		t.Helper()
		defer func() {
			if got, _ := recover().(string); !strings.Contains(got, want) {
				t.Errorf("panic %q, want %q", got, want)
			}
		}()
		f()
	}
	panics("user 2, want 0 to 1", func() { s.Seen(2, 0, nil, nil) })
	panics("user -1, want 0 to", func() { s.Record(-1, 0, []strategies.ID{1}) })
	panics("user 2, want 0 to", func() { s.History(2, 0, nil) })
	panics("user 2, want 0 to", func() { s.Last(2) })
	panics("history of 2 bytes, want 0 or one of its Sizes [3]", func() { s.Record(0, 0, []strategies.ID{1}) })
	// The shard is not locked, and the user is as before.
	if h := s.History(0, 0, nil); h != nil {
		t.Errorf("history %v after a panic, want none", h)
	}
}

// sprawling writes after its history, where append allows it.
type sprawling struct{ climb }

func (s sprawling) Record(h []byte, shown []strategies.ID) []byte {
	h = append(h, bytes.Repeat([]byte{byte(shown[0])}, s.climb[0])...)
	return h[len(h)-s.climb[0]:]
}

// TestNeighbours: behind a block lies another user's.
func TestNeighbours(t *testing.T) {
	const users, size = 9, 20
	s := mustNew(t, store.Config{Unsalted: true, Strategy: sprawling{climb{size}}, Users: users, Shards: 1})
	want := make([]byte, users)
	for round := range 2 {
		for u := range users {
			want[u] = byte(1 + round*users + u)
			s.Record(u, 0, []strategies.ID{strategies.ID(want[u])})
			for v := range users {
				if h := s.History(v, 0, nil); len(h) > 0 && !bytes.Equal(h, bytes.Repeat(want[v:v+1], size)) {
					t.Fatalf("history of user %d is %v after recording for %d", v, h, u)
				}
			}
		}
	}
}

// There are sixteen shards, or the power of two that leaves at most 65,536 users to a shard.
func TestShards(t *testing.T) {
	for users, want := range map[int]int{1: 16, 1 << 20: 16, 1<<20 + 1: 32, 10_000_000: 256} {
		s := mustNew(t, store.Config{Unsalted: true, Strategy: ladder{stride: 8}, Users: users})
		strategytest.Equal(t, s.Shards(), want, "%d users: shards", users)
	}
}

// A ladder is a toy strategy that remembers exactly, and does everything the contract allows: its histories
// double from one article to steps' last, the article after that throws all but three away (it shrinks),
// article 0 throws everything away, and now and then the result is memory of its own.
type ladder struct {
	stride int  // bytes an article takes, at least 8
	fresh  bool // return new memory after every third article
}

var steps = []int{1, 2, 4, 8, 16}

func (l ladder) size(articles int) int {
	for _, n := range steps {
		if articles <= n {
			return 4 + l.stride*n
		}
	}
	panic("ladder: too many articles")
}

func (l ladder) Sizes() (sizes []int) {
	for _, n := range steps {
		sizes = append(sizes, l.size(n))
	}
	return sizes
}

func (l ladder) article(h []byte, i int) strategies.ID {
	return strategies.ID(binary.LittleEndian.Uint64(h[4+l.stride*i:]))
}

func (l ladder) Seen(h []byte, candidates []strategies.ID, seen []bool) {
	n := 0
	if len(h) > 0 {
		n = int(binary.LittleEndian.Uint32(h))
	}
	for c, id := range candidates {
		seen[c] = false
		for i := range n {
			seen[c] = seen[c] || l.article(h, i) == id
		}
	}
}

func (l ladder) Record(h []byte, shown []strategies.ID) []byte {
	for _, id := range shown {
		if id == 0 {
			h = h[:0]
			continue
		}
		n := 0
		if len(h) > 0 {
			n = int(binary.LittleEndian.Uint32(h))
		}
		if n == steps[len(steps)-1] {
			copy(h[4:], h[4+l.stride*(n-3):])
			n = 3
		}
		was := len(h)
		size := l.size(n + 1)
		h = slices.Grow(h[:min(was, size)], max(size-was, 0))[:size]
		if was < size {
			clear(h[max(was, 4):]) // what lies behind a history is anything
		}
		binary.LittleEndian.PutUint32(h, uint32(n+1))
		binary.LittleEndian.PutUint64(h[4+l.stride*n:], uint64(id))
		clear(h[4+l.stride*(n+1):])
		if l.fresh && n%3 == 2 {
			h = slices.Clone(h)
		}
	}
	return h
}

func (l ladder) Validate(h []byte) error {
	if len(h) == 0 {
		return nil
	}
	if len(h) < 4 {
		return fmt.Errorf("ladder: %d bytes, want 0 or at least 4", len(h))
	}
	if n := int(binary.LittleEndian.Uint32(h)); n < 1 || n > steps[len(steps)-1] || len(h) != l.size(n) {
		return fmt.Errorf("ladder: %d articles in %d bytes", n, len(h))
	}
	return nil
}

// A climb is a toy whose histories go up one of its lengths with every Record, back to the first after the
// last, and whose Seen does nothing: what is left is the store's own cost.
type climb []int

// flat never leaves its only length, the paper's four-thousand-bit filter.
var flat = climb{508}

func (c climb) Sizes() []int                                 { return c }
func (c climb) Validate([]byte) error                        { return nil }
func (c climb) Seen(h []byte, ids []strategies.ID, s []bool) {}
func (c climb) Record(h []byte, shown []strategies.ID) []byte {
	next := c[(slices.Index(c, len(h))+1)%len(c)]
	h = slices.Grow(h, max(next-len(h), 0))[:next]
	h[0], h[next-1] = byte(shown[0]), byte(shown[0]>>8)
	return h
}

func mustNew(tb testing.TB, c store.Config) *store.Store[int] {
	tb.Helper()
	s := strategytest.Value(store.New[int](c))
	tb.Cleanup(s.Clear) // tests that measure memory come after
	return s
}

func check(tb testing.TB, s *store.Store[int]) {
	tb.Helper()
	strategytest.Must(tb, s.Check())
}

// loaded reads a snapshot of about.
func loaded(data []byte, c store.Config) (*store.Store[int], store.Snapshot, error) {
	return store.ReadSnapshot[int](context.Background(), bytes.NewReader(data), c, about)
}

// At counts seconds since 1970, within the 32 bits.
func TestAt(t *testing.T) {
	for at, want := range map[time.Time]store.Timestamp{
		time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC):                         0,
		time.Date(1970, 1, 1, 0, 1, 1, 999, time.UTC):                            61,
		time.Date(2026, 3, 1, 1, 0, 0, 0, time.FixedZone("an hour ahead", 3600)): 1772323200,
		time.Date(2106, 2, 7, 6, 28, 15, 0, time.UTC):                            math.MaxUint32,
		time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC):                              math.MaxUint32,
		{}: 0,
	} {
		strategytest.Equal(t, store.At(at), want, "At(%v)", at)
	}
}
