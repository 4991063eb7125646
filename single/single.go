// Package single implements the paper's §5: one Bloom filter a user, never cleared.
//
// It is the smallest memory that can hold a user's 500 articles, 508 bytes instead of 4000, and never forgets. But it
// never stops filling either: the false positive rate climbs from 2 % at 500 articles to 21 % at 1000 and 93 % at
// 3000. A query costs k loads; a history is exactly the filter's bits.
package single

import (
	"cmp"
	"math"

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

// Sized returns the configuration of the fewest bits whose false positive rate is at most fpr, in (0, 1), up to so
// many articles. It is a capacity, and no window that moves on: after more articles the rate grows without bound.
func Sized(window int, fpr float64) (Config, error) {
	g, err := bloom.BestGeometry(window, fpr)
	return Config{Capacity: window, Geometry: g}, strategies.In("single", err)
}

// A Filter is the single-filter strategy. It implements strategies.Strategy and strategies.Theory.
type Filter struct {
	strategies.Fixed
	bloom.Theory
	lane bloom.Lanes
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	lane, err := bloom.NewLanes(c.Geometry, 1)
	err = cmp.Or(strategies.Within("single: Capacity", c.Capacity, 1, math.MaxInt), strategies.In("single", err))
	if err != nil {
		return nil, err
	}
	return &Filter{strategies.NewFixed("single", c, lane.Bytes()), bloom.NewTheory(c.Geometry, bloom.All), lane}, nil
}

// Seen tests each candidate against the filter.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	bloom.Query(f.lane, history, 1, candidates, seen)
}

// Record sets the articles' bits. A newcomer's first article brings the whole array.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	history = strategies.Grow(history, f.lane.Bytes())
	bloom.Insert(f.lane, history, 1, shown)
	return history
}

// Validate accepts nothing, or one filter's bits with at least one of them set.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	return f.lane.Check("single", history, bloom.Some)
}

// Fill counts the set bits in the array that answers, and its bits.
func (f *Filter) Fill(history []byte) (ones, of int) { return f.lane.Fill(history, 1) }
