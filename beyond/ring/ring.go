// Package ring remembers the last Window articles by a fingerprint of a few bits
// each, in a ring: the queue of the paper's §3 with the ID cut short.
//
// The window is exact, as the queue's, article by article: no generation has to
// be kept longer than it is wanted. An unseen article is reported as a seen one where
// its fingerprint is one of the N held, 1 - (1 - 1/R)^N of R that there can be. That
// takes the logarithm of R an article, 14.3 bits for 400 articles at 2 %: of a whole
// number of bits each it would be 15, so that some of them together are one number.
// A chain sized for its union takes 14.3 at 2 % whatever N is, and a query of the
// ring looks at all of them: it costs a scan of the ring a request, besides a
// load a candidate. An article can be taken back, exactly.
//
// Fingerprints in a list are the simplest member of the dictionary-based
// filters; compare Carter, Floyd, Gill, Markowsky and Wegman, "Exact and
// approximate membership testers", STOC 1978.
package ring

import (
	"cmp"
	"fmt"
	"math/bits"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Config is the ring's parameters.
type Config struct {
	_      struct{}
	Window int // articles remembered, 1 to 2^22
	Range  int // of fingerprints, 16 to 2^30
}

const (
	maxWindow = 1 << 22
	minRange  = 16
	maxRange  = 1 << 30
	leastStep = 40 // articles that a ring grows by, at least

	// headerBytes follow the fingerprints: a little-endian number of three
	// bytes, the slot behind the newest article, and wrapped where the ring
	// has gone round.
	headerBytes = 3
	wrapped     = 1 << 23
)

// Paper is the window of the paper's queue (§3), 500 articles, at its rate of 2 %.
var Paper = Config{Window: 500, Range: 24750}

// Sized returns the ring of the smallest range that remembers window articles and
// reports an unseen one as seen with a probability of at most fpr, in (0, 1), when
// it is full. It returns an error where window is not 1 to 4194304 or a range of
// 2^30 does not meet fpr.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("ring", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	least, ok := bloom.LeastFingerprints(window, fpr, maxRange)
	if !ok {
		return Config{}, fmt.Errorf("ring: fpr is %v, want at least %v, that of a range of %d at %d articles",
			fpr, bloom.FingerprintFPR(window, maxRange), maxRange, window)
	}
	return Config{Window: window, Range: max(minRange, least)}, nil
}

// A Ring is the fingerprint strategy. It implements strategies.Strategy,
// strategies.Theory and strategies.Deleter. It accepts the histories of a
// shorter ring of the same Range whose Window is a multiple of its steps, and lets
// them grow to its own.
type Ring struct {
	strategies.Layout // of step slots, twice as many and so on, and Window at last
	groups
	window int
	step   int
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Ring, error) {
	if err := cmp.Or(
		strategies.Within("ring: Window", c.Window, 1, maxWindow),
		strategies.Within("ring: Range", c.Range, minRange, maxRange),
	); err != nil {
		return nil, err
	}
	r := &Ring{groups: newGroups(c.Range), window: c.Window}
	whole := 8 * r.articles // whole groups, in whole bytes
	r.step = (leastStep + whole - 1) / whole * whole
	var rings []int
	for slots := r.step; slots < c.Window; slots += r.step {
		rings = append(rings, (r.bits(slots)+7)/8)
	}
	rings = append(rings, (r.bits(c.Window)+7)/8)
	r.Layout = strategies.NewLayout("ring", headerBytes, rings...)
	return r, nil
}

// fingerprint is the first digit of a product with an odd constant, which every
// bit of the ID moves.
func (r *Ring) fingerprint(id strategies.ID) uint64 {
	digit, _ := bits.Mul64(uint64(id)*bloom.Multiplier, r.base)
	return digit
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
	return state{slots: min((r.Index(history)+1)*r.step, r.window), next: word &^ wrapped, round: word&wrapped != 0}
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

// group is where the group of a slot begins, how many slots the group has, and which
// of them it is.
func (r *Ring) group(slot int) (bit, articles, at int) {
	at = slot % r.articles
	return r.bits(slot - at), min(r.articles, r.window-(slot-at)), at
}

// get reads a slot.
func (r *Ring) get(history []byte, slot int) uint64 {
	var digits [mostArticles]uint64
	bit, articles, at := r.group(slot)
	r.decode(load(history, bit, r.width[articles]), digits[:articles])
	return digits[at]
}

// set overwrites the slots from one on.
func (r *Ring) set(history []byte, slot int, fingerprints ...uint64) {
	var digits [mostArticles]uint64
	for len(fingerprints) > 0 {
		bit, articles, at := r.group(slot)
		r.decode(load(history, bit, r.width[articles]), digits[:articles])
		n := copy(digits[at:articles], fingerprints)
		save(history, bit, r.width[articles], r.encode(digits[:articles]))
		slot, fingerprints = slot+n, fingerprints[n:]
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
			r.enter(history, s.next, shown[:n])
		}
		s.next += n
		shown = shown[n:]
	}
	s.store(history)
	return history
}

// enter writes the articles' fingerprints from a slot on.
func (r *Ring) enter(history []byte, slot int, shown []strategies.ID) {
	var fingerprints [mostArticles]uint64
	for len(shown) > 0 {
		n := min(len(shown), r.articles-slot%r.articles)
		for i, id := range shown[:n] {
			fingerprints[i] = r.fingerprint(id)
		}
		r.set(history, slot, fingerprints[:n]...)
		slot, shown = slot+n, shown[n:]
	}
}

// slotsFor is the slots of a ring that holds so many articles: whole steps, up
// to Window.
func (r *Ring) slotsFor(articles int) int {
	return min((min(articles, r.window)+r.step-1)/r.step*r.step, r.window)
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
		history = r.delete(history, r.fingerprint(id))
	}
	return history
}

func (r *Ring) delete(history []byte, fingerprint uint64) []byte {
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
		least = (s.slots-1)/r.step*r.step + 1
	}
	if s.next < least || s.next > s.slots {
		return fmt.Errorf("ring: next slot is %d in a ring of %d, want %d to %d", s.next, s.slots, least, s.slots)
	}
	return r.validateGroups(history, s)
}

// validateGroups accepts groups as encode makes them, with nothing behind the
// articles.
func (r *Ring) validateGroups(history []byte, s state) error {
	var buffer [mostArticles]uint64
	for slot := 0; slot < s.slots; slot += r.articles {
		bit, articles, _ := r.group(slot)
		digits, group := buffer[:articles], load(history, bit, r.width[articles])
		r.decode(group, digits)
		for i, digit := range digits {
			if slot+i >= s.held() && digit != 0 {
				return fmt.Errorf("ring: slot %d is %d beyond the %d articles", slot+i, digit, s.held())
			}
		}
		if want := r.encode(digits); group != want {
			return fmt.Errorf("ring: the group of slot %d is %d, want %d", slot, group, want)
		}
	}
	if end := 8 * (len(history) - headerBytes); load(history, r.bits(s.slots), end-r.bits(s.slots)) != 0 {
		return fmt.Errorf("ring: a bit is set beyond the last slot")
	}
	return nil
}
