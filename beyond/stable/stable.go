// Package stable is the stable Bloom filter of Deng and Rafiei ("Approximately detecting duplicates for streaming
// data using stable Bloom filters", SIGMOD 2006), which forgets at random, with every article, and so never fills.
//
// A position is a cell of one to three bits. An article first takes one from each of Decrements neighbouring
// cells, from a random one on, in a ring; then it sets its own Hashes cells to the maximum, Max = 2^CellBits
// - 1. It is reported as seen while all of them are above zero. What is set and what is taken balance, so
// that the rate of unseen articles reported as seen climbs to a limit, the stable point, and stays there. The
// price is the guarantee: only the newest Max articles are certainly remembered. Of the others Remembered
// tells the chance. At a rate of 2 % in the paper's 4064 bits, 24.7 % of the articles of age 50 are forgotten
// by cells of one bit and 7.3 % by cells of two, and 66.1 % and 79.2 % of those of age 200.
//
// Chance comes from the article's ID and the history's own bytes, so that a history follows from what was
// shown. A query costs k loads, and recording an article one more for each 57 bits of cells to take from.
package stable

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"

	"dejavu/bloom"
	"dejavu/internal/bitarray"
	"dejavu/internal/mix"
	"dejavu/strategies"
)

// Config is the filter's parameters.
type Config struct {
	_          struct{}
	Cells      int // 64 to bloom.MaxBits (the m of the literature)
	CellBits   int // bits a cell, 1 to 3 (d): Max is 1, 3 or 7
	Hashes     int // cells an article sets, not necessarily distinct, 1 to bloom.MaxHashes (K)
	Decrements int // neighbouring cells an article takes one from, 1 to Cells (P)
}

// The best cells of one and two bits in the paper's 4064, at a stable rate of 2.03 and 1.89 %, for articles of age 200.
var (
	OneBit  = Config{Cells: 4064, CellBits: 1, Hashes: 3, Decrements: 8}
	TwoBits = Config{Cells: 2032, CellBits: 2, Hashes: 4, Decrements: 24}
)

const (
	minCells    = 64 // cells are read through 64-bit windows
	maxCellBits = 3
)

// A Filter is the stable-filter strategy. It implements strategies.Strategy and strategies.Theory.
type Filter struct {
	Config
	strategies.Fixed
	cells bloom.Lanes
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	// A cell is a position of CellBits lanes.
	cells, err := bloom.NewLanes(bloom.Geometry{Bits: c.Cells, Hashes: c.Hashes}, c.CellBits)
	if err := cmp.Or(
		strategies.Within("stable: Cells", c.Cells, minCells, bloom.MaxBits),
		strategies.Within("stable: CellBits", c.CellBits, 1, maxCellBits),
		strategies.Within("stable: Hashes", c.Hashes, 1, bloom.MaxHashes),
		strategies.Within("stable: Decrements", c.Decrements, 1, c.Cells),
		strategies.In("stable", err),
	); err != nil {
		return nil, err
	}
	return &Filter{c, strategies.NewFixed("stable", cells.Bytes()), cells}, nil
}

// max is what a cell holds at most (the Max of the literature).
func (c Config) max() int { return 1<<c.CellBits - 1 }

// Seen tests whether each candidate's cells are all above zero.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if f.CellBits == 1 || len(history) == 0 {
		bloom.Query(f.cells, history, 1, candidates, seen)
	} else {
		query(f.cells, history, candidates, seen)
	}
}

// Record takes from random cells and sets the article's. A newcomer's first brings the whole array.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	history = strategies.Grow(history, f.cells.Bytes())
	for _, id := range shown {
		at := start(history, f.Cells, id)
		first := min(f.Decrements, f.Cells-at)
		take(f.cells, history, at, first)
		take(f.cells, history, 0, f.Decrements-first)
		set(f.cells, history, id)
	}
	return history
}

// Validate accepts nothing, or cells of which one at least is full: those of the newest article are.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	if err := f.cells.Check("stable", history); err != nil {
		return err
	}
	if f.cellsFrom(history, f.max()) == 0 {
		return fmt.Errorf("stable: no cell holds %d, want the newest article's", f.max())
	}
	return nil
}

// Fill counts the cells above zero, and all of them.
func (f *Filter) Fill(history []byte) (ones, of int) { return f.cellsFrom(history, 1), f.Cells }

// cellsFrom counts the cells that hold a value or more.
func (f *Filter) cellsFrom(history []byte, value int) (n int) {
	for bit := 0; bit < f.Cells*f.CellBits && len(history) > 0; bit += f.CellBits {
		if bitarray.Read(history, bit, f.CellBits) >= uint64(value) {
			n++
		}
	}
	return n
}

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
		product, found := mix.Mix(uint64(id)), ^uint64(0)
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
	m, digits, product := uint64(g.Bits), g.Digits(), mix.Mix(uint64(id))
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

// take takes one from each of n neighbouring cells, where there is one: as many at a time as a window holds, 57 bits.
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
	x := mix.Mix(uint64(id)) ^ 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	at := x >> 32 * uint64(len(array)-7) >> 32
	x ^= binary.LittleEndian.Uint64(array[at:])
	x = (x ^ x>>27) * 0x94d049bb133111eb
	x = (x ^ x>>31) * 0xbf58476d1ce4e5b9
	return int(x >> 32 * uint64(cells) >> 32)
}
