package main

import (
	"fmt"
	"math"
	"sort"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/dual"
	"dejavu/queue"
	"dejavu/single"
)

// A kind is a strategy whose parameters are still open. What a choice of them
// promises is asked of the strategy they make (strategies.Theory), never
// computed here.
type kind struct {
	name  string
	links int // of a chain; 0 for the others
	lanes int // that a query asks when the history is longest; 0 for the queue, which has none
	least int // bits that a filter must have

	// wears is for a strategy that never forgets: its capacity is how many
	// articles it is to hold its rate for, not what a window asks for.
	wears bool

	// turn is the articles shown when a turn begins and when it ends, past the
	// first: the window is smallest at the one, the rate highest at the other.
	turn func(capacity int) (first, last int)

	construct func(shape) (strategy, error)
	source    func(shape) string // of an expression that constructs it
}

// A shape is a choice of parameters.
type shape struct {
	capacity int            // articles: of the queue, a filter or a link
	geometry bloom.Geometry // not of the queue
}

// bitless is any geometry, for questions that do not depend on it.
var bitless = bloom.Geometry{Bits: bloom.MinLaneBits, Hashes: 1}

// families are the strategies of the paper, each in all its kinds: a chain of
// another number of links is another kind.
var families = [][]kind{{queueKind}, {singleKind}, {dualKind}, chainKinds()}

var queueKind = kind{
	name: "queue",
	turn: func(capacity int) (first, last int) { return capacity, capacity },
	construct: func(s shape) (strategy, error) {
		return queue.New(queue.Config{Window: s.capacity})
	},
	source: func(s shape) string {
		return fmt.Sprintf("queue.New(queue.Config{Window: %d})", s.capacity)
	},
}

var singleKind = kind{
	name: "single", lanes: 1, least: 1, wears: true,
	turn: func(capacity int) (first, last int) { return 1, capacity },
	construct: func(s shape) (strategy, error) {
		return single.New(single.Config{Capacity: s.capacity, Geometry: s.geometry})
	},
	source: func(s shape) string {
		return fmt.Sprintf("single.New(single.Config{Capacity: %d, Geometry: %s})", s.capacity, geometrySource(s.geometry))
	},
}

// The dual filter's capacity is twice its threshold: the slave then holds half
// of it when it takes over. A later threshold leaves the slave less, and asks
// for larger filters to leave as much; an earlier one New does not accept.
var dualKind = kind{
	name: "dual", lanes: 2, least: bloom.MinLaneBits,
	turn: func(capacity int) (first, last int) {
		return capacity, capacity + threshold(capacity) - 1
	},
	construct: func(s shape) (strategy, error) {
		return dual.New(dual.Config{Capacity: s.capacity, Threshold: threshold(s.capacity), Geometry: s.geometry})
	},
	source: func(s shape) string {
		return fmt.Sprintf("dual.New(dual.Config{Capacity: %d, Threshold: %d, Geometry: %s})",
			s.capacity, threshold(s.capacity), geometrySource(s.geometry))
	},
}

// threshold is half of a dual filter's capacity.
func threshold(capacity int) int { return (capacity + 1) / 2 }

func chainKinds() (kinds []kind) {
	for links := 2; links <= chain.MaxLinks; links++ {
		kinds = append(kinds, kind{
			name: "chain", links: links, lanes: links, least: bloom.MinLaneBits,
			turn: func(capacity int) (first, last int) { return (links-1)*capacity + 1, links * capacity },
			construct: func(s shape) (strategy, error) {
				return chain.New(chain.Config{Links: links, Capacity: s.capacity, Geometry: s.geometry})
			},
			source: func(s shape) string {
				return fmt.Sprintf("chain.New(chain.Config{Links: %d, Capacity: %d, Geometry: %s})",
					links, s.capacity, geometrySource(s.geometry))
			},
		})
	}
	return kinds
}

func geometrySource(g bloom.Geometry) string {
	return fmt.Sprintf("bloom.Geometry{Bits: %d, Hashes: %d}", g.Bits, g.Hashes)
}

// window is how many articles are remembered at every moment, once as many have
// been shown.
func (k kind) window(s shape) (int, error) {
	strategy, err := k.construct(s)
	if err != nil {
		return 0, err
	}
	first, last := k.turn(s.capacity)
	if k.wears {
		return strategy.Window(last), nil
	}
	return strategy.Window(first), nil
}

// rate is the false positive rate at the worst moment, and bytes the length of
// the longest history; both are those of the end of a turn. A shape that is out
// of range knows nothing from anything, and has no length that would do.
func (k kind) rate(s shape) float64 {
	strategy, err := k.construct(s)
	if err != nil {
		return 1
	}
	_, last := k.turn(s.capacity)
	return strategy.FPR(last)
}

func (k kind) bytes(s shape) int {
	strategy, err := k.construct(s)
	if err != nil {
		return math.MaxInt
	}
	_, last := k.turn(s.capacity)
	return strategy.Bytes(last)
}

// capacity is the least that promises the window, or an error that says which
// field would be out of range.
func (k kind) capacity(window int) (int, error) {
	capacity := 1 + sort.Search(2*window, func(i int) bool {
		promised, err := k.window(shape{1 + i, bitless})
		// Too small is an error for dual, too large for all.
		return err == nil && promised >= window || err != nil && i > 1
	})
	_, err := k.construct(shape{capacity, bitless})
	return capacity, err
}

// sharpest is the shape of the lowest rate in so many bits, and that rate. With
// more and more hashes the rate falls to a minimum and rises from there, which
// the textbook's optimum is next to.
func (k kind) sharpest(capacity, bits int) (shape, float64) {
	at := func(hashes int) (shape, float64) {
		s := shape{capacity, bloom.Geometry{Bits: bits, Hashes: hashes}}
		return s, k.rate(s)
	}
	hashes := int(min(max(math.Round(float64(bits)/float64(capacity)*math.Ln2), 1), bloom.MaxHashes))
	best, lowest := at(hashes)
	for _, step := range []int{1, -1} {
		for h := hashes + step; h >= 1 && h <= bloom.MaxHashes; h += step {
			s, rate := at(h)
			if rate >= lowest {
				break
			}
			best, lowest = s, rate
		}
	}
	return best, lowest
}

// smallest is the shape of the fewest bits whose rate is at most fpr, of those
// the one of the fewest hashes, where one of at most so many bits is; it relies on
// the rate falling as bits are added.
func (k kind) smallest(capacity int, fpr float64, most int) (shape, bool) {
	meets := func(bits int) bool {
		_, rate := k.sharpest(capacity, bits)
		return rate <= fpr
	}
	if most < k.least || !meets(most) {
		return shape{}, false
	}
	// From below in doubling steps: filters are far smaller than they may be.
	step := capacity
	low := k.least
	for low+step < most && !meets(low+step) {
		low, step = low+step, 2*step
	}
	high := min(low+step, most)
	bits := low + sort.Search(high-low, func(i int) bool { return meets(low + i) })
	s, _ := k.sharpest(capacity, bits)
	for s.geometry.Hashes > 1 {
		fewer := s
		fewer.geometry.Hashes--
		if k.rate(fewer) > fpr {
			break
		}
		s = fewer
	}
	return s, true
}

// mostBits is how many bits a filter may have for a history of at most so many
// bytes; fewer than least where none fits.
func (k kind) mostBits(capacity, bytes int) int {
	most := bloom.MaxBits
	if bytes < most/8 {
		most = 8 * max(bytes, 0)
	}
	return k.least - 1 + sort.Search(max(most-k.least+1, 0), func(i int) bool {
		return k.bytes(shape{capacity, bloom.Geometry{Bits: k.least + i, Hashes: 1}}) > bytes
	})
}
