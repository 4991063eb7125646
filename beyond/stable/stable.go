// Package stable is the stable Bloom filter of Deng and Rafiei ("Approximately detecting duplicates for
// streaming data using stable Bloom filters", SIGMOD 2006): a filter that forgets at random, a little with
// every article, and so never fills.
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
	"fmt"

	"dejavu/bloom"
	"dejavu/internal/bitarray"
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

// The best cells of one bit and of two in the paper's 4064 bits, at a stable
// rate of about 2 % (2.03 and 1.89), for articles of age 200.
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
