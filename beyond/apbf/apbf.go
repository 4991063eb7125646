// Package apbf is the age-partitioned Bloom filter of Shtul, Baquero and
// Almeida, "Age-Partitioned Bloom Filters", 2020 (arXiv 2001.03147): a Bloom
// filter for the newest articles that forgets the oldest a little at a time.
//
// It is a wheel of k+l slices, each with a hash of its own. An article sets one
// bit in each of the k youngest slices. After g articles, a generation, the
// wheel shifts: the oldest slice is cleared and becomes the youngest. An article
// counts as seen where k consecutive slices hold its bit, so it survives l
// shifts for certain, and the newest l*g+1 (just after a shift) to (l+1)*g
// articles are always recognised. Older ones fade as the wheel clears their
// slices one after the other (Remembered). With slices of k*g/ln 2 bits about
// half of a full slice is ones.
//
// The slack is one generation, where a chain's is one link; the price is that
// k consecutive matches turn up by chance in many places. For 400 articles at a
// true 2 % it takes 891 bytes, where a chain sized for its union takes 723; its
// slack is 10 articles instead of 100.
package apbf

import (
	"fmt"
	"math"

	"dejavu/bloom"
)

// Config is the filter's parameters.
type Config struct {
	_          struct{}
	Hashes     int // k, the slices that an article is entered into, 1 to 64
	Shifts     int // l, the shifts that an article survives, 1 or more; k+l is at most 255
	Generation int // g, articles between two shifts, 1 to 65535
	Bits       int // of one slice, 2 or more; all slices together have at most bloom.MaxBits
}

const (
	maxHashes     = 64
	maxSlices     = math.MaxUint8
	maxGeneration = math.MaxUint16
	maxLanes      = 25 // of a position in one 32-bit load
)

// Two of the pairs (k, l) that are published for a rate, with slices of the
// paper's size for a window of 400: the rate is met when a generation begins,
// and exceeded at its end, to 1.1 % and 0.15 %.
var (
	Percent  = Paper(8, 8, 50)
	Permille = Paper(10, 7, 57)
)

// Paper returns the configuration with the paper's slices of ⌈k*g/ln 2⌉ bits,
// of which half are ones when they are full.
func Paper(hashes, shifts, generation int) Config {
	bits := math.Ceil(float64(hashes) * float64(generation) / math.Ln2)
	return Config{Hashes: hashes, Shifts: shifts, Generation: generation, Bits: int(bits)}
}

// validate returns an error that names the field out of range.
func (c Config) validate() error {
	switch {
	case c.Hashes < 1 || c.Hashes > maxHashes:
		return fmt.Errorf("apbf: Hashes is %d, want 1 to %d", c.Hashes, maxHashes)
	case c.Shifts < 1 || c.Shifts > maxSlices-c.Hashes:
		return fmt.Errorf("apbf: Shifts is %d, want 1 to %d", c.Shifts, maxSlices-c.Hashes)
	case c.Generation < 1 || c.Generation > maxGeneration:
		return fmt.Errorf("apbf: Generation is %d, want 1 to %d", c.Generation, maxGeneration)
	}
	if most := bloom.MaxBits / c.slices(); c.Bits < 2 || c.Bits > most {
		return fmt.Errorf("apbf: Bits is %d, want 2 to %d", c.Bits, most)
	}
	return nil
}

func (c Config) slices() int { return c.Hashes + c.Shifts }

// headerBytes follow the lanes: the articles of the youngest generation in 16
// bits, little-endian, then the youngest slice. They are bloom.Slack.
const headerBytes = 3

// A Filter is the age-partitioned strategy. It implements strategies.Strategy
// and strategies.Theory.
//
// Slices whose articles have nothing in common may share a hash, and those k or
// more apart on the wheel have none. So slice p has hash p mod rows, where rows
// is at least k and divides k+l; the slices of a hash lie bit-sliced, as lanes
// p/rows, and one load at an article's position brings its bit in all of them.
// Where k divides l, rows is k, and a query is k loads; Sized sees to that. A
// newcomer's history has one lane, k slices, and grows by a lane at a time.
type Filter struct {
	Config
	rows  int   // hashes in use
	lanes int   // slices to a hash
	sizes []int // sizes[i] is the length of a history of i+1 lanes
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	f := &Filter{Config: c, lanes: 1}
	for lanes := 2; lanes <= min(maxLanes, c.slices()/c.Hashes); lanes++ {
		rows := c.slices() / lanes
		if rows*lanes == c.slices() && rows*c.Bits >= bloom.MinLaneBits {
			f.lanes = lanes
		}
	}
	f.rows = c.slices() / f.lanes
	for lanes := 1; lanes <= f.lanes; lanes++ {
		f.sizes = append(f.sizes, f.array(lanes).Bytes()+headerBytes)
	}
	return f, nil
}

// array describes the slices of a history of so many lanes as the lanes of
// package bloom: the positions of hash 0, then those of hash 1, and so on.
func (f *Filter) array(lanes int) bloom.Lanes {
	return bloom.Lanes{Geometry: bloom.Geometry{Bits: f.rows * f.Bits, Hashes: f.Hashes}, Count: lanes}
}

// HeaderBytes is how many bytes of every history are header.
func (f *Filter) HeaderBytes() int { return headerBytes }

// Sizes is one lane of slices to all of them, each with the header.
func (f *Filter) Sizes() []int { return f.sizes }
