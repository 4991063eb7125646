package rolling

import (
	"encoding/binary"
	"math/bits"

	"dejavu/bloom"
	"dejavu/strategies"
)

// multiplier is that of package bloom's probes, which the kernels inline; the
// tests hold them against bloom.Geometry.Positions.
const (
	multiplier  = 0xd1342543de82ef95
	multiplier2 = multiplier * multiplier & (1<<64 - 1)
	multiplier3 = multiplier2 * multiplier & (1<<64 - 1)
)

func high(product, m uint64) uint64 { return product >> 32 * m >> 32 }
func low(product, m uint64) uint64  { return uint64(uint32(product)) * m >> 32 }

// heldAt is, in its lowest bit, whether a position holds a tag; four positions
// share a byte. Its bits are wide because a byte's cost more to shift.
func heldAt(array []byte, position uint64) uint32 {
	tag := uint32(array[position>>2]) >> (position & 3 * 2)
	return tag | tag>>1
}

// query sets seen[i] to whether all positions of candidates[i] hold a tag. A
// tag is none where both its bits are 0, so the lanes cannot be asked one by
// one: an article's positions may have been written by different generations.
func query(l bloom.Lanes, array []byte, candidates []strategies.ID, seen []bool) {
	if l.Hashes == 6 {
		query6(l, array, candidates, seen)
		return
	}
	seen, array, m := seen[:len(candidates)], array[:l.Bytes()], uint64(l.Bits)
	for i, id := range candidates {
		product, held := uint64(id), uint32(1)
		k := l.Hashes
		for ; k >= 2; k -= 2 {
			product *= multiplier
			held &= heldAt(array, high(product, m)) & heldAt(array, low(product, m))
		}
		if k == 1 {
			held &= heldAt(array, high(product*multiplier, m))
		}
		seen[i] = held != 0
	}
}

// query6 is query for six hashes, unrolled.
func query6(l bloom.Lanes, array []byte, candidates []strategies.ID, seen []bool) {
	seen, array, m := seen[:len(candidates)], array[:l.Bytes()], uint64(l.Bits)
	for i, id := range candidates {
		x := uint64(id) * multiplier
		y := uint64(id) * multiplier2
		z := uint64(id) * multiplier3
		held := heldAt(array, high(x, m)) & heldAt(array, low(x, m)) &
			heldAt(array, high(y, m)) & heldAt(array, low(y, m)) &
			heldAt(array, high(z, m)) & heldAt(array, low(z, m))
		seen[i] = held&1 != 0
	}
}

// insert writes the tag to every position of the articles.
func insert(l bloom.Lanes, array []byte, tag uint64, ids []strategies.ID) {
	array, m := array[:l.Bytes()], uint64(l.Bits)
	for _, id := range ids {
		product := uint64(id)
		k := l.Hashes
		for ; k >= 2; k -= 2 {
			product *= multiplier
			setTag(array, high(product, m), tag)
			setTag(array, low(product, m), tag)
		}
		if k == 1 {
			setTag(array, high(product*multiplier, m), tag)
		}
	}
}

func setTag(array []byte, position, tag uint64) {
	at, shift := position>>2, position&3*2
	array[at] = array[at]&^(3<<shift) | byte(tag<<shift)
}

// pairs has the lower bit of every position in a word.
const pairs = 0x5555555555555555

// others has, in the lower bit of every position of a word, whether its tag is
// another one than that given.
func others(word, tag uint64) uint64 {
	word ^= tag * pairs
	return (word | word>>1) & pairs
}

// wipe empties the positions that have the tag.
func wipe(array []byte, tag uint64) {
	for ; len(array) >= 8; array = array[8:] {
		word := binary.LittleEndian.Uint64(array)
		binary.LittleEndian.PutUint64(array, word&(3*others(word, tag)))
	}
	for i, b := range array {
		array[i] = b & byte(3*others(uint64(b), tag))
	}
}

// tagged counts the positions that have the tag.
func tagged(array []byte, tag uint64) int {
	n := 0
	for ; len(array) >= 8; array = array[8:] {
		n += 32 - bits.OnesCount64(others(binary.LittleEndian.Uint64(array), tag))
	}
	for _, b := range array {
		n += 4 - bits.OnesCount8(byte(others(uint64(b), tag)))
	}
	return n
}
