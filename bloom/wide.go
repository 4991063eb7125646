package bloom

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// More than wordLanes lanes take 64-bit loads, which at the last positions may run past the Slack, by a byte
// where there are 26 to 32 lanes. One more byte behind the array, a header's, and no load has to be looked
// after: a quarter of the time.

// wideSlack reports whether a 64-bit load at any position stays inside the slice that holds the array.
func (l Lanes) wideSlack(array []byte) bool {
	return (l.bits-1)*l.count/8+8 <= len(array)
}

// longAt is at least MaxLanes bits of the array, from the given one on.
func longAt(array unsafe.Pointer, bit uint64) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(array, bit>>3))[:]) >> (bit & 7)
}

// queryLong is queryWide where wideSlack holds.
func queryLong(l Lanes, array []byte, live uint64, candidates []uint64, seen []bool) {
	seen = seen[:len(candidates)]
	a, m, count, digits := base(l, array), uint64(l.bits), uint64(l.count), l.digits()
	for i, id := range candidates {
		product, found := id, live
		for left := l.hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				found &= longAt(a, p*count)
			}
			product *= Multiplier
		}
		seen[i] = found != 0
	}
}
