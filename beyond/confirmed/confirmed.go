// Package confirmed puts an exact list of the last few articles beside any other strategy: the second check
// that the article "Bloom filters in recommender systems" (§3) advises against false positives.
//
// That an article is listed proves a hit of the filter true; that it is not proves nothing, as the article
// may be older than the list. So of three ways to combine the two, one does what is hoped for:
//
//   - Both, the advice read literally: a hit counts where the list has it too.
//     No false positive is left, nor any article older than the list.
//   - Beside: seen is what either has. It removes no false positive, and repairs
//     a filter that misses its newest articles, as the paper's chain by literal
//     reading does.
//   - Ahead: an article enters the filter when it leaves the list. The filter
//     holds that many fewer, and has the lower rate of a shorter history, for
//     eight bytes an article where a filter pays for one.
//
// A history is the list, which grows in four steps, and behind it the other's. A query is the other's and a scan of it.
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

	"dejavu/internal/garbage"
	"dejavu/internal/lookup"
	"dejavu/strategies"
)

// An Inner is the strategy that the list is put beside, with its theory.
type Inner interface {
	strategies.Strategy
	strategies.Theory
}

// A Rule says how the list and the inner strategy are combined.
type Rule int

// The rules. Both and Beside record every article in the list and in the inner strategy; Ahead in that once it leaves.
const (
	Both   Rule = iota + 1 // seen: what list and inner strategy both remember
	Beside                 // seen: what list or inner strategy remembers
	Ahead                  // likewise, the inner strategy having the older articles only
)

// String is the rule's name.
func (r Rule) String() string {
	if names := [...]string{Both: "Both", Beside: "Beside", Ahead: "Ahead"}; r >= Both && r <= Ahead {
		return names[r]
	}
	return fmt.Sprintf("Rule(%d)", int(r))
}

// Config is the parameters of the combination.
type Config struct {
	_     struct{}
	Inner Inner // not nil
	Last  int   // articles listed, the newest, 1 to MaxLast
	Rule  Rule
}

// MaxLast is the longest list: its header counts in 16 bits.
const MaxLast = 1<<16 - 1

// Sized returns a list of the last so many articles Ahead of an inner strategy that inner sizes, for the window and
// the rate that are left to it: together they remember at least window articles at every moment and report an unseen
// one as seen with a probability of at most fpr, if inner keeps what its own Sized promises. The other rules give a
// filter nothing to save. It returns an error where last is not 1 to MaxLast, or inner returns one.
func Sized[S Inner](window int, fpr float64, last int, inner func(window int, fpr float64) (S, error)) (Config, error) {
	if err := cmp.Or(
		strategies.Within("confirmed: last", last, 1, MaxLast),
		strategies.ValidTarget("confirmed", window, math.MaxInt, fpr),
	); err != nil {
		return Config{}, err
	}
	listed, rest := float64(last)*collision, max(window-last, 1)
	if fpr <= listed {
		return Config{}, fmt.Errorf("confirmed: fpr is %v, want more than %.3g, that of a list of %d", fpr, listed, last)
	}
	s, err := inner(rest, fpr-listed)
	if err != nil {
		return Config{}, fmt.Errorf("confirmed: a window of %d at %v, %d behind a list of %d: %w", window, fpr, rest, last,
			err)
	}
	return Config{Inner: s, Last: last, Rule: Ahead}, nil
}

// A Strategy is an inner strategy with a list. It implements strategies.Strategy and strategies.Theory.
type Strategy struct {
	Config
	strategies.Layout       // every list with every inner history behind it
	step              int   // slots that the list grows by, a quarter of it
	inner             []int // lengths of an inner history
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Strategy, error) {
	if c.Inner == nil {
		return nil, fmt.Errorf("confirmed: Inner is nil, want a strategy")
	}
	if err := cmp.Or(
		strategies.Within("confirmed: Last", c.Last, 1, MaxLast),
		strategies.Within("confirmed: Rule", int(c.Rule), int(Both), int(Ahead)),
	); err != nil {
		return nil, err
	}
	const steps = 4
	s := &Strategy{Config: c, step: (c.Last + steps - 1) / steps}
	var sizes []int
	s.inner = c.Inner.Sizes()
	for listed := 1; ; listed = min(listed+s.step, c.Last) {
		front := s.front(listed)
		if c.Rule == Ahead {
			sizes = append(sizes, front) // nothing has left the list yet
		}
		if full := front == s.front(c.Last); full || c.Rule != Ahead {
			for _, size := range s.inner {
				sizes = append(sizes, front+size)
			}
		}
		if listed == c.Last {
			break
		}
	}
	slices.Sort(sizes)
	s.Layout = strategies.NewLayout("confirmed", c, 0, slices.Compact(sizes)...)
	return s, nil
}

// front is how long the header and a list of so many articles are, and where the inner history begins.
func (s *Strategy) front(listed int) int {
	slots := min((listed+s.step-1)/s.step*s.step, s.Last)
	return headerBytes + slots*idBytes
}

// Seen asks the inner strategy, and then the list, by the rule.
func (s *Strategy) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	l, inner, err := s.split(history)
	if err != nil { // a newcomer's, or forged
		clear(seen)
		return
	}
	s.Inner.Seen(inner, candidates, seen)
	l.check(history, candidates, seen, s.Rule == Both)
}

// Record adds the articles to the list, and to the inner strategy what the rule
// says. Where the inner history grows without room it is moved twice.
func (s *Strategy) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	l, _, err := s.split(history)
	if err != nil { // a newcomer's, or forged
		l, history = list{}, history[:0]
	}
	history = s.room(history, l, min(l.count+len(shown), s.Last))
	if s.Rule == Ahead {
		history = s.leave(history, l, shown)
	} else {
		history = s.extend(history, shown)
	}
	l.put(history, s.Last, shown)
	return history
}

// room makes room for a list of so many articles, in place where it can, and sets the header to that number.
func (s *Strategy) room(history []byte, l list, listed int) []byte {
	begin, front, length := 0, s.front(listed), len(history)
	if length > 0 {
		begin = s.front(l.count)
	}
	if more := front - begin; more > 0 {
		// New memory has room for the inner history too, however long it gets.
		if cap(history) < length+more {
			history = slices.Grow(history, front+slices.Max(s.inner)-length)
		}
		history = history[:length+more]
		copy(history[front:], history[begin:length])
		clear(history[begin:front])
	}
	list{listed, l.next}.store(history)
	return history
}

// leaving has room for articles that leave a list. Handed to an interface they would be an allocation each time.
var leaving = sync.Pool{New: func() any { return new([16]strategies.ID) }}

// leave hands the articles that leave the list, when these come, to the inner strategy.
func (s *Strategy) leave(history []byte, l list, come []strategies.ID) []byte {
	over := max(0, l.count+len(come)-s.Last) // of the list, and of what comes
	listed := min(over, l.count)
	few := garbage.Fill(leaving.Get().(*[16]strategies.ID))
	slot := 0 // the oldest
	if l.count == s.Last {
		slot = l.next
	}
	for left := listed; left > 0; {
		n := min(left, len(few))
		for i := range few[:n] {
			few[i] = lookup.First(history[headerBytes+slot*idBytes:])
			if slot++; slot == s.Last {
				slot = 0
			}
		}
		history = s.extend(history, few[:n])
		left -= n
	}
	leaving.Put(few)
	if over > listed {
		history = s.extend(history, come[:over-listed])
	}
	return history
}

// extend records the articles in the inner history behind the list, where it stays if it could grow in place.
func (s *Strategy) extend(history []byte, articles []strategies.ID) []byte {
	front := s.front(load(history).count)
	inner := history[front:]
	grown := s.Inner.Record(inner, articles)
	if cap(inner) > 0 && &inner[:1][0] == &grown[0] {
		return history[:front+len(grown)]
	}
	return append(history[:front], grown...)
}

var errNewcomer = errors.New("confirmed: no history")

// split takes a history apart. Its error says why the header does not fit the length.
func (s *Strategy) split(history []byte) (l list, inner []byte, err error) {
	if len(history) == 0 {
		return l, nil, errNewcomer
	}
	l = load(history)
	switch {
	case l.count < 1 || l.count > s.Last:
		return l, nil, fmt.Errorf("confirmed: %d articles are listed, want 1 to %d", l.count, s.Last)
	case l.count < s.Last && l.next != l.count, l.next >= s.Last:
		return l, nil, fmt.Errorf("confirmed: next slot is %d after %d articles of %d", l.next, l.count, s.Last)
	}
	front := s.front(l.count)
	if len(history) < front {
		return l, nil, fmt.Errorf("confirmed: %d articles are listed in a history of %d bytes", l.count, len(history))
	}
	inner = history[front:]
	_, found := slices.BinarySearch(s.inner, len(inner))
	switch {
	case s.Rule == Ahead && l.count < s.Last && len(inner) > 0:
		return l, nil, fmt.Errorf("confirmed: %d bytes of older articles behind a list of %d, of %d slots", len(inner),
			l.count, s.Last)
	case s.Rule != Ahead && len(inner) == 0:
		return l, nil, fmt.Errorf("confirmed: no inner history behind a list of %d", l.count)
	case len(inner) > 0 && !found:
		return l, nil, fmt.Errorf("confirmed: behind a list of %d: %d bytes, want one of %d", l.count, len(inner), s.inner)
	}
	return l, inner, nil
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

const (
	idBytes = lookup.IDBytes

	// headerBytes come first: how many articles are listed, and the slot that
	// the next one takes, in 16 bits each, little-endian. The slots follow.
	headerBytes = 4
)

// A list is what the header says of a ring of IDs. While it is not full the
// articles lie in order and next is their number; then next is the oldest.
type list struct{ count, next int }

func load(history []byte) list {
	return list{
		count: int(binary.LittleEndian.Uint16(history)),
		next:  int(binary.LittleEndian.Uint16(history[2:])),
	}
}

// put lists the articles over the oldest of so many slots.
func (l list) put(history []byte, slots int, shown []strategies.ID) {
	if over := len(shown) - slots; over > 0 { // they would be overwritten
		l.count, l.next = slots, (l.next+over)%slots
		shown = shown[over:]
	}
	l.count = min(l.count+len(shown), slots)
	for _, id := range shown {
		lookup.Put(history[headerBytes+l.next*idBytes:], id)
		if l.next++; l.next == slots {
			l.next = 0
		}
	}
	l.store(history)
}

func (l list) store(history []byte) {
	binary.LittleEndian.PutUint16(history, uint16(l.count))
	binary.LittleEndian.PutUint16(history[2:], uint16(l.next))
}

// check corrects what the inner strategy answered: with both, what it has seen stays seen only where the list has it;
// otherwise, what the list has becomes seen too. Only the candidates that this may change are looked for.
func (l list) check(history []byte, candidates []strategies.ID, seen []bool, both bool) {
	held := history[headerBytes : headerBytes+l.count*idBytes]
	for len(candidates) > 0 {
		var t lookup.Table[uint8]
		n := min(len(candidates), lookup.MaxEntries8)
		entered := 0
		for i, id := range candidates[:n] {
			if seen[i] != both {
				continue
			}
			seen[i] = false
			t.Enter(id, i+1)
			entered++
		}
		if entered > 0 {
			t.Run(held, candidates[:n], seen[:n])
		}
		candidates, seen = candidates[n:], seen[n:]
	}
}
