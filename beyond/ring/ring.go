// Package ring remembers the last Window articles by short fingerprints: the queue of the paper's §3 in fewer bits.
//
// An unseen article is reported as seen if its fingerprint, one of R, is among the N held: with probability 1 - (1 -
// 1/R)^N. That takes log2 R bits an article, 14.3 for 400 articles at 2 % (Carter, Floyd, Gill, Markowsky and Wegman,
// "Exact and approximate membership testers", STOC 1978). An article can be deleted, exactly.
package ring

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"

	"dejavu/bloom"
	"dejavu/internal/bitarray"
	"dejavu/internal/cycle"
	"dejavu/internal/mix"
	"dejavu/strategies"
)

// Config is the ring's parameters.
type Config struct {
	_      struct{}
	Window int // articles remembered, 1 to 2^22
	Range  int // of fingerprints, 16 to 2^30
}

const (
	maxWindow   = 1 << 22
	minRange    = 16
	maxRange    = 1 << 30
	leastStep   = 40 // articles that a ring grows by, at least
	headerBytes = 3  // of package cycle, behind the groups
)

// Paper is the window of the paper's queue (§3), 500 articles, at its rate of 2 %.
var Paper = Config{Window: 500, Range: 24750}

// Sized returns the ring that remembers window articles and reports an unseen one as seen with a probability of at
// most fpr, in (0, 1). It returns an error if window is not 1 to 4194304 or a range of 2^30 is too small.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("ring", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	least, ok := bloom.LeastFingerprints(window, fpr, maxRange)
	if !ok {
		return Config{}, strategies.Unmet("ring", window, fpr, bloom.FingerprintFPR(window, maxRange))
	}
	return Config{Window: window, Range: max(minRange, least)}, nil
}

// A Ring is the fingerprint strategy. It implements strategies.Strategy, strategies.Theory and strategies.Deleter. It
// accepts the histories of a shorter ring of the same Range whose Window is a multiple of its steps.
type Ring struct {
	cycle.Layout
	groups
	window int
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Ring, error) {
	if err := cmp.Or(
		strategies.Within("ring: Window", c.Window, 1, maxWindow),
		strategies.Within("ring: Range", c.Range, minRange, maxRange),
	); err != nil {
		return nil, err
	}
	g := newGroups(c.Range)
	whole := 8 * g.articles // whole groups, in whole bytes
	step := (leastStep + whole - 1) / whole * whole
	bytes := func(slots int) int { return (g.bits(slots) + 7) / 8 }
	return &Ring{cycle.NewLayout("ring", c, headerBytes, c.Window, step, bytes), g, c.Window}, nil
}

// fingerprint returns the first digit of a product with an odd constant.
func (r *Ring) fingerprint(id strategies.ID) uint64 {
	digit, _ := bits.Mul64(mix.Mix(uint64(id))*bloom.Multiplier, r.base)
	return digit
}

// cycle returns a possible cycle, whatever the header says.
func (r *Ring) cycle(history []byte) cycle.Cycle { return cycle.Of(&r.Layout, history) }

// group returns where the group of a slot begins, its number of slots, and which of them the slot is.
func (r *Ring) group(slot int) (bit, articles, at int) {
	at = slot % r.articles
	return r.bits(slot - at), min(r.articles, r.window-(slot-at)), at
}

func (r *Ring) get(history []byte, slot int) uint64 {
	var digits [mostArticles]uint64
	bit, articles, at := r.group(slot)
	r.decode(load(history, bit, r.width[articles]), digits[:articles])
	return digits[at]
}

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
	c := r.cycle(history)
	if need := c.Held() + len(shown); need > c.Slots && c.Slots < r.window {
		if c.Round { // of a shorter ring
			r.straighten(history, &c)
		}
		clear(history[max(len(history)-headerBytes, 0):]) // where the next slots begin
		c.Slots = cycle.SlotsFor(&r.Layout, need)
		history = strategies.Grow(history, r.Bytes(c.Slots))
	}
	for len(shown) > 0 {
		c.Turn()
		n := min(len(shown), c.Slots-c.Next)
		if over := len(shown) - c.Slots; over > 0 {
			n = min(n, over) // to be written over by what follows
		} else {
			r.enter(history, c.Next, shown[:n])
		}
		c.Next += n
		shown = shown[n:]
	}
	c.Store(&r.Layout, history)
	return history
}

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

// straighten rotates a full ring so that its oldest article is first.
func (r *Ring) straighten(history []byte, c *cycle.Cycle) {
	if n := c.Next; n < c.Slots {
		r.reverse(history, 0, n)
		r.reverse(history, n, c.Slots)
		r.reverse(history, 0, c.Slots)
	}
	c.Next, c.Round = c.Slots, false
}

func (r *Ring) reverse(history []byte, from, end int) {
	for i, j := from, end-1; i < j; i, j = i+1, j-1 {
		a, b := r.get(history, i), r.get(history, j)
		r.set(history, i, b)
		r.set(history, j, a)
	}
}

// Delete removes the newest fingerprint equal to each article's: the history becomes the one that Record makes of the
// remaining articles. Articles that had left the ring do not come back, so a full ring holds one less.
func (r *Ring) Delete(history []byte, articles []strategies.ID) []byte {
	for _, id := range articles {
		history = r.delete(history, r.fingerprint(id))
	}
	return history
}

func (r *Ring) delete(history []byte, fingerprint uint64) []byte {
	c := r.cycle(history)
	slot := c.Next - 1
	for n := c.Held(); ; n-- {
		if n == 0 {
			return history
		}
		if slot < 0 {
			slot = c.Slots - 1
		}
		if r.get(history, slot) == fingerprint {
			break
		}
		slot--
	}
	if c.Round {
		slot = (slot - c.Next + c.Slots) % c.Slots // as it will be
		r.straighten(history, &c)
	}
	for ; slot < c.Next-1; slot++ {
		r.set(history, slot, r.get(history, slot+1))
	}
	c.Next--
	r.set(history, c.Next, 0)
	if c.Next == 0 {
		return history[:0]
	}
	c.Slots = cycle.SlotsFor(&r.Layout, c.Next)
	history = history[:r.Bytes(c.Next)]
	c.Store(&r.Layout, history)
	return history
}

// Validate accepts nothing, or a ring whose header fits its length, with groups as encode makes them, then blank bits.
func (r *Ring) Validate(history []byte) error {
	c, err := cycle.Check(&r.Layout, history)
	if err != nil || len(history) == 0 {
		return err
	}
	var buffer [mostArticles]uint64
	for slot := 0; slot < c.Slots; slot += r.articles {
		bit, articles, _ := r.group(slot)
		digits, group := buffer[:articles], load(history, bit, r.width[articles])
		r.decode(group, digits)
		for i, digit := range digits {
			if slot+i >= c.Held() && digit != 0 {
				return fmt.Errorf("ring: slot %d is %d beyond the %d articles", slot+i, digit, c.Held())
			}
		}
		if want := r.encode(digits); group != want {
			return fmt.Errorf("ring: the group of slot %d is %d, want %d", slot, group, want)
		}
	}
	if end := 8 * (len(history) - headerBytes); load(history, r.bits(c.Slots), end-r.bits(c.Slots)) != 0 {
		return fmt.Errorf("ring: a bit is set beyond the last slot")
	}
	return nil
}

// FPR returns the chance that an unseen article's fingerprint is among those held, exactly.
func (r *Ring) FPR(read int) float64 { return bloom.FingerprintFPR(r.Window(read), int(r.base)) }

// groups packs the fingerprints of a group of articles, digits to the base Range, into fewer bits than one by one:
// three below 19800 take 43 bits, where one takes 15. A group of n digits is the fraction 0.d1d2... to the base,
// rounded up to the bits that tell all groups apart. So one multiplication reads a digit.
type groups struct {
	base     uint64
	articles int                      // in a group
	width    [mostArticles + 1]int    // bits, by the articles in it: the last group may have fewer
	powers   [mostArticles + 1]uint64 // of the base
}

const (
	mostBits     = bitarray.Most // of a group
	mostArticles = mostBits / 4
)

func newGroups(base int) groups {
	g := groups{base: uint64(base)}
	g.powers[0] = 1
	fewest := math.Inf(1)
	for n := 1; n <= mostArticles; n++ {
		high, power := bits.Mul64(g.powers[n-1], g.base)
		width := bits.Len64(power - 1)
		if high != 0 || width > mostBits {
			return g
		}
		g.powers[n], g.width[n] = power, width
		if each := float64(width) / float64(n); each < fewest {
			g.articles, fewest = n, each
		}
	}
	return g
}

func (g *groups) bits(slots int) int {
	return slots/g.articles*g.width[g.articles] + g.width[slots%g.articles]
}

func (g *groups) decode(group uint64, digits []uint64) {
	fraction := group << (64 - g.width[len(digits)])
	for i := range digits {
		digits[i], fraction = bits.Mul64(fraction, g.base)
	}
}

func (g *groups) encode(digits []uint64) uint64 {
	number, n := uint64(0), len(digits)
	for _, digit := range digits {
		number = number*g.base + digit
	}
	high, low := bits.Mul64(number, 1<<g.width[n])
	group, rest := bits.Div64(high, low, g.powers[n])
	if rest > 0 {
		group++
	}
	return group
}

// load returns a group's bits, up to mostBits. A small window's history may be shorter than a word.
func load(history []byte, bit, n int) uint64 {
	if len(history) >= 8 {
		return bitarray.Read(history, bit, n)
	}
	var word [8]byte
	copy(word[:], history)
	return bitarray.Read(word[:], bit, n)
}

func save(history []byte, bit, n int, group uint64) {
	if len(history) >= 8 {
		bitarray.Write(history, bit, n, group)
		return
	}
	var word [8]byte
	copy(word[:], history)
	bitarray.Write(word[:], bit, n, group)
	copy(history, word[:])
}
