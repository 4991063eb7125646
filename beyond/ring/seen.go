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

// few is the most candidates with long fingerprints that skip the map.
const few = 64

// atOnce is the most slots that are decoded before they are looked up.
const atOnce = 64

// Seen marks the ring's fingerprints in a map, so that a candidate costs one load. Longer ones are checked again.
func (r *Ring) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 || len(candidates) == 0 {
		clear(seen)
		return
	}
	seen = seen[:len(candidates)]
	if r.beyondMap() == 0 {
		r.seenInMap(history, candidates, seen)
		return
	}
	if len(candidates) > few {
		r.seenInMap(history, candidates, seen)
	} else {
		for i := range seen {
			seen[i] = true
		}
	}
	var again [block]int32
	n := 0
	for i, maybe := range seen {
		if maybe {
			seen[i], again[n] = false, int32(i)
			n++
		}
		if n == block || n > 0 && i == len(seen)-1 {
			r.seenByTable(history, candidates, seen, again[:n])
			n = 0
		}
	}
}

// seenInMap answers by the high bits of the fingerprints, mapBits at most.
func (r *Ring) seenInMap(history []byte, candidates []strategies.ID, seen []bool) {
	var held [1 << mapBits / 64]uint64
	var buffer [atOnce]uint64
	down := r.beyondMap() & 63
	for some, slot := r.read(history, 0, &buffer), 0; len(some) > 0; some = r.read(history, slot, &buffer) {
		for _, f := range some {
			f >>= down
			held[f>>6%uint64(len(held))] |= 1 << (f & 63)
		}
		slot += len(some)
	}
	for i, id := range candidates {
		f := r.fingerprint(id) >> down
		seen[i] = held[f>>6%uint64(len(held))]>>(f&63)&1 != 0
	}
}

// read decodes up to atOnce slots, from the first of a group on. It returns none behind the last.
func (r *Ring) read(history []byte, from int, buffer *[atOnce]uint64) []uint64 {
	n, width, base := r.articles, r.width[r.articles], r.base
	left := r.cycle(history).Held() - from
	bit, i := r.bits(from), 0
	for ; i+n <= min(left, atOnce) && bit>>3+8 <= len(history); i, bit = i+n, bit+width {
		fraction := binary.LittleEndian.Uint64(history[bit>>3:]) >> (bit & 7) << (64 - width&63)
		for j := i; j < i+n; j++ {
			buffer[j], fraction = bits.Mul64(fraction, base)
		}
	}
	if i == 0 { // the last groups
		for ; i < left; i++ {
			buffer[i] = r.get(history, from+i)
		}
	}
	return buffer[:i]
}

// A table holds up to block candidates, numbered from 1, by low bits; 0 is free. A quarter of it is taken at most.
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
	var buffer [atOnce]uint64
	for some, slot := r.read(history, 0, &buffer), 0; len(some) > 0; some = r.read(history, slot, &buffer) {
		for _, f := range some {
			for at := f; t[at%uint64(len(t))] != 0; at++ {
				if i := numbers[t[at%uint64(len(t))]-1]; r.fingerprint(candidates[i]) == f {
					seen[i] = true
				}
			}
		}
		slot += len(some)
	}
}
