// Package single is the paper's §5: one Bloom filter a reader, never cleared.
//
// It is the smallest memory that can hold a reader's 500 articles, 508 bytes
// instead of 4000, and the only one that never forgets. The price is that it
// never stops filling either: past its capacity nothing breaks, but the false
// positive rate climbs, from 2 % at 500 articles to 21 % at 1000 and 93 % at
// 3000.
//
// A query costs k loads; a history is exactly the filter's bits.
package single

import (
	"errors"
	"fmt"
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Config is one filter's parameters.
type Config struct {
	_        struct{}
	Capacity int            // articles that the geometry is meant for, at least 1
	Geometry bloom.Geometry // bits and hashes
}

// Paper is the configuration of §5: 4064 bits and 6 hashes for 500 articles.
var Paper = Config{Capacity: 500, Geometry: bloom.Geometry{Bits: 4064, Hashes: 6}}

// A Filter is the single-filter strategy. It implements strategies.Strategy
// and strategies.Theory.
type Filter struct {
	lane     bloom.Lanes
	capacity int
	sizes    []int
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if c.Capacity < 1 {
		return nil, fmt.Errorf("single: Capacity is %d, want at least 1", c.Capacity)
	}
	if err := c.Geometry.Validate(); err != nil {
		return nil, fmt.Errorf("single: %w", err)
	}
	lane := bloom.Lanes{Geometry: c.Geometry, Count: 1}
	return &Filter{lane: lane, capacity: c.Capacity, sizes: []int{lane.Bytes()}}, nil
}

// Seen tests each candidate against the filter.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 {
		clear(seen)
		return
	}
	bloom.Query(f.lane, history, 1, candidates, seen)
}

// Record sets the articles' bits. A newcomer's first article brings the whole array.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	if len(history) == 0 {
		history = slices.Grow(history, f.sizes[0])[:f.sizes[0]]
		clear(history)
	}
	bloom.Insert(f.lane, history, 1, shown)
	return history
}

// Sizes is the one length a history has: Bits/8 bytes, rounded up.
func (f *Filter) Sizes() []int { return f.sizes }

// Validate accepts nothing, or one filter's bits with at least one of them set.
func (f *Filter) Validate(history []byte) error {
	switch {
	case len(history) == 0:
		return nil
	case len(history) != f.sizes[0]:
		return fmt.Errorf("single: history of %d bytes, want 0 or %d", len(history), f.sizes[0])
	case f.lane.Padded(history):
		return fmt.Errorf("single: a bit is set beyond the filter's %d", f.lane.Bits)
	case f.lane.Ones(history, 1) == 0:
		return errors.New("single: a history without one bit set, want at least one article's")
	}
	return nil
}

// Fill counts the ones in the array that answers, and its bits.
func (f *Filter) Fill(history []byte) (ones, of int) {
	if len(history) == 0 {
		return 0, f.lane.Bits
	}
	return f.lane.Ones(history, 1), f.lane.Bits
}

// Capacity is the number of articles that the filter is sized for.
func (f *Filter) Capacity() int { return f.capacity }
