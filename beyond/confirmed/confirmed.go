// Package confirmed keeps the newest articles in an exact list, and older ones in another strategy. An article enters
// the strategy when it leaves the list, so the strategy holds fewer articles at a lower false positive rate. The price
// is eight bytes for each listed article. It is the useful reading of the second check that "Bloom filters in
// recommender systems" (§3) advises.
package confirmed

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"dejavu/bloom"
	"dejavu/internal/garbage"
	"dejavu/internal/lookup"
	"dejavu/strategies"
)

// An Inner is the strategy behind the list, with its theory.
type Inner interface {
	strategies.Strategy
	strategies.Theory
}

// Config is the parameters of the combination.
type Config struct {
	_     struct{}
	Inner Inner // not nil
	Last  int   // articles listed, the newest, 1 to 65535
}

const (
	maxLast   = 1<<16 - 1
	idBytes   = lookup.IDBytes
	collision = 1. / (1 << 64) // the probability that an unseen article has the ID of a given other

	// headerBytes are first: the number of articles listed and the slot of the next, in 16 bits each, little-endian.
	headerBytes = 4
)

// Sized returns a list of the last articles ahead of a strategy that inner sizes for the rest of the window, together
// at a rate of at most fpr. It returns an error if last is not 1 to 65535, or if inner returns one.
func Sized[S Inner](window int, fpr float64, last int, inner func(window int, fpr float64) (S, error)) (Config, error) {
	if err := cmp.Or(
		strategies.Within("confirmed: last", last, 1, maxLast),
		strategies.ValidTarget("confirmed", window, math.MaxInt, fpr),
	); err != nil {
		return Config{}, err
	}
	listed, rest := float64(last)*collision, max(window-last, 1)
	if fpr <= listed {
		return Config{}, fmt.Errorf("confirmed: fpr is %v, want more than %.3g, the rate of a list of %d", fpr, listed, last)
	}
	s, err := inner(rest, fpr-listed)
	if err != nil {
		return Config{}, fmt.Errorf("confirmed: a window of %d at %v, %d behind a list of %d: %w", window, fpr, rest, last,
			err)
	}
	return Config{Inner: s, Last: last}, nil
}

// A Strategy is an inner strategy with a list. It implements strategies.Strategy and strategies.Theory.
type Strategy struct {
	Config
	strategies.Layout       // lists, and the full one with every inner history behind it
	step              int   // slots that the list grows by, a quarter of it
	inner             []int // lengths of an inner history
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Strategy, error) {
	if c.Inner == nil {
		return nil, fmt.Errorf("confirmed: Inner is nil, want a strategy")
	}
	if err := strategies.Within("confirmed: Last", c.Last, 1, maxLast); err != nil {
		return nil, err
	}
	s := &Strategy{Config: c, step: (c.Last + 3) / 4, inner: c.Inner.Sizes()}
	var sizes []int
	for listed := 1; listed < c.Last+s.step; listed += s.step {
		sizes = append(sizes, s.front(min(listed, c.Last)))
	}
	for _, size := range s.inner {
		sizes = append(sizes, s.front(c.Last)+size)
	}
	slices.Sort(sizes)
	s.Layout = strategies.NewLayout("confirmed", c, 0, slices.Compact(sizes)...)
	return s, nil
}

// front returns the length of the header and a list of articles, where the inner history begins.
func (s *Strategy) front(listed int) int {
	return headerBytes + idBytes*min((listed+s.step-1)/s.step*s.step, s.Last)
}

// A list is the header of a ring of IDs. Next is their number until the ring is full, and then the slot of the oldest.
type list struct{ count, next int }

var errNewcomer = errors.New("confirmed: no history")

// split returns the header and the inner history, or an error if the header does not fit the length.
func (s *Strategy) split(history []byte) (l list, inner []byte, err error) {
	if len(history) < headerBytes {
		return l, nil, errNewcomer
	}
	l = list{int(binary.LittleEndian.Uint16(history)), int(binary.LittleEndian.Uint16(history[2:]))}
	full, front := l.count == s.Last, s.front(l.count)
	if l.count < 1 || l.count > s.Last || l.next >= s.Last || !full && l.next != l.count || len(history) < front {
		return l, nil, fmt.Errorf("confirmed: %d articles listed, next slot %d, in %d bytes", l.count, l.next, len(history))
	}
	inner = history[front:]
	if _, fits := slices.BinarySearch(s.inner, len(inner)); len(inner) > 0 && !(full && fits) {
		err = fmt.Errorf("confirmed: %d bytes behind a list of %d articles, want one of %d", len(inner), l.count, s.inner)
	}
	return l, inner, err
}

// Validate accepts nothing, or a list whose header fits its length, and what the inner strategy accepts.
func (s *Strategy) Validate(history []byte) error {
	if err := s.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	l, inner, err := s.split(history)
	if err != nil {
		return err
	}
	if len(bytes.Trim(history[headerBytes+l.count*idBytes:len(history)-len(inner)], "\x00")) > 0 {
		return fmt.Errorf("confirmed: a slot beyond the %d articles is not blank", l.count)
	}
	if err := s.Inner.Validate(inner); err != nil {
		return fmt.Errorf("confirmed: behind the list: %w", err)
	}
	return nil
}

// Seen asks the inner strategy, and the list about the other candidates.
func (s *Strategy) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	l, inner, err := s.split(history)
	if err != nil { // a newcomer's, or forged
		clear(seen)
		return
	}
	s.Inner.Seen(inner, candidates, seen)
	for len(candidates) > 0 {
		var t lookup.Table[uint8]
		n := min(len(candidates), lookup.MaxEntries8)
		for i, id := range candidates[:n] {
			if !seen[i] {
				t.Enter(id, i+1)
			}
		}
		t.Run(history[headerBytes:headerBytes+l.count*idBytes], candidates[:n], seen[:n])
		candidates, seen = candidates[n:], seen[n:]
	}
}

// leaving holds an article that leaves a list, to save an allocation when it is handed to an interface.
var leaving = sync.Pool{New: func() any { return new([1]strategies.ID) }}

// Record adds the articles to the list, and those that leave it to the inner strategy.
func (s *Strategy) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	l, _, err := s.split(history)
	if err != nil { // a newcomer's, or forged
		l, history = list{}, history[:0]
	}
	front := s.front(min(l.count+len(shown), s.Last))
	history = s.room(history, front)
	one := garbage.Fill(leaving.Get().(*[1]strategies.ID))
	for _, id := range shown {
		slot := headerBytes + l.next*idBytes
		if l.count == s.Last {
			one[0] = lookup.First(history[slot:])
			history = s.extend(history, front, one[:])
		}
		lookup.Put(history[slot:], id)
		l.count = min(l.count+1, s.Last)
		if l.next++; l.next == s.Last {
			l.next = 0
		}
	}
	leaving.Put(one)
	binary.LittleEndian.PutUint16(history, uint16(l.count))
	binary.LittleEndian.PutUint16(history[2:], uint16(l.next))
	return history
}

func (s *Strategy) room(history []byte, front int) []byte {
	length := len(history)
	if length >= front {
		return history
	}
	if cap(history) < front { // new memory has room for the longest inner history
		history = slices.Grow(history, front+slices.Max(s.inner)-length)
	}
	history = history[:front]
	clear(history[length:])
	return history
}

// extend records the articles in the inner history, which stays at front if it can grow in place.
func (s *Strategy) extend(history []byte, front int, articles []strategies.ID) []byte {
	inner := history[front:]
	grown := s.Inner.Record(inner, articles)
	if cap(inner) > 0 && &inner[:1][0] == &grown[0] {
		return history[:front+len(grown)]
	}
	return append(history[:front], grown...)
}

// held returns how many articles the list has after read articles, and how many the inner strategy was shown.
func (s *Strategy) held(read int) (listed, inner int) {
	listed = min(bloom.All(read), s.Last)
	return listed, read - listed
}

// Bytes returns the length of the header, the list, in whole steps, and the inner history.
func (s *Strategy) Bytes(read int) int {
	listed, inner := s.held(read)
	if listed == 0 {
		return 0
	}
	return s.front(listed) + s.Inner.Bytes(inner)
}

// FPR returns the union of the inner strategy's rate and the list's.
func (s *Strategy) FPR(read int) float64 {
	listed, inner := s.held(read)
	return bloom.Union(s.Inner.FPR(inner), float64(listed)*collision)
}

// Asymptotic is FPR with the inner strategy's rate by the textbook approximation, if it states one.
func (s *Strategy) Asymptotic(read int) float64 {
	listed, recorded := s.held(read)
	if inner, ok := s.Inner.(interface{ Asymptotic(read int) float64 }); ok {
		return bloom.Union(inner.Asymptotic(recorded), float64(listed)*collision)
	}
	return s.FPR(read)
}

// Window returns the sum of the list and the inner window.
func (s *Strategy) Window(read int) int {
	listed, recorded := s.held(read)
	return listed + s.Inner.Window(recorded)
}

// HeaderBytes returns the length of the list's header and the inner strategy's. The IDs are payload.
func (s *Strategy) HeaderBytes() int {
	if inner, ok := s.Inner.(interface{ HeaderBytes() int }); ok {
		return headerBytes + inner.HeaderBytes()
	}
	return headerBytes
}
