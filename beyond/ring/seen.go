package ring

import (
	"encoding/binary"
	"math/bits"

	"dejavu/strategies"
)

// mapBits is the most bits of a fingerprint that the map of the ring uses, in 8 KiB.
const mapBits = 16

// beyondMap returns the number of low bits of a fingerprint that the map ignores.
func (r *Ring) beyondMap() int { return max(0, bits.Len64(r.base-1)-mapBits) }

// Up to few candidates skip the map; up to a handful are compared while the ring is scanned.
const (
	few     = 64
	handful = 12
)

// Seen marks the fingerprints of the ring in a map, so that a candidate costs one load. Longer fingerprints that the
// map finds are checked again.
func (r *Ring) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 || len(candidates) == 0 {
		clear(seen)
		return
	}
	seen = seen[:len(candidates)]
	if len(candidates) <= handful {
		r.seenByFew(history, candidates, seen)
		return
	}
	if r.beyondMap() == 0 {
		r.seenInMap(history, candidates, seen)
		return
	}
	if len(candidates) <= few {
		for i := range seen {
			seen[i] = true
		}
	} else {
		r.seenInMap(history, candidates, seen)
	}
	var again [block]int32
	n := 0
	for i, maybe := range seen {
		if !maybe {
			continue
		}
		seen[i] = false
		again[n] = int32(i)
		if n++; n == block {
			r.seenByTable(history, candidates, seen, again[:])
			n = 0
		}
	}
	if n > 0 {
		r.seenByTable(history, candidates, seen, again[:n])
	}
}

// seenByFew compares a handful of candidates with fingerprints that share their lowest bits.
func (r *Ring) seenByFew(history []byte, candidates []strategies.ID, seen []bool) {
	clear(seen)
	var fingerprints [handful]uint64
	var some [8]uint64 // a bit for each value of the lowest nine
	for i, id := range candidates {
		f := r.fingerprint(id)
		fingerprints[i] = f
		some[f>>6%8] |= 1 << (f & 63)
	}
	compare := func(f uint64) {
		for i := range candidates {
			if fingerprints[i] == f {
				seen[i] = true
			}
		}
	}
	base, width := r.base, r.width[r.articles]
	slot, bit, slots := 0, 0, r.cycle(history).Held()
	for ; slot+r.articles <= slots && bit>>3+8 <= len(history); slot, bit = slot+r.articles, bit+width {
		fraction := binary.LittleEndian.Uint64(history[bit>>3:]) >> (bit & 7) << (64 - width&63)
		for range r.articles {
			var f uint64
			if f, fraction = bits.Mul64(fraction, base); some[f>>6%8]>>(f&63)&1 != 0 {
				compare(f)
			}
		}
	}
	for ; slot < slots; slot++ {
		compare(r.get(history, slot))
	}
}

// seenInMap answers by the high bits of the fingerprints, mapBits at most.
func (r *Ring) seenInMap(history []byte, candidates []strategies.ID, seen []bool) {
	var held [1 << mapBits / 64]uint64
	down, base, width := r.beyondMap()&63, r.base, r.width[r.articles]
	slot, bit, slots := 0, 0, r.cycle(history).Held()
	for ; slot+r.articles <= slots && bit>>3+8 <= len(history); slot, bit = slot+r.articles, bit+width {
		fraction := binary.LittleEndian.Uint64(history[bit>>3:]) >> (bit & 7) << (64 - width&63)
		for range r.articles {
			var f uint64
			f, fraction = bits.Mul64(fraction, base)
			f >>= down
			held[f>>6%uint64(len(held))] |= 1 << (f & 63)
		}
	}
	for ; slot < slots; slot++ {
		f := r.get(history, slot) >> down
		held[f>>6%uint64(len(held))] |= 1 << (f & 63)
	}
	for i, id := range candidates {
		f := r.fingerprint(id) >> down
		seen[i] = held[f>>6%uint64(len(held))]>>(f&63)&1 != 0
	}
}

// read decodes slots from the first of a group on and before end, while there is room.
func (r *Ring) read(history []byte, from, end int, buffer *[block]uint64) []uint64 {
	n, width, base := r.articles, r.width[r.articles], r.base
	bit, i := r.bits(from), 0
	for ; i+n <= min(end-from, block); i, bit = i+n, bit+width {
		fraction := load(history, bit, width) << (64 - width&63)
		for j := i; j < i+n; j++ {
			buffer[j], fraction = bits.Mul64(fraction, base)
		}
	}
	if i == 0 { // the last group, or what is left of it
		for ; i < end-from; i++ {
			buffer[i] = r.get(history, from+i)
		}
	}
	return buffer[:i]
}

// A table holds up to block candidates, numbered from 1, by the low bits of their fingerprints; 0 is a free place. At
// most a quarter of it is taken, so that a search ends soon.
type table [1 << tableBits]uint16

const (
	tableBits = 11
	block     = 1 << tableBits / 4
)

// seenByTable enters the candidates of these numbers, and marks those that the ring meets.
func (r *Ring) seenByTable(history []byte, candidates []strategies.ID, seen []bool, numbers []int32) {
	var t table
	for n, i := range numbers {
		at := r.fingerprint(candidates[i])
		for t[at%uint64(len(t))] != 0 {
			at++
		}
		t[at%uint64(len(t))] = uint16(n + 1)
	}
	var buffer [block]uint64
	slots := r.cycle(history).Held()
	for slot := 0; slot < slots; {
		some := r.read(history, slot, slots, &buffer)
		for _, f := range some {
			for at := f; ; at++ {
				n := t[at%uint64(len(t))]
				if n == 0 {
					break
				}
				if i := numbers[n-1]; r.fingerprint(candidates[i]) == f {
					seen[i] = true
				}
			}
		}
		slot += len(some)
	}
}
