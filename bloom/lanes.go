package bloom

import (
	"encoding/binary"
	"math/bits"
)

// MaxLanes is how many filters one array can hold: the lanes of a position
// must lie within one 64-bit load at a byte boundary.
const MaxLanes = 57

// Slack is how many bytes must follow the array of a filter of two or more
// lanes, so that a 32-bit load at its last byte stays inside the history.
// Strategies of several lanes keep their header there: it costs no padding.
const Slack = 3

// wordLanes is how many lanes a 32-bit load at a byte boundary covers.
const wordLanes = 25

// Lanes describes Count Bloom filters of one Geometry that lie bit-sliced in
// one array: position p of the geometry is Count neighbouring bits, bit
// p*Count + i being that of filter ("lane") i; bit b of the array is bit b%8 of
// byte b/8. One load at a position brings its bit in every lane, so that a
// query of all lanes takes Hashes loads whatever their number. The bits are
// those of Count separate filters, and so is every false positive rate.
type Lanes struct {
	Geometry
	Count int // 1 to MaxLanes
}

// Bytes is the length in bytes of the array, without the Slack.
func (l Lanes) Bytes() int { return (l.Bits*l.Count + 7) / 8 }

// Clear unsets every bit of the given lanes: bit i of the set stands for lane i.
func (l Lanes) Clear(array []byte, lanes uint64) {
	array = array[:l.Bytes()]
	mask := l.mask(lanes)
	for len(array) >= 8 {
		word := binary.LittleEndian.Uint64(array)
		binary.LittleEndian.PutUint64(array, word&^mask.next())
		array = array[8:]
	}
	last := mask.next()
	for i := range array {
		array[i] &^= byte(last >> (8 * i))
	}
}

// Ones counts the bits set in the given lanes: bit i of the set stands for lane i.
func (l Lanes) Ones(array []byte, lanes uint64) int {
	array = array[:l.Bytes()]
	n := 0
	if all := ones(l.Count); lanes&all == all { // no mask, twice as fast
		for ; len(array) >= 8; array = array[8:] {
			n += bits.OnesCount64(binary.LittleEndian.Uint64(array))
		}
		for _, b := range array {
			n += bits.OnesCount8(b)
		}
		return n
	}
	mask := l.mask(lanes)
	for len(array) >= 8 {
		n += bits.OnesCount64(binary.LittleEndian.Uint64(array) & mask.next())
		array = array[8:]
	}
	last := mask.next()
	for i := range array {
		n += bits.OnesCount8(array[i] & byte(last>>(8*i)))
	}
	return n
}

// Padded reports whether a bit is set in the last byte of the array beyond
// the last position, which no filter ever does.
func (l Lanes) Padded(array []byte) bool {
	used := l.Bits * l.Count % 8
	return used != 0 && array[l.Bytes()-1]>>used != 0
}

// A laneMask yields, word by word, the bits that belong to some lanes: a
// pattern with the period of a position.
type laneMask struct {
	pattern uint64 // in a word that begins at a position
	phase   int    // how many bits into a position the next word begins
	whole   int    // bits of the whole positions in a word
	count   int
	per64   int // how far a word advances the phase
}

func (l Lanes) mask(lanes uint64) laneMask {
	m := laneMask{whole: 64 / l.Count * l.Count, count: l.Count, per64: 64 % l.Count}
	m.pattern = lanes & ones(l.Count)
	for filled := l.Count; filled < 64; filled *= 2 {
		m.pattern |= m.pattern << filled
	}
	return m
}

// next shifts the pattern by the phase; what the shift leaves open at the top
// is the pattern again, some whole positions on.
func (m *laneMask) next() uint64 {
	mask := m.pattern>>m.phase | m.pattern<<(m.whole-m.phase)
	if m.phase += m.per64; m.phase >= m.count {
		m.phase -= m.count
	}
	return mask
}
