// Package queue is the paper's §3: the IDs of the last N articles, in full.
//
// It is the exact memory that the filters are measured against: it reports an unseen article as a seen one
// only where two keys share a 64-bit digest, 500 in 2^64 per query. The price is eight bytes an article: 4000
// for 500, 40 GB for ten million full users. A history is a ring of IDs that grows in steps of 50. Queries
// meet it in one of two ways, to compare: Queue scans it once against a small table; Decoder builds a hash
// set of it on every request, as the paper describes.
package queue

import (
	"encoding/binary"
	"fmt"
	"slices"

	"dejavu/internal/lookup"
	"dejavu/strategies"
)

// Config is the queue's parameters.
type Config struct {
	_      struct{}
	Window int // articles remembered (the paper's N), 1 to 2^24
}

// Paper is the configuration of §3: the last 500 articles.
var Paper = Config{Window: 500}

const (
	maxWindow = 1 << 24
	idBytes   = lookup.IDBytes
	step      = 50 // IDs that a ring grows by

	// headerBytes follow the IDs: a little-endian word with the number of the
	// slot behind the newest article, and wrapped where the ring has gone round.
	headerBytes = 4
	wrapped     = 1 << 31
)

// A Queue is the exact strategy. It implements strategies.Strategy and strategies.Theory. It accepts the
// histories of a shorter queue whose Window is a multiple of 50, and lets them grow to its own.
type Queue struct {
	strategies.Layout // of step slots, twice as many and so on, and Window at last
	window            int
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Queue, error) {
	if err := strategies.Within("queue: Window", c.Window, 1, maxWindow); err != nil {
		return nil, err
	}
	var rings []int
	for slots := step; slots < c.Window; slots += step {
		rings = append(rings, slots*idBytes)
	}
	rings = append(rings, c.Window*idBytes)
	return &Queue{strategies.NewLayout("queue", headerBytes, rings...), c.Window}, nil
}

// ring is a history taken apart.
type ring struct {
	slots []byte // idBytes each
	next  int    // the slot behind the newest article, 1 to the number of slots
	round bool   // whether every slot holds an article
}

func load(history []byte) ring {
	if len(history) == 0 {
		return ring{}
	}
	end := len(history) - headerBytes
	next, round := header(history)
	return ring{slots: history[:end:end], next: min(next, end/idBytes), round: round}
}

// header may say anything of next, where it is forged.
func header(history []byte) (next int, round bool) {
	word := binary.LittleEndian.Uint32(history[len(history)-headerBytes:])
	return int(word &^ wrapped), word&wrapped != 0
}

func (r ring) store(history []byte) {
	word := uint32(r.next)
	if r.round {
		word |= wrapped
	}
	binary.LittleEndian.PutUint32(history[len(history)-headerBytes:], word)
}

// held is the slots that hold an article.
func (r ring) held() []byte {
	if r.round {
		return r.slots
	}
	return r.slots[:r.next*idBytes]
}

// Record writes the articles over the oldest.
func (q *Queue) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	r := load(history)
	for len(shown) > 0 {
		end := r.next*idBytes == len(r.slots)
		if short := len(r.slots) < q.window*idBytes; short && (end || r.round) {
			history, r = q.grow(history, r)
		} else if end {
			r.next, r.round = 0, true
		}
		free := r.slots[r.next*idBytes:]
		n := min(len(shown), len(free)/idBytes)
		for _, id := range shown[:n] {
			binary.LittleEndian.PutUint64(free, uint64(id))
			free = free[idBytes:]
		}
		r.next += n
		shown = shown[n:]
	}
	r.store(history)
	return history
}

// grow lengthens a full ring by a step. Only the ring of a shorter queue can have gone round before.
func (q *Queue) grow(history []byte, r ring) ([]byte, ring) {
	count := len(r.slots)
	if r.round {
		next := r.next * idBytes
		copy(r.slots, slices.Concat(r.slots[next:], r.slots[:next]))
	}
	clear(history[count:])
	history = strategies.Grow(history, q.Bytes(count/idBytes+1))
	return history, ring{slots: history[:len(history)-headerBytes], next: count / idBytes}
}

// Validate accepts nothing, or a ring whose header fits its length.
func (q *Queue) Validate(history []byte) error {
	if err := q.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	r := load(history)
	slots, least := len(r.slots)/idBytes, 1
	if !r.round { // a ring is as short as its articles allow
		least = (slots-1)/step*step + 1
	}
	next, _ := header(history)
	if err := strategies.Within("queue: next slot", next, least, slots); err != nil {
		return err
	}
	for _, b := range r.slots[len(r.held()):] {
		if b != 0 {
			return fmt.Errorf("queue: a slot beyond the %d articles is not blank", r.next)
		}
	}
	return nil
}

// Seen enters the candidates or the ring, the shorter one, into a small table, and runs the other past it.
func (q *Queue) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	clear(seen)
	held := load(history).held()
	if len(candidates) <= len(held)/idBytes {
		for from := 0; from < len(candidates); from += lookup.MaxEntries {
			to := min(from+lookup.MaxEntries, len(candidates))
			seenInRing(held, candidates[from:to], seen[from:to])
		}
		return
	}
	for len(held) > 0 {
		n := min(lookup.MaxEntries*idBytes, len(held))
		seenInBlock(held[:n], candidates, seen)
		held = held[n:]
	}
}

// seenInRing enters a block of candidates and runs the ring past them.
func seenInRing(held []byte, candidates []strategies.ID, seen []bool) {
	var t lookup.Table[uint16]
	for i, id := range candidates {
		t.Enter(id, i+1)
	}
	t.Run(held, candidates, seen)
}

// seenInBlock enters a block of the ring and runs the candidates past it.
func seenInBlock(held []byte, candidates []strategies.ID, seen []bool) {
	var t lookup.Table[uint16]
	for i := 0; i < len(held); i += idBytes {
		t.Enter(strategies.ID(binary.LittleEndian.Uint64(held[i:])), i/idBytes+1)
	}
	t.Ask(held, candidates, seen)
}

// A Decoder is a Queue that answers the way the paper describes: every request decodes the whole ring into a
// hash set first. It gives the same answers from the same histories, and allocates.
type Decoder struct{ *Queue }

// NewDecoder returns the strategy, or an error that names the field out of range.
func NewDecoder(c Config) (Decoder, error) {
	q, err := New(c)
	return Decoder{q}, err
}

// Seen builds a map of the ring and looks the candidates up in it.
func (d Decoder) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	held := load(history).held()
	set := make(map[strategies.ID]struct{}, len(held)/idBytes)
	for ; len(held) >= idBytes; held = held[idBytes:] {
		set[strategies.ID(binary.LittleEndian.Uint64(held))] = struct{}{}
	}
	for i, id := range candidates {
		_, seen[i] = set[id]
	}
}

// Bytes is the ring, in whole steps, and the header.
func (q *Queue) Bytes(read int) int { return q.SizeAt(read, (min(read, q.window)-1)/step) }

// collision is the chance that an unseen article's digest is one given other.
const collision = 1. / (1 << 64)

// FPR is the chance that an unseen article's digest is among those held.
func (q *Queue) FPR(read int) float64 { return float64(min(read, q.window)) * collision }

// Window is the last Window articles, exactly.
func (q *Queue) Window(read int) int { return min(read, q.window) }

// Sized returns the configuration of a window, in articles. Its rate is window/2^64: an error where fpr is
// less.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("queue", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	if rate := float64(window) * collision; rate > fpr {
		return Config{}, fmt.Errorf("queue: its rate is %.3g whatever the memory, want at most %.3g", rate, fpr)
	}
	return Config{Window: window}, nil
}
