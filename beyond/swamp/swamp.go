// Package swamp is SWAMP, the sliding window approximate measurement protocol of Assaf, Ben Basat, Einziger
// and Friedman, "Pay for a Sliding Bloom Filter and Get Counting, Distinct Elements, and Entropy for Free",
// INFOCOM 2018 (arXiv 1712.01779).
//
// It keeps the fingerprints of the last Window articles twice: in a cyclic buffer, which says what expires
// next, and in a table of how often each occurs, which answers. A fingerprint has log2(Window/ε) bits,
// rounded up. The window is exact, article by article, and an unseen one is reported as seen where its
// fingerprint is among the N held, 1 - (1 - 2^-b)^N.
//
// The paper's table is a TinyTable (Einziger and Friedman, 2015): chains of remainders in buckets of one size that
// lend each other room. Here the same chains lie behind each other without gaps, their lengths in unary, and a count
// is how often a remainder stands in its chain. That takes fewer bytes, and Record moves the bits behind. For 400
// articles at 2 % the buffer is 750 bytes and the table 414; package ring has the buffer alone, and looks through it.
package swamp

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"dejavu/bloom"
	"dejavu/internal/bitarray"
	"dejavu/internal/cycle"
	"dejavu/strategies"
)

// Config is the filter's parameters.
type Config struct {
	_      struct{}
	Window int // articles remembered, 1 to 65536
	Bits   int // of a fingerprint, 6 to 30
}

const (
	maxWindow = 1 << 16
	minBits   = 6 // of which there are 64 chains, so that a history has eight bytes
	maxBits   = 30
	step      = 40 // articles that a history grows by

	headerBytes = 3 // of package cycle
)

// A Filter is the strategy. It implements strategies.Strategy and strategies.Theory. A history is the buffer,
// the chains' lengths, a one for each article and a zero behind each chain, the remainders, in the order of
// the chains and in a chain the oldest first, and the header of the buffer (package cycle).
type Filter struct {
	cycle.Layout
	window    int
	bits      int // of a fingerprint
	remainder int // the low ones of these
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if err := cmp.Or(
		strategies.Within("swamp: Window", c.Window, 1, maxWindow),
		strategies.Within("swamp: Bits", c.Bits, minBits, maxBits),
	); err != nil {
		return nil, err
	}
	f := &Filter{window: c.Window, bits: c.Bits}
	least := math.MaxInt
	for remainder := 0; remainder <= c.Bits-minBits; remainder++ {
		if size := c.Window*(remainder+1) + 1<<(c.Bits-remainder); size < least {
			f.remainder, least = remainder, size
		}
	}
	bytes := func(room int) int { return f.places(room).end }
	f.Layout = cycle.NewLayout("swamp", headerBytes, c.Window, step, bytes)
	return f, nil
}

// Sized returns the filter of the fewest bits, as the paper has it, that remembers window articles and
// reports an unseen one as seen with a probability of at most fpr, in (0, 1). It returns an error where
// window is not 1 to 65536 or 30 bits do not meet fpr.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("swamp", window, maxWindow, fpr); err != nil {
		return Config{}, err
	}
	least, ok := bloom.LeastFingerprints(window, fpr, 1<<maxBits)
	if !ok {
		return Config{}, strategies.Unmet("swamp", window, fpr, bloom.FingerprintFPR(window, 1<<maxBits))
	}
	return Config{Window: window, Bits: max(minBits, bits.Len(uint(least-1)))}, nil
}

// places are where the parts of a history begin, in bytes.
type places struct{ lengths, remainders, end int }

// chains is how many there are.
func (f *Filter) chains() int { return 1 << (f.bits - f.remainder) }

// places of a history with room for so many articles.
func (f *Filter) places(room int) (p places) {
	p.lengths = (room*f.bits + 7) / 8
	p.remainders = p.lengths + (room+f.chains()+7)/8
	p.end = p.remainders + (room*f.remainder+7)/8
	return p
}

// fingerprint is the first bits of a mixed ID, which are uniform.
func (f *Filter) fingerprint(id strategies.ID) int { return bloom.Digit(uint64(id), 1<<f.bits) }

// cycle is the buffer's, whatever the header says.
func (f *Filter) cycle(history []byte) cycle.Cycle { return cycle.Of(&f.Layout, history) }

// Validate accepts nothing, or a buffer and the table that follows from it.
func (f *Filter) Validate(history []byte) error {
	c, err := cycle.Check(&f.Layout, history)
	if err != nil || len(history) == 0 {
		return err
	}
	if c.Round && c.Slots < f.window {
		return fmt.Errorf("swamp: a buffer of %d has gone round, want one of %d", c.Slots, f.window)
	}
	p, n := f.places(c.Slots), c.Held()
	if stray := bitarray.Ones(history, n*f.bits, 8*p.lengths); stray > 0 {
		return fmt.Errorf("swamp: %d bits are set beyond the %d articles", stray, n)
	}
	want := slices.Clone(history)
	clear(want[p.lengths:p.end])
	for age := range n { // the oldest first
		slot := age
		if c.Round {
			slot = (c.Next + age) % c.Slots
		}
		f.add(want, p, age, int(bitarray.Read(history, slot*f.bits, f.bits)))
	}
	if !bytes.Equal(history, want) {
		return fmt.Errorf("swamp: the table is not that of the %d articles in the buffer", n)
	}
	return nil
}

// FPR is the chance that an unseen article's fingerprint is among those held, 1 - (1 - 2^-b)^N, which the
// paper bounds by ε (its sliding Bloom filter). It is exact: fingerprints are independent and uniform.
func (f *Filter) FPR(read int) float64 { return bloom.FingerprintFPR(f.Window(read), 1<<f.bits) }

// Seen looks for each candidate's remainder in its chain.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 {
		clear(seen)
		return
	}
	p := f.places(f.cycle(history).Slots)
	for i, id := range candidates {
		_, _, seen[i] = f.find(history, p, f.fingerprint(id))
	}
}

// Record puts each article in the place of the oldest.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	// Of a list of more than two windows whole ones are left out: the rest ends in the same slot.
	if over := len(shown) - 2*f.window; over > 0 {
		shown = shown[over/f.window*f.window:]
	}
	c := f.cycle(history)
	history = f.grow(history, &c, min(c.Held()+len(shown), f.window))
	p := f.places(c.Slots)
	for _, id := range shown {
		c.Turn()
		n, slot := c.Held(), c.Next*f.bits
		if c.Round {
			f.remove(history, p, n, int(bitarray.Read(history, slot, f.bits)))
			n--
		}
		fingerprint := f.fingerprint(id)
		bitarray.Write(history, slot, f.bits, uint64(fingerprint))
		f.add(history, p, n, fingerprint)
		c.Next++
	}
	c.Store(&f.Layout, history)
	return history
}

// grow makes room for so many articles.
func (f *Filter) grow(history []byte, c *cycle.Cycle, articles int) []byte {
	room := cycle.SlotsFor(&f.Layout, articles)
	if room <= c.Slots {
		return history
	}
	var from places // of a newcomer, who has nothing to move
	if len(history) > 0 {
		from = f.places(c.Slots)
	}
	to, n := f.places(room), c.Held()
	clear(history[max(len(history)-headerBytes, 0):])
	history = strategies.Grow(history, to.end+headerBytes)
	bitarray.Move(history, 8*to.remainders, 8*from.remainders, n*f.remainder)
	clear(history[from.remainders:to.remainders])
	bitarray.Move(history, 8*to.lengths, 8*from.lengths, n+f.chains())
	clear(history[from.lengths:to.lengths])
	c.Slots = room
	return history
}

// end is the zero behind a chain; the end of the lengths where there are not so many.
func (f *Filter) end(history []byte, p places, chain int) int {
	for bit := 8 * p.lengths; bit < 8*p.remainders; bit += bitarray.Most {
		some := min(8*p.remainders-bit, bitarray.Most)
		zeros := ^bitarray.Read(history, bit, some) & (1<<some - 1)
		if n := bits.OnesCount64(zeros); n <= chain {
			chain -= n
			continue
		}
		for ; chain > 0; chain-- {
			zeros &= zeros - 1
		}
		return bit + bits.TrailingZeros64(zeros)
	}
	return 8 * p.remainders
}

// find looks for a fingerprint in its chain: the bit of the oldest like it, and how many articles the table has before.
func (f *Filter) find(history []byte, p places, fingerprint int) (bit, article int, found bool) {
	chain, remainder := fingerprint>>f.remainder, uint64(fingerprint)&(1<<f.remainder-1)
	at := f.end(history, p, chain) - 1
	for a := at - 8*p.lengths - chain; a >= 0 && at >= 8*p.lengths &&
		bitarray.Read(history, at, 1) == 1; a, at = a-1, at-1 {
		if bitarray.Read(history, 8*p.remainders+a*f.remainder, f.remainder) == remainder {
			bit, article, found = at, a, true
		}
	}
	return bit, article, found
}

// remove takes a fingerprint, the oldest of its kind, off the table of n articles.
func (f *Filter) remove(history []byte, p places, n, fingerprint int) {
	bit, article, found := f.find(history, p, fingerprint)
	used := 8*p.lengths + n + f.chains()
	if !found || bit >= used || article >= n { // in no history that is valid
		return
	}
	bitarray.Move(history, bit, bit+1, used-bit-1)
	bitarray.Write(history, used-1, 1, 0)
	to, last := 8*p.remainders+article*f.remainder, 8*p.remainders+(n-1)*f.remainder
	bitarray.Move(history, to, to+f.remainder, last-to)
	bitarray.Write(history, last, f.remainder, 0)
}

// add puts a fingerprint behind its chain, in a table of n articles.
func (f *Filter) add(history []byte, p places, n, fingerprint int) {
	chain, used := fingerprint>>f.remainder, 8*p.lengths+n+f.chains()
	end := min(f.end(history, p, chain), used)
	bitarray.Move(history, end+1, end, used-end)
	bitarray.Write(history, end, 1, 1)
	at := 8*p.remainders + min(max(end-8*p.lengths-chain, 0), n)*f.remainder
	bitarray.Move(history, at+f.remainder, at, 8*p.remainders+n*f.remainder-at)
	bitarray.Write(history, at, f.remainder, uint64(fingerprint)&(1<<f.remainder-1))
}
