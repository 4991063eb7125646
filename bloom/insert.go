package bloom

import (
	"math/bits"
	"unsafe"
)

// Insert adds the IDs to each of the given lanes; bit j of lanes stands for
// lane j. The array is as for Query. The cost is l.Hashes read-modify-writes an
// ID for one lane, and for both lanes of a filter of two; more lanes at once
// are filled one after the other.
func Insert[ID ~uint64](l Lanes, array []byte, lanes uint64, ids []ID) {
	if l.Count == 2 && lanes == 3 {
		// The two bits of a position share a byte: one write sets both.
		insert(l, array, 0, 3, ids)
		return
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		insert(l, array, bits.TrailingZeros64(lanes), 1, ids)
	}
}

// insert sets, at every position of every ID, the bits of pattern from the
// given lane on. The pattern must not cross a byte.
func insert[ID ~uint64](l Lanes, array []byte, lane int, pattern byte, ids []ID) {
	if len(ids) == 0 {
		return
	}
	if l.Hashes == 6 {
		insert6(l, array, lane, pattern, ids)
		return
	}
	a, m, count, first := base(l, array), uint64(l.Bits), uint64(l.Count), uint64(lane)
	for _, id := range ids {
		product := uint64(id)
		k := l.Hashes
		for ; k >= 2; k -= 2 {
			product *= multiplier
			set(a, high(product, m)*count+first, pattern)
			set(a, low(product, m)*count+first, pattern)
		}
		if k == 1 {
			set(a, high(product*multiplier, m)*count+first, pattern)
		}
	}
}

// insert6 is insert for six hashes, unrolled.
func insert6[ID ~uint64](l Lanes, array []byte, lane int, pattern byte, ids []ID) {
	a, m, count, first := base(l, array), uint64(l.Bits), uint64(l.Count), uint64(lane)
	for _, id := range ids {
		x := uint64(id) * multiplier
		y := uint64(id) * multiplier2
		z := uint64(id) * multiplier3
		set(a, high(x, m)*count+first, pattern)
		set(a, low(x, m)*count+first, pattern)
		set(a, high(y, m)*count+first, pattern)
		set(a, low(y, m)*count+first, pattern)
		set(a, high(z, m)*count+first, pattern)
		set(a, low(z, m)*count+first, pattern)
	}
}

// set ORs the pattern into the array from the given bit on. See base for why
// it stays inside.
func set(array unsafe.Pointer, bit uint64, pattern byte) {
	*(*byte)(unsafe.Add(array, bit>>3)) |= pattern << (bit & 7)
}
