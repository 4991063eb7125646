package ring

import (
	"encoding/binary"

	"dejavu/strategies"
)

// mapBits is the bits of a fingerprint by which a map of the ring knows it: a
// bit for each there can be, 8 KiB.
const mapBits = 16

// few candidates go into a table without the map's choice.
const few = 64

// Seen marks the fingerprints of the ring in a map, so that a candidate is one
// load. That was quicker than running the ring past a table of the candidates at
// any number of them. Of fingerprints longer than the map knows, what it lets
// through is looked at again: the repeats, and of fresh candidates 400 in 65536.
func (r *Ring) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 || len(candidates) == 0 {
		clear(seen)
		return
	}
	seen = seen[:len(candidates)]
	if r.bits <= mapBits {
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

// seenInMap answers by the high bits of the fingerprints, mapBits at most.
func (r *Ring) seenInMap(history []byte, candidates []strategies.ID, seen []bool) {
	var held [1 << mapBits / 64]uint64
	width, down := r.bits, max(0, r.bits-mapBits)
	low := uint64(r.mask())
	perWord := 1 // of the 57 bits that a word at a byte boundary is sure to have
	if 3*width <= 57 {
		perWord = 3
	}
	slot, bit, slots := 0, 0, r.load(history).held()
	for ; slot+perWord <= slots && bit>>3+8 <= len(history); slot, bit = slot+perWord, bit+perWord*width {
		word := binary.LittleEndian.Uint64(history[bit>>3:]) >> (bit & 7)
		a := word & low >> (down & 63)
		held[a>>6%uint64(len(held))] |= 1 << (a & 63)
		if perWord == 3 {
			b, c := word>>(width&63)&low>>(down&63), word>>(2*width&63)&low>>(down&63)
			held[b>>6%uint64(len(held))] |= 1 << (b & 63)
			held[c>>6%uint64(len(held))] |= 1 << (c & 63)
		}
	}
	for ; slot < slots; slot++ {
		f := r.get(history, slot) >> down
		held[f>>6] |= 1 << (f & 63)
	}
	for i, id := range candidates {
		f := r.fingerprint(uint64(id)) >> (down & 31)
		seen[i] = held[f>>6%uint32(len(held))]>>(f&63)&1 != 0
	}
}

// A table holds up to block candidates, numbered from 1, by the low bits of
// their fingerprints, since the map has chosen by the high ones; 0 is a free
// place. At most a quarter of it is taken, so that a search ends soon.
type table [1 << tableBits]uint16

const (
	tableBits = 11
	block     = 1 << tableBits / 4
)

// seenByTable enters the candidates of these numbers, up to a block, and runs
// the ring past them. It marks those it meets.
func (r *Ring) seenByTable(history []byte, candidates []strategies.ID, seen []bool, numbers []int32) {
	var t table
	for n, i := range numbers {
		at := r.fingerprint(uint64(candidates[i]))
		for t[at%uint32(len(t))] != 0 {
			at++
		}
		t[at%uint32(len(t))] = uint16(n + 1)
	}
	low := uint64(r.mask())
	slots := r.load(history).held()
	for slot, bit := 0, 0; slot < slots; slot, bit = slot+1, bit+r.bits {
		var f uint32
		if bit>>3+8 <= len(history) {
			f = uint32(binary.LittleEndian.Uint64(history[bit>>3:]) >> (bit & 7) & low)
		} else {
			f = r.get(history, slot)
		}
		for at := f; ; at++ {
			n := t[at%uint32(len(t))]
			if n == 0 {
				break
			}
			if i := numbers[n-1]; r.fingerprint(uint64(candidates[i])) == f {
				seen[i] = true
			}
		}
	}
}
