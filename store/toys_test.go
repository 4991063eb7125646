package store_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"dejavu/store"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

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

// loaded is what ReadSnapshot makes of a snapshot of about.
func loaded(data []byte, c store.Config) (*store.Store[int], store.Snapshot, error) {
	return store.ReadSnapshot[int](context.Background(), bytes.NewReader(data), c, about)
}
