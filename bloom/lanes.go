package bloom

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
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
	// After as many words as a position has bits, at the latest, the mask is
	// what it was. What is kept of some words comes into a table.
	var table [mostTurn]uint64
	turn, again := l.turn()
	kept := table[:min(turn, len(array)/8+1)]
	mask := l.mask(lanes)
	for i := range min(again, len(kept)) {
		kept[i] = nativeWord(^mask.next())
	}
	for ; again < len(kept); again *= 2 {
		copy(kept[again:], kept[:again])
	}
	for len(array) >= 8*turn {
		keep(array, kept)
		array = array[8*turn:]
	}
	whole := len(array) / 8
	keep(array, kept[:whole])
	last := nativeWord(kept[whole])
	for i := range array[8*whole:] {
		array[8*whole+i] &= byte(last >> (8 * i))
	}
}

// mostTurn is the most words that turn returns first.
const mostTurn = 63

// turn is the number of words after which a laneMask begins again, as it does
// after a whole number of positions, and before that a multiple of it that
// makes a loop worth its while.
func (l Lanes) turn() (long, again int) {
	const least = 28
	again = l.Count >> min(bits.TrailingZeros(uint(l.Count)), 6)
	return (least + again - 1) / again * again, again
}

// nativeWord is a word of the array in the machine's order of bytes.
func nativeWord(word uint64) uint64 {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], word)
	return binary.NativeEndian.Uint64(bytes[:])
}

// keep leaves of as many words of the array as there are only the kept bits.
func keep(array []byte, kept []uint64) {
	a := unsafe.Pointer(unsafe.SliceData(array[:8*len(kept)]))
	for ; len(kept) >= 4; kept = kept[4:] {
		*(*uint64)(a) &= kept[0]
		*(*uint64)(unsafe.Add(a, 8)) &= kept[1]
		*(*uint64)(unsafe.Add(a, 16)) &= kept[2]
		*(*uint64)(unsafe.Add(a, 24)) &= kept[3]
		a = unsafe.Add(a, 32)
	}
	for i, k := range kept {
		*(*uint64)(unsafe.Add(a, 8*i)) &= k
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

// HasStrayBits reports whether a bit is set in the last byte of the array beyond
// the last position, which no filter ever does.
func (l Lanes) HasStrayBits(array []byte) bool {
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
