package stable

import (
	"encoding/binary"
	"math/bits"

	"dejavu/bloom"
	"dejavu/strategies"
)

// window is the byte from which on eight bytes of the array hold the given bit
// and as many of the 56 after it as the array has, and the bit's place in them.
func window(array []byte, bit int) (at, shift int) {
	at = min(bit>>3, len(array)-8)
	return at, bit - at*8
}

// query sets seen[i] to whether all cells of candidates[i] are above zero: bloom.Geometry.Positions, written out.
func query(l bloom.Lanes, array []byte, candidates []strategies.ID, seen []bool) {
	seen, array = seen[:len(candidates)], array[:l.Bytes()]
	g, count := l.Geometry(), uint64(l.Count())
	m, digits := uint64(g.Bits), g.Digits()
	full, last := uint64(1)<<count-1, uint64(len(array)-8)
	for i, id := range candidates {
		product, found := uint64(id), ^uint64(0)
		for left := g.Hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				at := min(p*count>>3, last)
				cell := binary.LittleEndian.Uint64(array[at:]) >> (p*count - at*8) & full
				found &= cell + full // above full, that is, bit count is set, if the cell is not zero
			}
			product *= bloom.Multiplier
		}
		seen[i] = found>>count&1 != 0
	}
}

// set fills the article's cells: all bits of a full cell are set.
func set(l bloom.Lanes, array []byte, id strategies.ID) {
	g, full := l.Geometry(), uint64(1)<<l.Count()-1
	m, digits, product := uint64(g.Bits), g.Digits(), uint64(id)
	for left := g.Hashes; left > 0; left -= digits {
		x := product
		for range min(left, digits) {
			var cell uint64
			cell, x = bits.Mul64(x, m)
			at, shift := window(array, int(cell)*l.Count())
			word := array[at : at+8]
			binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|full<<shift)
		}
		product *= bloom.Multiplier
	}
}

// lowest has a bit at the beginning of every cell of a word that begins with one, by the bits of a cell.
var lowest = [maxCellBits + 1]uint64{1: 1<<64 - 1, 2: 0x5555555555555555, 3: 0x9249249249249249}

// take takes one from each of n neighbouring cells, where there is one to take:
// as many cells at a time as a window certainly holds, 57 bits.
func take(l bloom.Lanes, array []byte, cell, n int) {
	for n > 0 {
		cells := min(n, 57/l.Count())
		at, shift := window(array, cell*l.Count())
		bytes := array[at : at+8]
		word := binary.LittleEndian.Uint64(bytes)
		some := word // in its lowest bit, whether a cell is not zero
		for i := 1; i < l.Count(); i++ {
			some |= word >> i
		}
		some &= lowest[l.Count()] & (1<<(cells*l.Count()) - 1) << shift
		binary.LittleEndian.PutUint64(bytes, word-some) // no cell borrows
		cell, n = cell+cells, n-cells
	}
}

// start is the first of the cells to take from: uniform, whatever the history and the article's own cells are, and
// another one when the article comes again to a history that has changed. It is a hash of the ID and of eight bytes
// of the history at a place that the ID chooses, by the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func start(array []byte, cells int, id strategies.ID) int {
	x := uint64(id) ^ 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	at := x >> 32 * uint64(len(array)-7) >> 32
	x ^= binary.LittleEndian.Uint64(array[at:])
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x = (x ^ x>>31) * 0xbf58476d1ce4e5b9
	return int(x >> 32 * uint64(cells) >> 32)
}
