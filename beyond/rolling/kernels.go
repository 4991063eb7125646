package rolling

import (
	"encoding/binary"
	"math/bits"

	"dejavu/bloom"
	"dejavu/strategies"
)

// heldAt is, in its lowest bit, whether a position holds a tag; four positions
// share a byte. Its bits are wide because a byte's cost more to shift.
func heldAt(array []byte, position uint64) uint32 {
	tag := uint32(array[position>>2]) >> (position & 3 * 2)
	return tag | tag>>1
}

// query sets seen[i] to whether all positions of candidates[i] hold a tag. A tag is none where both its bits
// are 0, so the lanes cannot be asked one by one: an article's positions may have been written by different
// generations. The probes are bloom.Geometry.Positions, written out; the tests hold one against the other.
func query(l bloom.Lanes, array []byte, candidates []strategies.ID, seen []bool) {
	g := l.Geometry()
	m, digits := uint64(g.Bits), g.Digits()
	seen, array = seen[:len(candidates)], array[:l.Bytes()]
	if g.Hashes == 6 && digits == 3 {
		query6(m, array, candidates, seen)
		return
	}
	for i, id := range candidates {
		product, held := uint64(id), uint32(1)
		for left := g.Hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				held &= heldAt(array, p)
			}
			product *= bloom.Multiplier
		}
		seen[i] = held != 0
	}
}

// query6 is query for six hashes, three digits of the ID and three of its product, unrolled.
func query6(m uint64, array []byte, candidates []strategies.ID, seen []bool) {
	seen = seen[:len(candidates)]
	for i, id := range candidates {
		p, x := bits.Mul64(uint64(id), m)
		q, x := bits.Mul64(x, m)
		r, _ := bits.Mul64(x, m)
		held := heldAt(array, p) & heldAt(array, q) & heldAt(array, r)
		p, x = bits.Mul64(uint64(id)*bloom.Multiplier, m)
		q, x = bits.Mul64(x, m)
		r, _ = bits.Mul64(x, m)
		held &= heldAt(array, p) & heldAt(array, q) & heldAt(array, r)
		seen[i] = held&1 != 0
	}
}

// insert writes the tag to every position of the articles.
func insert(l bloom.Lanes, array []byte, tag uint64, ids []strategies.ID) {
	g := l.Geometry()
	array = array[:l.Bytes()]
	m, digits := uint64(g.Bits), g.Digits()
	for _, id := range ids {
		product := uint64(id)
		for left := g.Hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				setTag(array, p, tag)
			}
			product *= bloom.Multiplier
		}
	}
}

func setTag(array []byte, position, tag uint64) {
	at, shift := position>>2, position&3*2
	array[at] = array[at]&^(3<<shift) | byte(tag<<shift)
}

// pairs has the lower bit of every position in a word.
const pairs = 0x5555555555555555

// others has, in the lower bit of every position of a word, whether its tag is another one than that given.
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
