package swamp

import (
	"math/bits"

	"dejavu/internal/bitarray"
	"dejavu/internal/cycle"
	"dejavu/strategies"
)

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

// find looks for a fingerprint in its chain. It returns the bit of the oldest that is
// like it, and how many articles are before that in the table.
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
