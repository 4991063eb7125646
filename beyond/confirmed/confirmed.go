// Package confirmed puts an exact list of the last few articles beside any
// other strategy: the second check that the article "Bloom filters in
// recommender systems" (§3) advises against false positives, "combine with
// other data, such as a cache of the user's recent behaviour".
//
// What can a list of recent articles say about a hit of the filter? That the
// article is listed proves the hit true. That it is not listed proves nothing:
// the hit may be false, or the article older than the list. So there are three
// ways to combine the two, and one of them does what is hoped for.
//
//   - Both, the advice to the letter: a hit counts where the list has it too.
//     No false positive is left, but no article older than the list is
//     remembered either. It is the list that answers, and the filter is bytes
//     for nothing.
//   - Beside: seen is what either has. Not one false positive is removed, since a
//     fresh article is in no list. What the list repairs is the opposite, a
//     filter that misses its newest articles: the paper's chain to the letter,
//     or one whose records arrive late.
//   - Ahead: the list has the newest articles alone, and an article enters the
//     filter when it leaves the list. The filter then holds that many fewer, and
//     its rate is the lower one of a shorter history. That is the whole gain,
//     and costs eight bytes an article where a filter pays for one.
//
// A second check that removes false positives and nothing else needs to know of
// an article that it cannot have been shown before the list begins, because it
// was published later, say. The IDs alone do not tell.
//
// A history is the list, which grows in four steps, and behind it the other
// strategy's history. A query costs the other's, and one pass over the list.
package confirmed

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"dejavu/strategies"
)

// An Inner is the strategy that the list is put beside, with its theory.
type Inner interface {
	strategies.Strategy
	strategies.Theory
}

// A Rule says how the list and the inner strategy are combined.
type Rule int

// The rules. Both and Beside record every article in the list and in the inner
// strategy; Ahead records it in the list, and in the inner strategy once it
// leaves the list.
const (
	Both   Rule = iota + 1 // seen: what list and inner strategy both remember
	Beside                 // seen: what list or inner strategy remembers
	Ahead                  // likewise, the inner strategy having the older articles only
)

// String is the rule's name.
func (r Rule) String() string {
	switch r {
	case Both:
		return "Both"
	case Beside:
		return "Beside"
	case Ahead:
		return "Ahead"
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

// Sized returns a list of the last so many articles Ahead of an inner strategy
// that inner sizes, for the window and the rate that are left to it: together
// they remember at least window articles at every moment and take a fresh one
// for seen with a probability of at most fpr at the worst one, if inner keeps
// what its own Sized promises. The other rules give a filter nothing to save, so
// that for them there is nothing to size.
//
// It returns an error where last is not 1 to MaxLast, or inner returns one.
func Sized[S Inner](window int, fpr float64, last int, inner func(window int, fpr float64) (S, error)) (Config, error) {
	if last < 1 || last > MaxLast {
		return Config{}, fmt.Errorf("confirmed: last is %d, want 1 to %d", last, MaxLast)
	}
	if window < 1 {
		return Config{}, fmt.Errorf("confirmed: window is %d, want at least 1", window)
	}
	s, err := inner(max(window-last, 1), fpr-float64(last)*collision)
	if err != nil {
		return Config{}, fmt.Errorf("confirmed: behind a list of %d: %w", last, err)
	}
	return Config{Inner: s, Last: last, Rule: Ahead}, nil
}

// A Strategy is an inner strategy with a list. It implements strategies.Strategy
// and strategies.Theory.
type Strategy struct {
	Config
	step    int   // slots that the list grows by, a quarter of it
	sizes   []int // every list with every inner history that it can stand before
	longest int   // inner history

	// Memory for one call of Record, that the inner strategy may write to. It
	// holds nothing between two calls. The first is kept at hand, the rest, for
	// calls at the same time, in the pool.
	scratch atomic.Pointer[scratch]
	more    sync.Pool
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Strategy, error) {
	if c.Inner == nil {
		return nil, fmt.Errorf("confirmed: Inner is nil, want a strategy")
	}
	if c.Last < 1 || c.Last > MaxLast {
		return nil, fmt.Errorf("confirmed: Last is %d, want 1 to %d", c.Last, MaxLast)
	}
	if c.Rule < Both || c.Rule > Ahead {
		return nil, fmt.Errorf("confirmed: Rule is %d, want Both, Beside or Ahead, %d to %d", c.Rule, Both, Ahead)
	}
	const steps = 4
	s := &Strategy{Config: c, step: (c.Last + steps - 1) / steps}
	inner := c.Inner.Sizes()
	s.longest = slices.Max(inner)
	for listed := 1; ; listed = min(listed+s.step, c.Last) {
		front := s.front(listed)
		if c.Rule == Ahead {
			s.sizes = append(s.sizes, front) // nothing has left the list yet
		}
		if full := front == s.front(c.Last); full || c.Rule != Ahead {
			for _, size := range inner {
				s.sizes = append(s.sizes, front+size)
			}
		}
		if listed == c.Last {
			break
		}
	}
	slices.Sort(s.sizes)
	s.sizes = slices.Compact(s.sizes)
	return s, nil
}

// front is how long the header and a list of so many articles are, and where the
// inner history begins. It lies behind the list so that it can grow in place.
func (s *Strategy) front(listed int) int {
	slots := min((listed+s.step-1)/s.step*s.step, s.Last)
	return headerBytes + slots*idBytes
}

// Seen asks the inner strategy, and then the list, by the rule.
func (s *Strategy) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 {
		clear(seen)
		return
	}
	l := load(history)
	s.Inner.Seen(history[s.front(l.count):], candidates, seen)
	l.check(history, candidates, seen, s.Rule == Both)
}

// Record adds the articles to the list, and to the inner strategy what the rule
// says.
func (s *Strategy) Record(history []byte, shown []strategies.ID) []byte {
	for len(shown) > 0 {
		var l list
		if len(history) > 0 {
			l = load(history)
		}
		n := len(shown)
		if next := (l.count/s.step + 1) * s.step; next < s.Last {
			n = min(n, next-l.count) // the list grows step by step
		}
		if s.Rule == Ahead {
			history = s.leave(history, l, shown[:n])
		} else {
			history = s.extend(history, l, min(l.count+n, s.Last), shown[:n], nil)
		}
		l.put(history, s.Last, shown[:n])
		shown = shown[n:]
	}
	return history
}

// leave hands the articles that leave the list, when these come, to the inner
// strategy, and makes room for those in the list.
func (s *Strategy) leave(history []byte, l list, come []strategies.ID) []byte {
	leaving := l.count + len(come) - s.Last // of the list, and of what comes
	if leaving <= 0 {
		return s.extend(history, l, l.count+len(come), nil, nil)
	}
	tmp := s.take()
	history = s.extend(history, l, s.Last, nil, tmp)
	full := list{count: s.Last}
	listed := min(leaving, l.count)
	for at := 0; at < listed; {
		ids := tmp.ids[:min(len(tmp.ids), listed-at)]
		l.oldest(history, s.Last, at, ids)
		history = s.extend(history, full, s.Last, ids, tmp)
		at += len(ids)
	}
	history = s.extend(history, full, s.Last, come[:leaving-listed], tmp)
	s.release(tmp)
	return history
}

// extend records the articles in the inner history of a list l and makes room
// for a list of so many, in place where it can. It takes scratch memory itself
// where it is given none.
func (s *Strategy) extend(history []byte, l list, listed int, ids []strategies.ID, tmp *scratch) []byte {
	begin, front := 0, s.front(listed)
	if len(history) > 0 {
		begin = s.front(l.count)
	}
	if len(ids) == 0 && begin == front {
		return history
	}
	inner := history[begin:]
	if begin == front && cap(inner) >= s.longest {
		return history[:begin+len(s.Inner.Record(inner, ids))] // which stays where it is
	}
	// The inner history may grow out of its place, and says how long it gets only
	// by growing: that goes on elsewhere.
	if tmp == nil {
		tmp = s.take()
		defer s.release(tmp)
	}
	inner = s.Inner.Record(append(tmp.inner[:0], inner...), ids)
	size := front + len(inner)
	history = slices.Grow(history, max(0, size-len(history)))[:size]
	if begin < front {
		clear(history[begin:front])
	}
	copy(history[front:], inner)
	return history
}

// scratch is memory for one call.
type scratch struct {
	inner []byte // as long as an inner history gets
	ids   [64]strategies.ID
}

func (s *Strategy) take() *scratch {
	if tmp := s.scratch.Swap(nil); tmp != nil {
		return tmp
	}
	if tmp, ok := s.more.Get().(*scratch); ok {
		return tmp
	}
	return &scratch{inner: make([]byte, 0, s.longest)}
}

func (s *Strategy) release(tmp *scratch) {
	if !s.scratch.CompareAndSwap(nil, tmp) {
		s.more.Put(tmp)
	}
}
