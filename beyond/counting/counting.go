// Package counting implements a Bloom filter that can delete articles: a counter of four bits replaces each bit (Fan,
// Cao, Almeida and Broder, "Summary Cache", IEEE/ACM Transactions on Networking 8(3), 2000, §V).
//
// Recording an article adds one to each counter at its positions; deleting it subtracts one. An article is reported as
// seen while none of its counters is 0, so the rates are package single's, at four times the memory. Deleting a false
// positive takes its ones from other articles and forgets some, four of 500 at the paper's geometry (LostByOne). So
// delete only what is known from elsewhere to be recorded. A counter that reaches 15 stays there.
package counting

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Config holds the filter's parameters.
type Config struct {
	_        struct{}
	Capacity int            // articles that the geometry is meant for, at least 1
	Geometry bloom.Geometry // counters, one a bit of the Bloom filter, and hashes
}

// Paper is the paper's single filter (§5) with counters for bits: 4064 of them and 6 hashes for 500 articles.
var Paper = Config{Capacity: 500, Geometry: bloom.Geometry{Bits: 4064, Hashes: 6}}

// Sized returns the smallest filter whose rate is at most fpr, in (0, 1), after window articles (bloom.BestGeometry).
func Sized(window int, fpr float64) (Config, error) {
	g, err := bloom.BestGeometry(window, fpr)
	return Config{Capacity: window, Geometry: g}, strategies.In("counting", err)
}

// A Filter is the strategy. It implements strategies.Strategy, strategies.Theory and strategies.Deleter.
type Filter struct {
	strategies.Fixed
	bloom.Theory // a counter above 0 is a bit of the filter
	geometry     bloom.Geometry
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if err := cmp.Or(
		strategies.Within("counting: Capacity", c.Capacity, 1, math.MaxInt),
		strategies.In("counting", c.Geometry.Validate()),
	); err != nil {
		return nil, err
	}
	layout := strategies.NewFixed("counting", c, (c.Geometry.Bits+1)/2) // half a byte a counter
	return &Filter{layout, bloom.NewTheory(c.Geometry, bloom.All), c.Geometry}, nil
}

const most = 15

// Seen tests each candidate against the counters, without a branch: a counter and 15 are 16 or more if it is not 0.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 {
		clear(seen)
		return
	}
	var array [bloom.MaxHashes]int
	for i, id := range candidates {
		found := byte(16)
		for _, at := range f.geometry.Positions(array[:0], uint64(id)) {
			found &= count(history, at) + 15
		}
		seen[i] = found != 0
	}
}

// Record adds one to each article's counters. A newcomer's first article brings the whole array.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	history = strategies.Grow(history, f.Bytes(1))
	var array [bloom.MaxHashes]int
	for _, id := range shown {
		for _, at := range distinct(&array, f.geometry, id) {
			if count(history, at) < most {
				history[at/2] += one(at)
			}
		}
	}
	return history
}

// Delete takes one off each article's counters, if all are above 0; those at 15 stay (see strategies.Deleter).
func (f *Filter) Delete(history []byte, articles []strategies.ID) []byte {
	if len(history) == 0 {
		return history
	}
	var array [bloom.MaxHashes]int
	for _, id := range articles {
		positions := distinct(&array, f.geometry, id)
		if slices.ContainsFunc(positions, func(at int) bool { return count(history, at) == 0 }) {
			continue // nobody recorded it
		}
		for _, at := range positions {
			if count(history, at) < most {
				history[at/2] -= one(at)
			}
		}
	}
	return history
}

// Validate accepts nothing, or one filter's counters, which can be anything.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	if f.geometry.Bits%2 == 1 && history[len(history)-1] > most {
		return errors.New("counting: a counter is set beyond the last of the filter")
	}
	return nil
}

// Fill counts the counters above 0, and all.
func (f *Filter) Fill(history []byte) (ones, of int) {
	for _, pair := range history {
		if pair&15 != 0 {
			ones++
		}
		if pair>>4 != 0 {
			ones++
		}
	}
	return ones, f.geometry.Bits
}

// LostByOne returns how many of read articles are forgotten, on average, by deleting a false positive: n·(1 −
// e(n−1)/e(n)). An article survives if the others alone, at e(n−1), make it. Counters at 15 are ignored.
func (f *Filter) LostByOne(read int) float64 {
	if read < 1 {
		return 0
	}
	return float64(read) * (1 - f.FPR(read-1)/f.FPR(read))
}

// Counter p is the low half of byte p/2 if p is even, and the high half if it is odd.

func count(history []byte, at int) byte { return history[at/2] >> (at % 2 * 4) & 15 }

// one returns what to add to a counter's byte to increment the counter.
func one(at int) byte { return 1 << (at % 2 * 4) }

// distinct returns an article's positions, each once: a counter counts articles.
func distinct(array *[bloom.MaxHashes]int, g bloom.Geometry, id strategies.ID) []int {
	positions, n := g.Positions(array[:0], uint64(id)), 0
	for _, at := range positions {
		if !slices.Contains(positions[:n], at) {
			positions[n] = at
			n++
		}
	}
	return positions[:n]
}
