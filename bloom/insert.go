package bloom

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Insert adds the IDs to each of the given lanes; bit j of lanes stands for
// lane j. The array is as for Query. The cost is l.Hashes read-modify-writes an
// ID for one lane, and for both lanes of a filter of two; more lanes at once
// are filled one after the other.
func Insert[ID ~uint64](l Lanes, array []byte, lanes uint64, ids []ID) {
	if len(ids) == 0 {
		return
	}
	both := l.Count == 2 && lanes == 3 // the two bits of a position share a byte
	switch {
	case l.Hashes != 6:
		for ; lanes != 0; lanes &= lanes - 1 {
			insertLane(l, array, bits.TrailingZeros64(lanes), ids)
		}
	case both:
		insertBoth6(l, array, ids)
	case l.Count == 1 && lanes == 1:
		insertOne6(l, array, ids)
	case l.Count == 5 && lanes&(lanes-1) == 0:
		insertFive6(l, array, bits.TrailingZeros64(lanes), ids)
	default:
		for ; lanes != 0; lanes &= lanes - 1 {
			insertLane6(l, array, bits.TrailingZeros64(lanes), ids)
		}
	}
}

// insertLane sets the bits of one lane.
func insertLane[ID ~uint64](l Lanes, array []byte, lane int, ids []ID) {
	a, m, count, first := base(l, array), uint64(l.Bits), uint64(l.Count), uint64(lane)
	for _, id := range ids {
		product := uint64(id)
		k := l.Hashes
		for ; k >= 2; k -= 2 {
			product *= multiplier
			setByte(a, high(product, m)*count+first, 1)
			setByte(a, low(product, m)*count+first, 1)
		}
		if k == 1 {
			setByte(a, high(product*multiplier, m)*count+first, 1)
		}
	}
}

// insertLane6 is insertLane for six hashes, unrolled, in words: a word's bit
// is set by one instruction, and the slack covers the last.
func insertLane6[ID ~uint64](l Lanes, array []byte, lane int, ids []ID) {
	a, m, count, first := base(l, array), uint64(l.Bits), uint64(l.Count), uint64(lane)
	for _, id := range ids {
		x := uint64(id) * multiplier
		y := uint64(id) * multiplier2
		z := uint64(id) * multiplier3
		setWord(a, high(x, m)*count+first)
		setWord(a, low(x, m)*count+first)
		setWord(a, high(y, m)*count+first)
		setWord(a, low(y, m)*count+first)
		setWord(a, high(z, m)*count+first)
		setWord(a, low(z, m)*count+first)
	}
}

// insertFive6 is insertLane6 for a lane of the paper's five: a constant stride
// is an addition and a shift.
func insertFive6[ID ~uint64](l Lanes, array []byte, lane int, ids []ID) {
	a, m, first := base(l, array), uint64(l.Bits), uint64(lane)
	for _, id := range ids {
		x := uint64(id) * multiplier
		y := uint64(id) * multiplier2
		z := uint64(id) * multiplier3
		setWord(a, high(x, m)*5+first)
		setWord(a, low(x, m)*5+first)
		setWord(a, high(y, m)*5+first)
		setWord(a, low(y, m)*5+first)
		setWord(a, high(z, m)*5+first)
		setWord(a, low(z, m)*5+first)
	}
}

// insertOne6 is insertLane6 for a filter of its own, which has no slack.
func insertOne6[ID ~uint64](l Lanes, array []byte, ids []ID) {
	a, m := base(l, array), uint64(l.Bits)
	for _, id := range ids {
		x := uint64(id) * multiplier
		y := uint64(id) * multiplier2
		z := uint64(id) * multiplier3
		setByte(a, high(x, m), 1)
		setByte(a, low(x, m), 1)
		setByte(a, high(y, m), 1)
		setByte(a, low(y, m), 1)
		setByte(a, high(z, m), 1)
		setByte(a, low(z, m), 1)
	}
}

// insertBoth6 sets the bits of both lanes of a filter of two, six hashes, unrolled.
func insertBoth6[ID ~uint64](l Lanes, array []byte, ids []ID) {
	a, m := base(l, array), uint64(l.Bits)
	for _, id := range ids {
		x := uint64(id) * multiplier
		y := uint64(id) * multiplier2
		z := uint64(id) * multiplier3
		setByte(a, high(x, m)*2, 3)
		setByte(a, low(x, m)*2, 3)
		setByte(a, high(y, m)*2, 3)
		setByte(a, low(y, m)*2, 3)
		setByte(a, high(z, m)*2, 3)
		setByte(a, low(z, m)*2, 3)
	}
}

// setByte ORs the pattern, which must not cross a byte, into the array from
// the given bit on. See base for why it stays inside.
func setByte(array unsafe.Pointer, bit uint64, pattern byte) {
	*(*byte)(unsafe.Add(array, bit>>3)) |= pattern << (bit & 7)
}

// setWord sets the given bit through the 32-bit word that it lies in.
func setWord(array unsafe.Pointer, bit uint64) {
	word := (*[4]byte)(unsafe.Add(array, bit>>5*4))[:]
	binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)|1<<(bit&31))
}
