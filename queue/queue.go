// Package queue implements the paper's §3: the IDs of the last N articles, in full.
//
// It is the exact memory that filters are measured against: it errs only if two keys share a 64-bit digest, 500 in 2^64
// per query. The price is eight bytes an article, 40 GB for ten million users of 500. A history is a ring of IDs that
// grows in steps of 50. Decoder builds a hash set of it on every request, as the paper describes.
package queue

import (
	"bytes"
	"fmt"
	"slices"

	"dejavu/internal/cycle"
	"dejavu/internal/lookup"
	"dejavu/strategies"
)

// Config holds the queue's parameters.
type Config struct {
	_      struct{}
	Window int // articles remembered (the paper's N), 1 to 2^24
}

// Paper is the configuration of §3: the last 500 articles.
var Paper = Config{Window: 500}

const (
	maxWindow   = 1 << 24
	idBytes     = lookup.IDBytes
	step        = 50 // IDs that a ring grows by
	headerBytes = 4  // of package cycle, behind the IDs
)

// A Queue is the strategy, with its Theory. It accepts the histories of a shorter one whose Window is a multiple of 50.
type Queue struct {
	cycle.Layout
	window int
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Queue, error) {
	if err := strategies.Within("queue: Window", c.Window, 1, maxWindow); err != nil {
		return nil, err
	}
	array := func(slots int) int { return slots * idBytes }
	return &Queue{cycle.NewLayout("queue", c, headerBytes, c.Window, step, array), c.Window}, nil
}

func (q *Queue) held(history []byte) []byte {
	return history[:cycle.Of(&q.Layout, history).Held()*idBytes]
}

// Record writes the articles over the oldest.
func (q *Queue) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	c := cycle.Of(&q.Layout, history)
	for len(shown) > 0 {
		if c.Slots < q.window && (c.Next == c.Slots || c.Round) {
			history = q.grow(history, &c)
		}
		c.Turn()
		free := history[c.Next*idBytes : c.Slots*idBytes]
		n := min(len(shown), len(free)/idBytes)
		lookup.Put(free, shown[:n]...)
		c.Next += n
		shown = shown[n:]
	}
	c.Store(&q.Layout, history)
	return history
}

// grow lengthens a full ring by a step. Only the ring of a shorter queue can have wrapped before.
func (q *Queue) grow(history []byte, c *cycle.Cycle) []byte {
	slots := history[:c.Slots*idBytes]
	if c.Round {
		next := c.Next * idBytes
		copy(slots, slices.Concat(slots[next:], slots[:next]))
	}
	clear(history[len(slots):])
	*c = cycle.Cycle{Slots: cycle.SlotsFor(&q.Layout, c.Slots+1), Next: c.Slots}
	return strategies.Grow(history, q.Bytes(c.Slots))
}

// Validate accepts nothing, or a ring whose header fits its length.
func (q *Queue) Validate(history []byte) error {
	c, err := cycle.Check(&q.Layout, history)
	if err != nil {
		return err
	}
	if len(bytes.Trim(history[c.Held()*idBytes:c.Slots*idBytes], "\x00")) > 0 {
		return fmt.Errorf("queue: a slot beyond the %d articles is not blank", c.Next)
	}
	return nil
}

// Seen enters the shorter of the candidates and the ring into a small table, and looks up the other in it.
func (q *Queue) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	clear(seen)
	held := q.held(history)
	if len(candidates) <= len(held)/idBytes {
		for from := 0; from < len(candidates); from += lookup.MaxEntries {
			some := candidates[from:min(from+lookup.MaxEntries, len(candidates))]
			var t lookup.Table[uint16]
			for i, id := range some {
				t.Enter(id, i+1)
			}
			t.Run(held, some, seen[from:])
		}
		return
	}
	for len(held) > 0 {
		n := min(lookup.MaxEntries*idBytes, len(held))
		var t lookup.Table[uint16]
		t.EnterAll(held[:n])
		t.Ask(held[:n], candidates, seen)
		held = held[n:]
	}
}

// A Decoder is a Queue that decodes the whole ring into a hash set on every request, as the paper describes.
type Decoder struct{ *Queue }

// NewDecoder returns the strategy, or an error that names the field out of range.
func NewDecoder(c Config) (Decoder, error) {
	q, err := New(c)
	return Decoder{q}, err
}

// Seen builds a map of the ring and looks up the candidates in it.
func (d Decoder) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	held := d.held(history)
	set := make(map[strategies.ID]struct{}, len(held)/idBytes)
	for ; len(held) >= idBytes; held = held[idBytes:] {
		set[lookup.First(held)] = struct{}{}
	}
	for i, id := range candidates {
		_, seen[i] = set[id]
	}
}

// collision is the chance that an unseen article has the digest of one given other.
const collision = 1. / (1 << 64)

// FPR returns the chance that an unseen article's digest is among those held.
func (q *Queue) FPR(read int) float64 { return float64(q.Window(read)) * collision }

// Sized returns the configuration for a window, in articles, or an error if fpr is less than its rate, window/2^64.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("queue", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	if rate := float64(window) * collision; rate > fpr {
		return Config{}, strategies.Unmet("queue", window, fpr, rate)
	}
	return Config{Window: window}, nil
}
