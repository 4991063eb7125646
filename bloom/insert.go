package bloom

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Insert adds the IDs to each of the given lanes. The array is as for Query. The
// cost is a read-modify-write for each of the hashes an ID for one lane, and for
// both lanes of a filter of two; more lanes at once are filled one after the
// other. A long list for a filter of its own costs half of that (see long).
func Insert[ID ~uint64](l Lanes, array []byte, lanes uint64, ids []ID) {
	if lanes &= ones(l.count); lanes == 0 || len(ids) == 0 {
		return
	}
	both := l.count == 2 && lanes == 3 // the two bits of a position share a byte
	switch {
	case l.count == 1 && l.long(len(ids)):
		insertLong(l, array, ids)
	case l.hashes != 6:
		for ; lanes != 0; lanes &= lanes - 1 {
			insertLane(l, array, bits.TrailingZeros64(lanes), ids)
		}
	case both:
		insertBoth6(l, array, ids)
	case l.count == 1:
		insertOne6(l, array, ids)
	case l.count == 5 && lanes&(lanes-1) == 0:
		insertFive6(l, array, bits.TrailingZeros64(lanes), ids)
	default:
		for ; lanes != 0; lanes &= lanes - 1 {
			insertLane6(l, array, bits.TrailingZeros64(lanes), ids)
		}
	}
}

// InsertSalted is Insert for a filter of its own, under the IDs times a salt (Salt).
func InsertSalted[ID ~uint64](l Lanes, array []byte, salt uint64, ids []ID) {
	if salt == 1 {
		Insert(l, array, 1, ids)
		return
	}
	var salted [128]ID
	for len(ids) > 0 {
		n := min(len(ids), len(salted))
		for i, id := range ids[:n] {
			salted[i] = id * ID(salt)
		}
		Insert(l, array, 1, salted[:n])
		ids = ids[n:]
	}
}

// insertLane sets the bits of one lane.
func insertLane[ID ~uint64](l Lanes, array []byte, lane int, ids []ID) {
	a, m, count, first := base(l, array), uint64(l.bits), uint64(l.count), uint64(lane)
	for _, id := range ids {
		product := uint64(id)
		k := l.hashes
		for ; k >= 2; k -= 2 {
			product *= Multiplier
			setBit(a, High(product, m)*count+first)
			setBit(a, Low(product, m)*count+first)
		}
		if k == 1 {
			setBit(a, High(product*Multiplier, m)*count+first)
		}
	}
}

// setBit sets the given bit through the byte that it lies in. See base for why
// it stays inside the array.
func setBit(array unsafe.Pointer, bit uint64) {
	*(*byte)(unsafe.Add(array, bit>>3)) |= byteBit[bit&7]
}

// The kernels for six hashes are unrolled, with high, low and the store written
// out: the compiler puts what it inlines in an order that takes a quarter
// longer. The bits come from tables, as a load costs less than a shift and a
// set here.
var (
	byteBit = [8]byte{1, 2, 4, 8, 16, 32, 64, 128}
	pairBit = [4]byte{3, 12, 48, 192}

	// wordBit[i] is bit i of a 32-bit word of the array, in the machine's order of bytes.
	wordBit = func() (table [32]uint32) {
		for i := range table {
			var word [4]byte
			word[i/8] = byteBit[i%8]
			table[i] = binary.NativeEndian.Uint32(word[:])
		}
		return table
	}()
)

// insertLane6 is insertLane for six hashes, in words: the slack covers the last.
func insertLane6[ID ~uint64](l Lanes, array []byte, lane int, ids []ID) {
	a, m, count, first := base(l, array), uint64(l.bits), uint64(l.count), uint64(lane)
	for _, id := range ids {
		x := uint64(id) * Multiplier
		bit := (x>>32*m>>32)*count + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
		bit = (uint64(uint32(x))*m>>32)*count + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
		x = uint64(id) * Multiplier2
		bit = (x>>32*m>>32)*count + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
		bit = (uint64(uint32(x))*m>>32)*count + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
		x = uint64(id) * Multiplier3
		bit = (x>>32*m>>32)*count + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
		bit = (uint64(uint32(x))*m>>32)*count + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
	}
}

// insertFive6 is insertLane6 for a lane of the paper's five: a constant stride
// is an addition and a shift.
func insertFive6[ID ~uint64](l Lanes, array []byte, lane int, ids []ID) {
	a, m, first := base(l, array), uint64(l.bits), uint64(lane)
	for _, id := range ids {
		x := uint64(id) * Multiplier
		bit := (x>>32*m>>32)*5 + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
		bit = (uint64(uint32(x))*m>>32)*5 + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
		x = uint64(id) * Multiplier2
		bit = (x>>32*m>>32)*5 + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
		bit = (uint64(uint32(x))*m>>32)*5 + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
		x = uint64(id) * Multiplier3
		bit = (x>>32*m>>32)*5 + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
		bit = (uint64(uint32(x))*m>>32)*5 + first
		*(*uint32)(unsafe.Add(a, bit>>5*4)) |= wordBit[bit&31]
	}
}

// insertOne6 is insertLane6 for a filter of its own, which has no slack.
func insertOne6[ID ~uint64](l Lanes, array []byte, ids []ID) {
	a, m := base(l, array), uint64(l.bits)
	for _, id := range ids {
		x := uint64(id) * Multiplier
		bit := x >> 32 * m >> 32
		*(*byte)(unsafe.Add(a, bit>>3)) |= byteBit[bit&7]
		bit = uint64(uint32(x)) * m >> 32
		*(*byte)(unsafe.Add(a, bit>>3)) |= byteBit[bit&7]
		x = uint64(id) * Multiplier2
		bit = x >> 32 * m >> 32
		*(*byte)(unsafe.Add(a, bit>>3)) |= byteBit[bit&7]
		bit = uint64(uint32(x)) * m >> 32
		*(*byte)(unsafe.Add(a, bit>>3)) |= byteBit[bit&7]
		x = uint64(id) * Multiplier3
		bit = x >> 32 * m >> 32
		*(*byte)(unsafe.Add(a, bit>>3)) |= byteBit[bit&7]
		bit = uint64(uint32(x)) * m >> 32
		*(*byte)(unsafe.Add(a, bit>>3)) |= byteBit[bit&7]
	}
}

// insertBoth6 sets the bits of both lanes of a filter of two: four positions to
// a byte.
func insertBoth6[ID ~uint64](l Lanes, array []byte, ids []ID) {
	a, m := base(l, array), uint64(l.bits)
	for _, id := range ids {
		x := uint64(id) * Multiplier
		position := x >> 32 * m >> 32
		*(*byte)(unsafe.Add(a, position>>2)) |= pairBit[position&3]
		position = uint64(uint32(x)) * m >> 32
		*(*byte)(unsafe.Add(a, position>>2)) |= pairBit[position&3]
		x = uint64(id) * Multiplier2
		position = x >> 32 * m >> 32
		*(*byte)(unsafe.Add(a, position>>2)) |= pairBit[position&3]
		position = uint64(uint32(x)) * m >> 32
		*(*byte)(unsafe.Add(a, position>>2)) |= pairBit[position&3]
		x = uint64(id) * Multiplier3
		position = x >> 32 * m >> 32
		*(*byte)(unsafe.Add(a, position>>2)) |= pairBit[position&3]
		position = uint64(uint32(x)) * m >> 32
		*(*byte)(unsafe.Add(a, position>>2)) |= pairBit[position&3]
	}
}
