// Package dual is the paper's §6: two Bloom filters that take turns.
//
// The master answers. Once it holds Threshold articles (300 in the paper) a
// slave is created, and further articles go to both; when the master reaches
// Capacity (500) the slave takes its place, holding the last Capacity -
// Threshold (200), and the old master is cleared. So the filter never wears
// out: between 200 and 500 of the most recent articles are remembered for
// certain, at a false positive rate between 0.03 % and 2.03 %.
//
// A history is one lane while there is no slave, and two bit-sliced lanes
// while there is: 508 or 1016 bytes in the paper's geometry, and 4 of header.
// A query costs k loads in either case.
package dual

import (
	"encoding/binary"
	"fmt"
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Config is the two filters' parameters.
type Config struct {
	_         struct{}
	Capacity  int            // articles at which the slave takes over (the paper's N), 2 to 2^24-1
	Threshold int            // articles from which the slave is filled too (X), Capacity/2 to Capacity-1
	Geometry  bloom.Geometry // of each of the two, at least bloom.MinLaneBits bits
	Blanked   bool           // the old master's array is kept, blank, for the next slave, not freed
}

// The paper's configuration in both readings of "the original master is
// cleared": its array is freed until the next slave needs one, or it is kept
// and blanked. They differ in memory only.
var (
	Paper        = Config{Capacity: 500, Threshold: 300, Geometry: bloom.Geometry{Bits: 4064, Hashes: 6}}
	PaperBlanked = Config{Capacity: 500, Threshold: 300, Geometry: bloom.Geometry{Bits: 4064, Hashes: 6}, Blanked: true}
)

// maxCapacity is what the header's 24-bit count can hold.
const maxCapacity = 1<<24 - 1

// headerBytes follow the lanes: the master's count of articles in the low 24
// bits of a little-endian word, and its lane above them.
const headerBytes = 4

// A Filter is the dual-filter strategy. It implements strategies.Strategy and
// strategies.Theory.
type Filter struct {
	one, two  bloom.Lanes
	capacity  int
	threshold int
	blanked   bool
	sizes     []int
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if c.Capacity < 2 || c.Capacity > maxCapacity {
		return nil, fmt.Errorf("dual: Capacity is %d, want 2 to %d", c.Capacity, maxCapacity)
	}
	// With an earlier threshold the slave would need a slave of its own.
	if least := (c.Capacity + 1) / 2; c.Threshold < least || c.Threshold >= c.Capacity {
		return nil, fmt.Errorf("dual: Threshold is %d, want %d to %d, half of Capacity to one below it",
			c.Threshold, least, c.Capacity-1)
	}
	if err := c.Geometry.Validate(); err != nil {
		return nil, fmt.Errorf("dual: %w", err)
	}
	if c.Geometry.Bits < bloom.MinLaneBits {
		return nil, fmt.Errorf("dual: Geometry.Bits is %d, want at least %d", c.Geometry.Bits, bloom.MinLaneBits)
	}
	f := &Filter{
		one:      bloom.Lanes{Geometry: c.Geometry, Count: 1},
		two:      bloom.Lanes{Geometry: c.Geometry, Count: 2},
		capacity: c.Capacity, threshold: c.Threshold, blanked: c.Blanked,
	}
	f.sizes = []int{f.one.Bytes() + headerBytes, f.two.Bytes() + headerBytes}
	return f, nil
}

// state is what the header says.
type state struct {
	count  int // articles in the master
	master int // its lane
}

func load(history []byte) state {
	word := binary.LittleEndian.Uint32(history[len(history)-headerBytes:])
	return state{count: int(word & maxCapacity), master: int(word >> 24)}
}

func (s state) store(history []byte) {
	binary.LittleEndian.PutUint32(history[len(history)-headerBytes:], uint32(s.count|s.master<<24))
}

// lanes is the array's layout by the history's length.
func (f *Filter) lanes(history []byte) bloom.Lanes {
	if len(history) == f.sizes[1] {
		return f.two
	}
	return f.one
}

// Seen tests each candidate against the master.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 {
		clear(seen)
		return
	}
	bloom.Query(f.lanes(history), history, 1<<load(history).master, candidates, seen)
}

// Record adds the articles to the master and, from the threshold on, to the
// slave. A long list costs what remains of it: the array grows once, and
// articles that the list itself makes the filter forget are not written.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	var s state
	if len(history) > 0 {
		s = load(history)
	}
	if remains := f.held(s.count + len(shown)); s.count+len(shown) >= f.capacity && remains <= len(shown) {
		// A filter that begins with these holds the same.
		promotions := 1 + (s.count+len(shown)-f.capacity)/f.threshold
		shown = shown[len(shown)-remains:]
		if f.blanked {
			history = f.grow(history[:0], true)
			s = state{master: (s.master + promotions) % 2}
		} else {
			history, s = history[:0], state{}
		}
	}
	for len(shown) > 0 {
		history = f.grow(history, s.count+len(shown) >= f.threshold)
		into, until := uint64(1)<<s.master, f.threshold
		if s.count >= f.threshold {
			into, until = 3, f.capacity
		}
		n := min(len(shown), until-s.count)
		bloom.Insert(f.lanes(history), history, into, shown[:n])
		s.count += n
		shown = shown[n:]
		if s.count == f.capacity {
			history, s = f.promote(history, s)
		}
	}
	s.store(history)
	return history
}

// grow makes a newcomer's array, and provides the slave's lane.
func (f *Filter) grow(history []byte, wide bool) []byte {
	size := f.sizes[0]
	if wide {
		size = f.sizes[1]
	}
	old := len(history)
	if old >= size {
		return history
	}
	history = slices.Grow(history, size-old)[:size]
	if old == 0 {
		clear(history)
	} else {
		bloom.Widen(f.one, history, 0)
	}
	return history
}

// promote makes the slave master and clears the old one: frees it, or blanks
// it. Where the threshold is half the capacity the next slave begins at once.
func (f *Filter) promote(history []byte, s state) ([]byte, state) {
	old := s.master
	s = state{count: f.capacity - f.threshold, master: 1 - old}
	if f.blanked {
		f.two.Clear(history, 1<<old)
		return history, s
	}
	bloom.Extract(f.two, history, s.master)
	s.master = 0
	return f.grow(history[:f.sizes[0]], s.count == f.threshold), s
}

// HeaderBytes is how many bytes of every history are header, beside the
// payload that the paper accounts for.
func (f *Filter) HeaderBytes() int { return headerBytes }

// Sizes is one filter and two, each with its header.
func (f *Filter) Sizes() []int { return f.sizes }
