// Package dual implements the paper's §6: two Bloom filters in alternation.
//
// The master answers. From Threshold articles on (300 in the paper) further articles also go to a slave; when the
// master reaches Capacity (500), the slave takes its place, with the last Capacity - Threshold (200). So the most
// recent 200 to 499 articles are recognised, at a false positive rate of 0.03 % to 2.01 %. A history is one lane, or
// two interleaved ones while there is a slave: 508 or 1016 bytes in the paper's geometry, and 4 of header.
package dual

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Config holds the parameters of both filters.
type Config struct {
	_         struct{}
	Capacity  int            // articles at which the slave takes over (the paper's N), 2 to 2^24-1
	Threshold int            // articles from which the slave is filled too (X), Capacity/2 to Capacity-1
	Geometry  bloom.Geometry // of each of the two, at least bloom.MinLaneBits bits
	Blanked   bool           // blanks the old master's array for the next slave instead of freeing it
}

// The paper's configuration in both readings of "the original master is cleared": its array is freed, or blanked.
var (
	Paper        = Config{Capacity: 500, Threshold: 300, Geometry: bloom.Geometry{Bits: 4064, Hashes: 6}}
	PaperBlanked = Config{Capacity: 500, Threshold: 300, Geometry: bloom.Geometry{Bits: 4064, Hashes: 6}, Blanked: true}
)

// maxCapacity is the largest count that the header's 24 bits hold.
const maxCapacity = 1<<24 - 1

// headerBytes follow the lanes: the master's articles in the low 24 bits, little-endian, and its lane.
const headerBytes = 4

// A Filter is the dual-filter strategy. It implements strategies.Strategy and strategies.Theory.
type Filter struct {
	Config
	strategies.Layout
	bloom.Theory // of the master alone
	one, two     bloom.Lanes
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	two, err := bloom.NewLanes(c.Geometry, 2)
	if err := cmp.Or(
		strategies.Within("dual: Capacity", c.Capacity, 2, maxCapacity),
		// With an earlier threshold the slave would need a slave of its own.
		strategies.Within("dual: Threshold", c.Threshold, (c.Capacity+1)/2, c.Capacity-1),
		strategies.In("dual", err),
	); err != nil {
		return nil, err
	}
	layout := strategies.NewLayout("dual", c, headerBytes, two.LaneBytes()...)
	return &Filter{c, layout, bloom.NewTheory(c.Geometry, c.held), two.First(1), two}, nil
}

type state struct { // what the header says
	count  int // articles in the master
	master int // the master's lane
}

func load(history []byte) state {
	if len(history) == 0 {
		return state{}
	}
	word := binary.LittleEndian.Uint32(history[len(history)-headerBytes:])
	return state{count: int(word & maxCapacity), master: int(word >> 24)}
}

func (f *Filter) lanes(history []byte) bloom.Lanes {
	if len(history) == f.Sizes()[1] {
		return f.two
	}
	return f.one
}

// Seen tests each candidate against the master.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	bloom.Query(f.lanes(history), history, 1<<load(history).master, candidates, seen)
}

// Record adds the articles to the master and, from the threshold on, to the slave, without those soon forgotten again.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := load(history)
	// A forged header may be invalid.
	s.count, s.master = min(s.count, f.Capacity-1), min(s.master, f.lanes(history).Count()-1)
	if remains := f.held(s.count + len(shown)); s.count+len(shown) >= f.Capacity && remains <= len(shown) {
		// Recording only the articles that remain gives the same filter.
		promotions := 1 + (s.count+len(shown)-f.Capacity)/f.Threshold
		master := (s.master + promotions) % 2
		history, shown, s = history[:0], shown[len(shown)-remains:], state{}
		if f.Blanked {
			history, s.master = f.grow(history, true), master
		}
	}
	for len(shown) > 0 {
		history = f.grow(history, s.count+len(shown) >= f.Threshold)
		into, until := uint64(1)<<s.master, f.Threshold
		if s.count >= f.Threshold {
			into, until = 3, f.Capacity
		}
		n := min(len(shown), until-s.count)
		bloom.Insert(f.lanes(history), history, into, shown[:n])
		s.count += n
		shown = shown[n:]
		if s.count == f.Capacity {
			history, s = f.promote(history, s)
		}
	}
	binary.LittleEndian.PutUint32(history[len(history)-headerBytes:], uint32(s.count|s.master<<24))
	return history
}

func (f *Filter) grow(history []byte, slave bool) []byte {
	if slave {
		return f.two.Grow(history, headerBytes, 2, 0)
	}
	return f.two.Grow(history, headerBytes, 1, 0)
}

// promote makes the slave master, and frees or blanks the old one. The next slave may begin at once.
func (f *Filter) promote(history []byte, s state) ([]byte, state) {
	old := s.master
	s = state{count: f.Capacity - f.Threshold, master: 1 - old}
	if f.Blanked {
		f.two.Clear(history, 1<<old)
		return history, s
	}
	bloom.Extract(f.two, history, s.master)
	s.master = 0
	return f.grow(history[:f.Sizes()[0]], s.count == f.Threshold), s
}

// Validate accepts nothing, or lanes and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	lanes, s := f.lanes(history), load(history)
	least, most := 1, f.Threshold-1
	if lanes.Count() == 2 {
		least, most = f.Threshold, f.Capacity-1
		if f.Blanked {
			least = f.Capacity - f.Threshold // the slave's lane stays from the first threshold on
		}
	}
	if s.master >= lanes.Count() || s.master > 0 && !f.Blanked {
		return fmt.Errorf("dual: master is lane %d of %d", s.master, lanes.Count())
	}
	held := [2]int{s.count, max(0, s.count-f.Threshold)} // the master's articles, and the slave's
	if s.master == 1 {
		slices.Reverse(held[:])
	}
	return cmp.Or(
		strategies.Within("dual: the master's number of articles", s.count, least, most),
		lanes.Check("dual", history, held[:lanes.Count()]...),
	)
}

func (c Config) held(read int) int {
	if read < c.Capacity {
		return max(read, 0)
	}
	return c.Capacity - c.Threshold + (read-c.Capacity)%c.Threshold
}

// Bytes returns the length of one lane or two, and the header.
func (f *Filter) Bytes(read int) int {
	switch {
	case read <= 0:
		return 0
	case f.held(read) >= f.Threshold || f.Blanked && read >= f.Capacity:
		return f.Sizes()[1]
	default:
		return f.Sizes()[0]
	}
}

// Fill counts the set bits in the master, and its bits.
func (f *Filter) Fill(history []byte) (ones, of int) {
	return f.lanes(history).Fill(history, 1<<load(history).master)
}

// Sized returns the configuration with the fewest bits that guarantees a window at a rate of at most fpr, in (0, 1).
// The slave must hold the window when it takes over, so the capacity is twice the threshold.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("dual", window, bloom.MaxBits/2, fpr); err != nil {
		return Config{}, err
	}
	g, err := bloom.BestGeometry(2*window-1, fpr)
	if err != nil {
		return Config{}, strategies.Unmet("dual", window, fpr, bloom.LeastRate(2*window-1))
	}
	g.Bits = max(g.Bits, bloom.MinLaneBits)
	return Config{Capacity: 2 * window, Threshold: window, Geometry: g}, nil
}
