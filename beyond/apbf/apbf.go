// Package apbf implements the age-partitioned Bloom filter of Shtul, Baquero and Almeida, 2020 (arXiv 2001.03147),
// which forgets the oldest articles a little at a time.
//
// A history is a ring of k+l slices, each with its own hash. An article sets one bit in each of the k youngest slices.
// After a generation of g articles, the oldest slice is cleared and becomes the youngest. An article is reported as
// seen if k consecutive slices hold its bit: the newest l*g+1 to (l+1)*g articles are always recognised, and then fade
// (Remembered). For 400 articles at 2 % it takes 891 bytes with a slack of 10; a chain takes 723 with a slack of 100.
package apbf

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"dejavu/bloom"
	"dejavu/internal/bitarray"
	"dejavu/internal/mix"
	"dejavu/strategies"
)

// Config is the filter's parameters.
type Config struct {
	_          struct{}
	Hashes     int // k, the slices that an article is entered into, 1 to 64
	Shifts     int // l, the shifts that an article survives, k to 24 times k, a multiple of k; k+l is at most 255
	Generation int // g, articles between two shifts, 1 to 65535
	Bits       int // of one slice: k slices have bloom.MinLaneBits or more, all together at most bloom.MaxBits
}

const (
	maxHashes     = 64
	maxSlices     = math.MaxUint8
	maxGeneration = math.MaxUint16
	maxLanes      = 25 // of a position in one 32-bit load
)

func (c Config) slices() int { return c.Hashes + c.Shifts }

func mostShifts(hashes int) int { return (min(maxLanes, maxSlices/max(hashes, 1)) - 1) * hashes }

// leastBits returns the fewest bits that a slice may have, given the number of hashes.
func leastBits(hashes int) int { return max(2, (bloom.MinLaneBits+hashes-1)/max(hashes, 1)) }

// headerBytes follow the lanes: 16 bits with the youngest generation's articles, little-endian, and the youngest slice.
const headerBytes = 3

// A Filter is the strategy. It implements strategies.Strategy and strategies.Theory.
//
// Slices k or more apart on the ring have no article in common: slice p has hash p mod k. A hash's slices are
// interleaved, as lanes p/k, and one load brings an article's bit in all of them. A newcomer's history has one lane.
type Filter struct {
	Config
	strategies.Layout     // of one to lanes lanes
	lanes             int // slices to a hash

	// array describes the slices as lanes: the positions of hash 0, then of hash 1, and so on.
	array bloom.Lanes
}

// New returns the strategy, or an error that names the field out of range.
func New(c Config) (*Filter, error) {
	if err := cmp.Or(
		strategies.Within("apbf: Hashes", c.Hashes, 1, maxHashes),
		strategies.Within("apbf: Shifts", c.Shifts, c.Hashes, mostShifts(c.Hashes)),
		strategies.Within("apbf: Generation", c.Generation, 1, maxGeneration),
		strategies.Within("apbf: Bits", c.Bits, leastBits(c.Hashes), bloom.MaxBits/max(c.slices(), 1)),
	); err != nil {
		return nil, err
	}
	if over := c.Shifts % c.Hashes; over > 0 {
		return nil, fmt.Errorf("apbf: Shifts is %d, want a multiple of Hashes, as %d", c.Shifts, c.Shifts-over)
	}
	lanes := c.slices() / c.Hashes
	array, err := bloom.NewLanes(bloom.Geometry{Bits: c.Hashes * c.Bits, Hashes: c.Hashes}, lanes)
	if err != nil {
		return nil, strategies.In("apbf", err)
	}
	return &Filter{c, strategies.NewLayout("apbf", c, headerBytes, array.LaneBytes()...), lanes, array}, nil
}

// Validate accepts nothing, or slices and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if err := f.CheckLength(history); err != nil || len(history) == 0 {
		return err
	}
	s := f.header(history)
	least, most := 0, s.lanes*f.Hashes-1
	if s.lanes < f.lanes {
		least = (s.lanes - 1) * f.Hashes // a history is as short as its articles allow
	}
	if s.lanes == 1 {
		least = f.Hashes - 1
	}
	if err := cmp.Or(
		strategies.Within("apbf: the youngest slice", s.head, least, most),
		strategies.Within("apbf: the youngest generation's number of articles", s.count, 1, f.Generation),
		f.array.First(s.lanes).Check("apbf", history),
	); err != nil {
		return err
	}
	var ones [maxSlices]int // that are set in every slice, to compare with the articles it holds
	behind := false         // slices behind the youngest are blank until the first cycle ends
	for p := range s.lanes * f.Hashes {
		ones[p] = f.sweep(history, s.lanes, p, false)
		behind = behind || p > s.head && ones[p] > 0
	}
	if behind && s.lanes < f.lanes {
		return fmt.Errorf("apbf: a slice behind the youngest, %d, is not blank", s.head)
	}
	read := (s.head-f.Hashes+1)*f.Generation + s.count
	if s.lanes == f.lanes && (behind || s.head < f.Hashes-1 || s.head == f.slices()-1) { // it may be
		read += 2 * f.slices() * f.Generation
	}
	for age := range s.lanes * f.Hashes {
		p := s.head - age
		if p < 0 {
			p += s.lanes * f.Hashes
		}
		if held := f.held(read, age); ones[p] > held || held > 0 && ones[p] == 0 {
			return fmt.Errorf("apbf: %d bits set in slice %d by %d articles", ones[p], p, held)
		}
	}
	return nil
}

type state struct { // what the header says, and the length
	count int // articles of the youngest generation
	head  int // the youngest slice; those behind it are younger than those before it
	lanes int // in use
}

func (f *Filter) header(history []byte) state {
	end := len(history) - headerBytes
	return state{
		count: int(binary.LittleEndian.Uint16(history[end:])),
		head:  int(history[end+2]),
		lanes: f.Index(history) + 1,
	}
}

// load returns a possible state of the history, whatever its header says.
func (f *Filter) load(history []byte) state {
	s := f.header(history)
	s.count, s.head = min(s.count, f.Generation), min(s.head, s.lanes*f.Hashes-1)
	return s
}

// Record enters the articles, and shifts when a generation is full and the next article needs room.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := state{head: f.Hashes - 1} // k blank slices from 0 on
	if len(history) > 0 {
		s = f.load(history)
	}
	// A list longer than two cycles of the ring is cut by whole cycles: the last one clears every slice.
	turn := f.slices() * f.Generation
	if over := len(shown) - (f.Generation - s.count) - turn; over > turn {
		shown = shown[over/turn*turn:]
	}
	blank := s.lanes < f.lanes                          // from the head to the end of the ring
	shifts := (s.count + len(shown) - 1) / f.Generation // that the list needs
	if lanes := min(f.lanes, (s.head+shifts)/f.Hashes+1); lanes > s.lanes {
		history, s.lanes = f.array.Grow(history, headerBytes, lanes, 0), lanes
	}
	for {
		n := min(len(shown), f.Generation-s.count)
		f.insert(history, s, shown[:n])
		s.count += n
		if shown = shown[n:]; len(shown) == 0 {
			break
		}
		s.count = 0
		if s.head++; s.head == f.slices() {
			s.head, blank = 0, false
		}
		if !blank {
			f.sweep(history, s.lanes, s.head, true)
		}
	}
	end := len(history) - headerBytes
	binary.LittleEndian.PutUint16(history[end:], uint16(s.count))
	history[end+2] = byte(s.head)
	return history
}

func (f *Filter) insert(history []byte, s state, ids []strategies.ID) {
	var targets [maxHashes]target
	for i := range f.Hashes {
		p := s.head - i
		if p < 0 {
			p += s.lanes * f.Hashes
		}
		hash := p % f.Hashes
		targets[i] = target{powers[hash/2], uint64(32 - hash%2*32), uint64(hash*f.Bits*s.lanes + p/f.Hashes)}
	}
	m, stride := uint64(f.Bits), uint64(s.lanes)
	for _, id := range ids {
		x := mix.Mix(uint64(id))
		for _, t := range targets[:f.Hashes] {
			half := uint64(uint32(x * t.power >> t.shift))
			bit := (half*m>>32)*stride + t.first
			history[bit>>3] |= 1 << (bit & 7)
		}
	}
}

type target struct {
	power, shift uint64 // of its hash
	first        uint64 // the bit of its position 0
}

// sweep counts the set bits of slice p, and clears them if unset.
func (f *Filter) sweep(history []byte, lanes, p int, unset bool) (ones int) {
	bit, n := p%f.Hashes*f.Bits*lanes+p/f.Hashes, bitarray.Most/lanes // bits at a time
	var every uint64                                                  // bits 0, lanes, 2*lanes, ... of a word
	for i := range n {
		every |= 1 << (i * lanes)
	}
	for left := f.Bits; left > 0; left -= n {
		width := (min(n, left)-1)*lanes + 1
		word := bitarray.Read(history, bit, width)
		ones += bits.OnesCount64(word & every)
		if unset {
			bitarray.Write(history, bit, width, word&^every)
		}
		bit += n * lanes
	}
	return ones
}
