// Package ring remembers the last Window articles by a fingerprint of a few bits
// each, in a ring: the queue of the paper's §3 with the ID cut short.
//
// The window is exact, as the queue's, article by article: no generation has to
// be kept longer than it is wanted. An unseen article is reported as a seen one where
// its fingerprint is one of the N held, 1 - (1 - 2^-b)^N: of b = 15 bits, 1.21 %
// at 400 articles and 1.51 % at 500. That takes b bits an article, log2(N/ε),
// where a chain sized for its union takes 14.3 at 2 % whatever N is; and a query
// looks at all of them, so that it costs a scan of the ring a request, besides a
// load a candidate. An article can be taken back, exactly.
//
// Fingerprints in a list are the simplest member of the dictionary-based
// filters; compare Carter, Floyd, Gill, Markowsky and Wegman, "Exact and
// approximate membership testers", STOC 1978.
package ring

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Config is the ring's parameters.
type Config struct {
	_      struct{}
	Window int // articles remembered, 1 to 2^22
	Bits   int // of a fingerprint, 4 to 32
}

const (
	maxWindow = 1 << 22
	minBits   = 4
	maxBits   = 32
	step      = 40 // fingerprints that a ring grows by: whole bytes

	// headerBytes follow the fingerprints: a little-endian number of three
	// bytes, the slot behind the newest article, and wrapped where the ring
	// has gone round.
	headerBytes = 3
	wrapped     = 1 << 23
)

// Paper is the window of the paper's queue (§3), 500 articles, at less than its
// rate of 2 %: 1.51 % in 941 bytes.
var Paper = Config{Window: 500, Bits: 15}

// Sized returns the ring of the fewest bits that remembers window articles and
// reports an unseen one as seen with a probability of at most fpr, in (0, 1), when
// it is full. It returns an error where window is not 1 to 4194304 or 32 bits
// do not meet fpr.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("ring", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	for bits := minBits; bits <= maxBits; bits++ {
		if rate(window, bits) <= fpr {
			return Config{Window: window, Bits: bits}, nil
		}
	}
	return Config{}, fmt.Errorf("ring: fpr is %v, want at least %v, that of %d bits at %d articles",
		fpr, rate(window, maxBits), maxBits, window)
}

// A Ring is the fingerprint strategy. It implements strategies.Strategy,
// strategies.Theory and strategies.Deleter. It accepts the histories of a
// shorter ring of the same Bits whose Window is a multiple of 40, and lets them
// grow to its own.
type Ring struct {
	strategies.Layout // of step slots, twice as many and so on, and Window at last
	window            int
	bits              int
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Ring, error) {
	if err := cmp.Or(
		strategies.Within("ring: Window", c.Window, 1, maxWindow),
		strategies.Within("ring: Bits", c.Bits, minBits, maxBits),
	); err != nil {
		return nil, err
	}
	var rings []int
	for slots := step; slots < c.Window; slots += step {
		rings = append(rings, (slots*c.Bits+7)/8)
	}
	rings = append(rings, (c.Window*c.Bits+7)/8)
	return &Ring{strategies.NewLayout("ring", headerBytes, rings...), c.Window, c.Bits}, nil
}

// fingerprint is the high bits of a product with an odd constant, which every
// bit of the ID moves.
func (r *Ring) fingerprint(id uint64) uint32 {
	return uint32(id * bloom.Multiplier >> (64 - r.bits))
}

// state is what the header and the length say.
type state struct {
	slots int
	next  int  // the slot behind the newest article, 1 to slots
	round bool // whether every slot holds an article
}

// load is the state that a history can be in, whatever its header says.
func (r *Ring) load(history []byte) state {
	if len(history) == 0 {
		return state{}
	}
	s := r.header(history)
	s.next = min(s.next, s.slots)
	return s
}

func (r *Ring) header(history []byte) state {
	end := len(history) - headerBytes
	word := int(history[end]) | int(history[end+1])<<8 | int(history[end+2])<<16
	// Steps are whole bytes; behind Window slots a whole fingerprint may be spare.
	return state{slots: min(end*8/r.bits, r.window), next: word &^ wrapped, round: word&wrapped != 0}
}

func (s state) store(history []byte) {
	word := s.next
	if s.round {
		word |= wrapped
	}
	end := len(history) - headerBytes
	history[end], history[end+1], history[end+2] = byte(word), byte(word>>8), byte(word>>16)
}

// held is how many slots hold an article: all, or those before next.
func (s state) held() int {
	if s.round {
		return s.slots
	}
	return s.next
}

// get reads a slot.
func (r *Ring) get(history []byte, slot int) uint32 {
	bit := slot * r.bits
	var word uint64
	for i := (bit + r.bits - 1) >> 3; i >= bit>>3; i-- {
		word = word<<8 | uint64(history[i])
	}
	return uint32(word>>(bit&7)) & r.mask()
}

func (r *Ring) mask() uint32 { return math.MaxUint32 >> (32 - r.bits) }

// set overwrites a slot. The header makes a word of eight bytes fit in, but for
// the shortest histories.
func (r *Ring) set(history []byte, slot int, fingerprint uint32) {
	bit := slot * r.bits
	at, shift := bit>>3, bit&7
	mask, value := uint64(r.mask())<<shift, uint64(fingerprint)<<shift
	if at+8 <= len(history) {
		word := binary.LittleEndian.Uint64(history[at:])
		binary.LittleEndian.PutUint64(history[at:], word&^mask|value)
		return
	}
	for ; mask != 0; at, mask, value = at+1, mask>>8, value>>8 {
		history[at] = history[at]&^byte(mask) | byte(value)
	}
}

// Record writes the articles' fingerprints over the oldest.
func (r *Ring) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := r.load(history)
	if slots := r.slotsFor(s.held() + len(shown)); slots > s.slots {
		if s.round { // of a shorter ring
			r.straighten(history, &s)
		}
		clear(history[max(len(history)-headerBytes, 0):]) // where the next slots begin
		history = strategies.Grow(history, r.Bytes(slots))
		s.slots = slots
	}
	for len(shown) > 0 {
		if s.next == s.slots {
			s.next, s.round = 0, true
		}
		n := min(len(shown), s.slots-s.next)
		if over := len(shown) - s.slots; over > 0 {
			n = min(n, over) // to be written over by what follows
		} else {
			for i, id := range shown[:n] {
				r.set(history, s.next+i, r.fingerprint(uint64(id)))
			}
		}
		s.next += n
		shown = shown[n:]
	}
	s.store(history)
	return history
}

// slotsFor is the slots of a ring that holds so many articles: whole steps, up
// to Window.
func (r *Ring) slotsFor(articles int) int {
	return min((min(articles, r.window)+step-1)/step*step, r.window)
}

// straighten rotates a ring that has gone round, its oldest article first.
func (r *Ring) straighten(history []byte, s *state) {
	if n := s.next; n < s.slots {
		r.reverse(history, 0, n)
		r.reverse(history, n, s.slots)
		r.reverse(history, 0, s.slots)
	}
	s.next, s.round = s.slots, false
}

// reverse turns the order of slots from to end-1 around.
func (r *Ring) reverse(history []byte, from, end int) {
	for i, j := from, end-1; i < j; i, j = i+1, j-1 {
		a, b := r.get(history, i), r.get(history, j)
		r.set(history, i, b)
		r.set(history, j, a)
	}
}

// Delete takes each article back: the newest fingerprint like its own goes, and
// the history is, byte for byte, the one that Record makes of the articles that
// are left, oldest first. An article whose fingerprint is not held changes
// nothing. Where it was never recorded but looks like one that was, that one
// goes, or of several the newest; and of two recorded articles with one
// fingerprint either stands for the other. What had left the ring does not come
// back, so that a full ring holds one article less. The cost is a scan and a
// shift of the ring an article.
func (r *Ring) Delete(history []byte, articles []strategies.ID) []byte {
	for _, id := range articles {
		history = r.delete(history, r.fingerprint(uint64(id)))
	}
	return history
}

func (r *Ring) delete(history []byte, fingerprint uint32) []byte {
	s := r.load(history)
	slot := s.next - 1
	for n := s.held(); ; n-- {
		if n == 0 {
			return history
		}
		if slot < 0 {
			slot = s.slots - 1
		}
		if r.get(history, slot) == fingerprint {
			break
		}
		slot--
	}
	if s.round {
		slot = (slot - s.next + s.slots) % s.slots // as it will be
		r.straighten(history, &s)
	}
	for ; slot < s.next-1; slot++ {
		r.set(history, slot, r.get(history, slot+1))
	}
	s.next--
	r.set(history, s.next, 0)
	if s.next == 0 {
		return history[:0]
	}
	s.slots = r.slotsFor(s.next)
	history = history[:r.Bytes(s.next)]
	s.store(history)
	return history
}

// Validate accepts nothing, or a ring whose header fits its length.
func (r *Ring) Validate(history []byte) error {
	if err := r.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	s := r.header(history)
	least := 1
	if !s.round { // a ring is as short as its articles allow
		least = (s.slots-1)/step*step + 1
	}
	if s.next < least || s.next > s.slots {
		return fmt.Errorf("ring: next slot is %d in a ring of %d, want %d to %d", s.next, s.slots, least, s.slots)
	}
	if r.blank(history, s.held()) {
		return nil
	}
	return fmt.Errorf("ring: a bit is set beyond the %d articles", s.held())
}

// blank reports whether no bit is set between the first slots and the header.
func (r *Ring) blank(history []byte, slots int) bool {
	bit, end := slots*r.bits, len(history)-headerBytes
	if bit&7 != 0 && history[bit>>3]>>(bit&7) != 0 {
		return false
	}
	for _, b := range history[(bit+7)>>3 : end] {
		if b != 0 {
			return false
		}
	}
	return true
}
