package bloom

import (
	"encoding/binary"
	"unsafe"
)

// Query sets seen[i] to whether at least one of the live lanes holds
// candidates[i]; len(seen) must be at least len(candidates). The array holds
// l.Bytes() bytes, followed by Slack more bytes of the same slice where l has
// two or more lanes; it panics where they are missing. Where no lane is live
// the array does not matter. The cost is a load for each of the hashes a
// candidate, whatever the number of lanes.
//
// Candidates are any 64-bit IDs whose bits are uniform.
func Query[ID ~uint64](l Lanes, array []byte, live uint64, candidates []ID, seen []bool) {
	if live &= ones(l.count); live == 0 || len(candidates) == 0 {
		clear(seen[:len(candidates)])
		return
	}
	if vectorLeast > 0 && len(candidates) >= vectorLeast {
		n := len(candidates)
		ids, answers := unsafe.Pointer(unsafe.SliceData(candidates)), unsafe.Pointer(unsafe.SliceData(seen[:n]))
		if queryVector(l, base(l, array), live, ids, answers, n) {
			return
		}
	}
	switch {
	case l.count == 1 && l.hashes == 6:
		queryOne6(l, array, candidates, seen)
	case l.count == 1:
		queryOne(l, array, candidates, seen)
	case l.count == 5 && l.hashes == 6:
		queryFive6(l, array, uint32(live), candidates, seen)
	case l.count <= wordLanes && l.hashes == 6:
		queryWord6(l, array, uint32(live), candidates, seen)
	case l.count <= wordLanes:
		queryWord(l, array, uint32(live), candidates, seen)
	case !l.wideSlack(array):
		queryWide(l, array, live, candidates, seen)
	case l.count == 30:
		queryMonth(l, array, live, candidates, seen)
	default:
		queryLong(l, array, live, candidates, seen)
	}
}

// The kernels read and write the array without bounds checks, a sixth of their
// time. That is safe, whatever the array holds:
//   - Lanes come from NewLanes alone, and nobody can change them: a position is
//     below bits, and its bit in a lane below bits*count, which does not overflow.
//   - High and Low return no other positions, for bits below 2^32.
//   - Query and Insert cut the set of lanes to those there are.
//   - base has seen that the slice is long enough for the last bit, and for the
//     32-bit load that begins in its byte, or the 32-bit word that it lies in.
//     A 64-bit load needs more: wideSlack asks for it.
//
// TestLanesStayInside holds all of it, between two pages that must not be touched.

// base is the address of the array, which it panics for where the slice is too
// short.
func base(l Lanes, array []byte) unsafe.Pointer {
	need := l.Bytes()
	if l.count > 1 {
		need += Slack
	}
	return unsafe.Pointer(unsafe.SliceData(array[:need:len(array)]))
}

// byteAt is the byte that holds the given bit, shifted so that the bit is lowest.
func byteAt(array unsafe.Pointer, bit uint64) byte {
	return *(*byte)(unsafe.Add(array, bit>>3)) >> (bit & 7)
}

// wordAt is at least wordLanes bits of the array, from the given one on.
func wordAt(array unsafe.Pointer, bit uint64) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(array, bit>>3))[:]) >> (bit & 7)
}

// queryOne6 is queryOne for six hashes, unrolled.
func queryOne6[ID ~uint64](l Lanes, array []byte, candidates []ID, seen []bool) {
	seen = seen[:len(candidates)]
	a, m := base(l, array), uint64(l.bits)
	for i, id := range candidates {
		x := uint64(id) * Multiplier
		y := uint64(id) * Multiplier2
		z := uint64(id) * Multiplier3
		found := byteAt(a, High(x, m)) & byteAt(a, Low(x, m)) &
			byteAt(a, High(y, m)) & byteAt(a, Low(y, m)) &
			byteAt(a, High(z, m)) & byteAt(a, Low(z, m))
		seen[i] = found&1 != 0
	}
}

// queryOne answers from a single lane.
func queryOne[ID ~uint64](l Lanes, array []byte, candidates []ID, seen []bool) {
	seen = seen[:len(candidates)]
	a, m := base(l, array), uint64(l.bits)
	for i, id := range candidates {
		product, found := uint64(id), byte(1)
		k := l.hashes
		for ; k >= 2; k -= 2 {
			product *= Multiplier
			found &= byteAt(a, High(product, m)) & byteAt(a, Low(product, m))
		}
		if k == 1 {
			found &= byteAt(a, High(product*Multiplier, m))
		}
		seen[i] = found != 0
	}
}

// queryWord6 is queryWord for six hashes, unrolled.
func queryWord6[ID ~uint64](l Lanes, array []byte, live uint32, candidates []ID, seen []bool) {
	seen = seen[:len(candidates)]
	a, m, count := base(l, array), uint64(l.bits), uint64(l.count)
	for i, id := range candidates {
		x := uint64(id) * Multiplier
		y := uint64(id) * Multiplier2
		z := uint64(id) * Multiplier3
		found := wordAt(a, High(x, m)*count) & wordAt(a, Low(x, m)*count) &
			wordAt(a, High(y, m)*count) & wordAt(a, Low(y, m)*count) &
			wordAt(a, High(z, m)*count) & wordAt(a, Low(z, m)*count)
		seen[i] = found&live != 0
	}
}

// queryFive6 is queryWord6 for the paper's five lanes: a constant stride is an
// addition and a shift, a tenth off.
func queryFive6[ID ~uint64](l Lanes, array []byte, live uint32, candidates []ID, seen []bool) {
	seen = seen[:len(candidates)]
	a, m := base(l, array), uint64(l.bits)
	for i, id := range candidates {
		x := uint64(id) * Multiplier
		y := uint64(id) * Multiplier2
		z := uint64(id) * Multiplier3
		found := wordAt(a, High(x, m)*5) & wordAt(a, Low(x, m)*5) &
			wordAt(a, High(y, m)*5) & wordAt(a, Low(y, m)*5) &
			wordAt(a, High(z, m)*5) & wordAt(a, Low(z, m)*5)
		seen[i] = found&live != 0
	}
}

// queryWord answers from up to wordLanes lanes: the AND of the words at an
// article's positions leaves the set of lanes that hold it.
func queryWord[ID ~uint64](l Lanes, array []byte, live uint32, candidates []ID, seen []bool) {
	seen = seen[:len(candidates)]
	a, m, count := base(l, array), uint64(l.bits), uint64(l.count)
	for i, id := range candidates {
		product, found := uint64(id), live
		k := l.hashes
		for ; k >= 2; k -= 2 {
			product *= Multiplier
			found &= wordAt(a, High(product, m)*count) & wordAt(a, Low(product, m)*count)
		}
		if k == 1 {
			found &= wordAt(a, High(product*Multiplier, m)*count)
		}
		seen[i] = found != 0
	}
}

// queryWide answers from up to MaxLanes lanes. Its 64-bit loads would run past
// the slack at the end of the array; there they begin earlier and shift further.
func queryWide[ID ~uint64](l Lanes, array []byte, live uint64, candidates []ID, seen []bool) {
	seen = seen[:len(candidates)]
	m, count := uint64(l.bits), uint64(l.count)
	array = array[: l.Bytes()+Slack : len(array)]
	last := uint64(len(array) - 8)
	for i, id := range candidates {
		product, found := uint64(id), live
		for k := 0; k < l.hashes; k++ {
			var position uint64
			if k%2 == 0 {
				product *= Multiplier
				position = High(product, m)
			} else {
				position = Low(product, m)
			}
			bit := position * count
			at := min(bit>>3, last)
			found &= binary.LittleEndian.Uint64(array[at:]) >> (bit - at*8)
		}
		seen[i] = found != 0
	}
}
