// Package counting is a Bloom filter that can take articles back: a counter of four bits stands where package single
// has a bit (Fan, Cao, Almeida and Broder, "Summary Cache", IEEE/ACM Transactions on Networking 8(3), 2000, §V).
//
// Recording an article adds one to the counters of its positions, each once, deleting it takes one away, and
// it is reported as seen while no counter of its is 0: the rates are package single's at the same geometry.
// Nothing recorded is forgotten, unless Delete is asked to take back what never was recorded. A false
// positive that is deleted takes its ones from the counters of others, four articles of 500 at the paper's
// geometry (LostByOne). So what is to be deleted has to be known from elsewhere.
//
// A counter ends at 15 and then stays there, for nobody knows how many came after: an article that is
// recorded 15 times cannot be deleted. The price is memory, four bits for one, 2032 bytes in the paper's
// geometry. A query costs k loads. Like package single's filter it never stops filling.
package counting

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
	"slices"

	"dejavu/bloom"
	"dejavu/internal/mix"
	"dejavu/strategies"
)

// Config is one filter's parameters.
type Config struct {
	_        struct{}
	Capacity int            // articles that the geometry is meant for, at least 1
	Geometry bloom.Geometry // counters, one a bit of the Bloom filter, and hashes
}

// Paper is the paper's single filter (§5) with counters for bits: 4064 of them and 6 hashes for 500 articles.
var Paper = Config{Capacity: 500, Geometry: bloom.Geometry{Bits: 4064, Hashes: 6}}

// Sized returns the smallest filter whose false-positive rate is at most fpr, in (0, 1), when window articles were
// read (bloom.BestGeometry). Nothing is ever forgotten, but the rate goes on rising with the articles beyond it.
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

// Record adds one to each article's counters. A newcomer's first article brings the whole array.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	history = strategies.Grow(history, f.Bytes(1))
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

// Delete takes one off each article's counters, where all of them are above 0 and none of those that are not
// at their end (see strategies.Deleter). The history keeps its length, even where nothing is left of it.
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

// Validate accepts nothing, or one filter's counters. All of them may be 0, when everything was taken back,
// and beyond that they can be anything: deleting false positives leaves any pattern there is.
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

// LostByOne is how many of read articles are forgotten, in the mean, by taking a false positive back: n·(1 −
// e(n−1)/e(n)).
//
// Deleting the false positive y makes the filter forget x where y would not be one if x had not been recorded. So x
// survives together with y's being a false positive exactly where y is one of a filter of the n−1 others, with the
// chance e(n−1). Counters at their end are left out of account. It is about k·λ/(e^λ − 1) with λ = kn/m.
func (f *Filter) LostByOne(read int) float64 {
	if read < 1 {
		return 0
	}
	return float64(read) * (1 - f.FPR(read-1)/f.FPR(read))
}

// Counter p is the low half of byte p/2 where p is even, and the high half where it is odd.

func count(history []byte, at uint32) byte { return history[at/2] >> (at % 2 * 4) & 15 }

// one is what a counter's byte grows by when the counter does.
func one(at uint32) byte { return 1 << (at % 2 * 4) }

// distinct puts an article's positions into dst, each once, however many of its probes meet there: a counter counts
// articles. Few articles' probes meet, so it looks whether any do, without a branch, before it looks which.
func distinct(dst *[bloom.MaxHashes]uint32, g bloom.Geometry, id strategies.ID) []uint32 {
	m, digits, product := uint64(g.Bits), g.Digits(), mix.Mix(uint64(id))
	positions := dst[:g.Hashes]
	met := uint64(0) // its top bit is set where two probes meet
	for first := 0; first < g.Hashes; first += digits {
		x := product
		for i := first; i < min(first+digits, g.Hashes); i++ {
			var at uint64
			at, x = bits.Mul64(x, m)
			for _, before := range positions[:i] {
				met |= (uint64(before) ^ at) - 1
			}
			positions[i] = uint32(at)
		}
		product *= bloom.Multiplier
	}
	if met>>63 == 0 {
		return positions
	}
	n := 0
	for _, at := range positions {
		if !slices.Contains(positions[:n], at) {
			positions[n] = at
			n++
		}
	}
	return positions[:n]
}

// query sets seen[i] to whether none of the counters of candidates[i] is 0, without a branch: a half byte and 15 are
// 16 or more where it is not 0. The probes are bloom.Geometry.Positions, written out and tested against it.
func query(g bloom.Geometry, history []byte, candidates []strategies.ID, seen []bool) {
	seen = seen[:len(candidates)]
	m, digits := uint64(g.Bits), g.Digits()
	for i, id := range candidates {
		product, found := mix.Mix(uint64(id)), byte(16)
		for left := g.Hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var at uint64
				at, x = bits.Mul64(x, m)
				found &= history[at>>1]>>(at&1*4)&15 + 15
			}
			product *= bloom.Multiplier
		}
		seen[i] = found != 0
	}
}
