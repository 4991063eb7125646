// Package counting is a Bloom filter that can take articles back: a counter of
// four bits stands where package single has a bit.
//
// The problem is a reader who wants to see an article again, or was never shown
// it after all. A bit cannot be cleared, for others may have set it too; a
// counter says how many did (Fan, Cao, Almeida and Broder, "Summary Cache",
// IEEE/ACM Transactions on Networking 8(3), 2000, §V). Recording an article adds
// one to the counters of its positions, each once, deleting it takes one away,
// and it is taken for seen while none of them is 0. A counter above 0 is a bit
// of package single's filter, so that the rates are the same at the same
// geometry.
//
// The guarantee: nothing recorded is forgotten, unless Delete is asked to take
// back what never was recorded. A false positive that is deleted takes its ones
// from the counters of others, and whoever stood alone in one of them is lost:
// four articles of 500 at the paper's geometry (LostByOne). Who deletes, must
// know that the article was recorded; the filter's word does not do.
//
// A counter ends at 15 and then stays there, for nobody knows how many came
// after. Its position counts as set forever, so that nothing is forgotten on its
// account; an article all of whose positions have come to that cannot be deleted
// any more. Distinct articles within the capacity hardly ever get there
// (Saturated: one counter in 3·10^14 at 500 articles); one article recorded 15
// times does.
//
// The price is memory, four bits for one, 2032 bytes in the paper's geometry. A
// query costs k loads. Like package single's filter it never stops filling.
package counting

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
	Geometry bloom.Geometry // counters, one a bit of the Bloom filter, and hashes
}

// Paper is the paper's single filter (§5) with counters for bits: 4064 of them
// and 6 hashes for 500 articles.
var Paper = Config{Capacity: 500, Geometry: bloom.Geometry{Bits: 4064, Hashes: 6}}

// Sized returns the smallest filter whose false-positive rate is at most fpr, in
// (0, 1), when window articles were read; bloom.BestGeometry says which. Nothing
// is ever forgotten, so that the window is guaranteed at every moment, but the
// rate goes on rising with the articles beyond it. It returns an error where
// window is below 1 or no geometry meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	if window < 1 {
		return Config{}, fmt.Errorf("counting: window is %d, want at least 1", window)
	}
	if !(fpr > 0 && fpr < 1) {
		return Config{}, fmt.Errorf("counting: fpr is %v, want it between 0 and 1, both excluded", fpr)
	}
	geometry, err := bloom.BestGeometry(window, fpr)
	if err != nil {
		return Config{}, fmt.Errorf("counting: %d articles at %v: %w", window, fpr, err)
	}
	return Config{Capacity: window, Geometry: geometry}, nil
}

// A Filter is the counting-filter strategy. It implements strategies.Strategy,
// strategies.Theory and strategies.Deleter.
type Filter struct {
	geometry bloom.Geometry
	capacity int
	sizes    []int
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if c.Capacity < 1 {
		return nil, fmt.Errorf("counting: Capacity is %d, want at least 1", c.Capacity)
	}
	if err := c.Geometry.Validate(); err != nil {
		return nil, fmt.Errorf("counting: %w", err)
	}
	return &Filter{geometry: c.Geometry, capacity: c.Capacity, sizes: []int{(c.Geometry.Bits + 1) / 2}}, nil
}

// most is where a counter ends.
const most = 15

// Seen tests each candidate against the counters.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 {
		clear(seen)
		return
	}
	query(f.geometry, history, candidates, seen)
}

// Record adds one to each article's counters. A newcomer's first article brings
// the whole array.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	if len(history) == 0 {
		history = slices.Grow(history, f.sizes[0])[:f.sizes[0]]
		clear(history)
	}
	var array [bloom.MaxHashes]uint32
	for _, id := range shown {
		for _, at := range distinct(&array, f.geometry, id) {
			if count(history, at) < most {
				history[at/2] += one(at)
			}
		}
	}
	return history
}

// Delete takes one off each article's counters, where all of them are above 0
// and none of those that are not at their end (see strategies.Deleter). The
// history keeps its length, even where nothing is left of it.
func (f *Filter) Delete(history []byte, articles []strategies.ID) []byte {
	if len(history) == 0 {
		return history
	}
	var array [bloom.MaxHashes]uint32
	for _, id := range articles {
		positions := distinct(&array, f.geometry, id)
		if slices.ContainsFunc(positions, func(at uint32) bool { return count(history, at) == 0 }) {
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

// Sizes is the one length a history has: half a byte a counter, rounded up.
func (f *Filter) Sizes() []int { return f.sizes }

// Validate accepts nothing, or one filter's counters. All of them may be 0, when
// everything was taken back, and beyond that they can be anything: deleting
// false positives leaves any pattern there is.
func (f *Filter) Validate(history []byte) error {
	switch {
	case len(history) == 0:
		return nil
	case len(history) != f.sizes[0]:
		return fmt.Errorf("counting: history of %d bytes, want 0 or %d", len(history), f.sizes[0])
	case f.geometry.Bits%2 == 1 && history[len(history)-1] > most:
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

// Capacity is the number of articles that the filter is sized for.
func (f *Filter) Capacity() int { return f.capacity }
