package bloom

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"dejavu/internal/mix"
)

// Insert adds the IDs to each of the lanes. The array is as for Query. Each hash of an ID costs a write in each lane.
func Insert[ID ~uint64](l Lanes, array []byte, lanes uint64, ids []ID) {
	insertBy(inserts, &l, array, lanes, numbers(ids))
}

// together returns the lanes that one pass fills: one, or both of two.
func (l Lanes) together(lanes uint64) uint64 {
	if l.count == 2 && l.sixDigits() {
		return lanes
	}
	return lanes & -lanes
}

// sixInWords reports whether the kernels for six hashes and words of 32 bits can be used.
func (l Lanes) sixInWords() bool { return l.sixDigits() && (l.count > 1 || l.Bytes()%4 == 0) }

func insertPlain(l Lanes, array []byte, lanes uint64, articles []uint64) {
	a, m := base(l, array), uint64(l.bits)
	for lanes &= ones(l.count); lanes != 0; {
		now := l.together(lanes)
		lanes &^= now
		switch lane := bits.TrailingZeros64(now); {
		case !l.sixInWords():
			insertLane(l, array, lane, articles)
		case l.count == 1:
			insertOne6(a, m, articles)
		case now == 3:
			insertBoth6(a, m, articles)
		case l.count == 5:
			insertFive6(a, m, uint64(lane), articles)
		default:
			insertLane6(a, m, uint64(l.count), uint64(lane), articles)
		}
	}
}

// InsertSalted adds IDs, Salted, to a filter of one lane.
func InsertSalted[ID ~uint64](l Lanes, array []byte, salt uint64, ids []ID) {
	if salt == 1 {
		Insert(l, array, 1, ids)
		return
	}
	var salted [128]ID
	for len(ids) > 0 {
		n := min(len(ids), len(salted))
		for i, id := range ids[:n] {
			salted[i] = Salted(id, salt)
		}
		Insert(l, array, 1, salted[:n])
		ids = ids[n:]
	}
}

func insertLane(l Lanes, array []byte, lane int, ids []uint64) {
	a, m, count, first, digits := base(l, array), uint64(l.bits), uint64(l.count), uint64(lane), l.digits()
	for _, id := range ids {
		id = mix.Mix(id)
		product := id
		for left := l.hashes; left > 0; left -= digits {
			p, x := bits.Mul64(product, m)
			setBit(a, p*count+first)
			if of := min(left, digits); of >= 2 {
				p, x = bits.Mul64(x, m)
				if setBit(a, p*count+first); of >= 3 {
					p, _ = bits.Mul64(x, m)
					setBit(a, p*count+first)
				}
			}
			product *= Multiplier
		}
	}
}

// setBit sets a bit through its byte. See base for why it is in the array.
func setBit(array unsafe.Pointer, bit uint64) {
	*(*byte)(unsafe.Add(array, bit>>3)) |= 1 << (bit & 7)
}

// setIn sets a bit through its word of 32 bits: the array is whole words, or slack follows it.
func setIn(array unsafe.Pointer, bit uint64) {
	word := (*[4]byte)(unsafe.Add(array, bit>>5*4))[:]
	binary.LittleEndian.PutUint32(word, binary.LittleEndian.Uint32(word)|1<<(bit&31))
}

// insertLane6 inserts like insertLane for six hashes, by setIn.
func insertLane6(a unsafe.Pointer, m, count, first uint64, ids []uint64) {
	for _, id := range ids {
		id = mix.Mix(id)
		p, q, r := digits(id, m)
		setIn(a, p*count+first)
		setIn(a, q*count+first)
		setIn(a, r*count+first)
		p, q, r = digits(id*Multiplier, m)
		setIn(a, p*count+first)
		setIn(a, q*count+first)
		setIn(a, r*count+first)
	}
}

// insertFive6 is insertLane6 for a lane of five: times 5 is an addition and a shift.
func insertFive6(a unsafe.Pointer, m, first uint64, ids []uint64) {
	for _, id := range ids {
		id = mix.Mix(id)
		p, q, r := digits(id, m)
		setIn(a, p*5+first)
		setIn(a, q*5+first)
		setIn(a, r*5+first)
		p, q, r = digits(id*Multiplier, m)
		setIn(a, p*5+first)
		setIn(a, q*5+first)
		setIn(a, r*5+first)
	}
}

func insertOne6(a unsafe.Pointer, m uint64, ids []uint64) {
	for _, id := range ids {
		id = mix.Mix(id)
		p, q, r := digits(id, m)
		setIn(a, p)
		setIn(a, q)
		setIn(a, r)
		p, q, r = digits(id*Multiplier, m)
		setIn(a, p)
		setIn(a, q)
		setIn(a, r)
	}
}

// pairBit maps a position in a byte to its two lanes' bits. A load costs less than a shift here.
var pairBit = [4]byte{3, 12, 48, 192}

func insertBoth6(a unsafe.Pointer, m uint64, ids []uint64) {
	for _, id := range ids {
		id = mix.Mix(id)
		p, q, r := digits(id, m)
		*(*byte)(unsafe.Add(a, p>>2)) |= pairBit[p&3]
		*(*byte)(unsafe.Add(a, q>>2)) |= pairBit[q&3]
		*(*byte)(unsafe.Add(a, r>>2)) |= pairBit[r&3]
		p, q, r = digits(id*Multiplier, m)
		*(*byte)(unsafe.Add(a, p>>2)) |= pairBit[p&3]
		*(*byte)(unsafe.Add(a, q>>2)) |= pairBit[q&3]
		*(*byte)(unsafe.Add(a, r>>2)) |= pairBit[r&3]
	}
}
