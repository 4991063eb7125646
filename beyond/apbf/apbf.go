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
	"unsafe"

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

// The position of an ID under hash i is a half of its product with a power of bloom.Multiplier, scaled to 0..Bits-1
// by multiply-shift: hashes 2j and 2j+1 are the high and the low half of that with power j+1.
var powers = func() (table [(maxHashes + 1) / 2]uint64) {
	power := uint64(1)
	for i := range table {
		power *= bloom.Multiplier
		table[i] = power
	}
	return table
}()

// Seen tests each candidate for k consecutive slices that hold its bit. A run from hash j of lane b on is the rest of
// that lane and then the hashes before j of lane b+1. So all runs from hash j on are one AND of two words: the lanes
// that hold the bits of hashes 0 to j-1, and of j to k-1. Runs may not go on from the youngest slice to the oldest.
func (f *Filter) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	if len(history) == 0 {
		clear(seen)
		return
	}
	s := f.load(history)
	all := uint32(1)<<s.lanes - 1
	var valid [maxHashes]uint32 // by j, the lanes in which a run may start
	for j := range f.Hashes {
		lane := s.head / f.Hashes
		if j > s.head%f.Hashes {
			lane = (lane + s.lanes - 1) % s.lanes
		}
		valid[j] = all &^ (1 << lane)
	}
	valid[(s.head+1)%f.Hashes] = all // the k youngest are a run

	seen = seen[:len(candidates)]
	lanes := f.array.First(s.lanes)
	array := unsafe.Pointer(unsafe.SliceData(history[: lanes.Bytes()+headerBytes : len(history)]))
	k := lanes.Geometry().Hashes
	middle := k / 2
	m, stride := uint64(lanes.Geometry().Bits/k), uint64(s.lanes)
	var words, prefixes [maxHashes]uint32
	for i, id := range candidates {
		product, rest, first := mix.Mix(uint64(id)), uint64(0), uint64(0)
		before, after := all, all // the lanes that hold all hashes before the middle, and from it on
		for j := range k {
			half := rest
			if j%2 == 0 {
				product *= bloom.Multiplier
				half, rest = product>>32, uint64(uint32(product))
			}
			word := wordAt(array, (half*m>>32+first)*stride)
			if words[j%maxHashes] = word; j < middle {
				before &= word
			} else {
				after &= word
			}
			first += m
		}
		// A run needs a lane that holds all hashes on one side of the middle, and the next hash on the other side.
		seen[i] = (middle == 0 ||
			after&(words[middle-1]|next(before, s.lanes))|before&words[middle%maxHashes] != 0) &&
			runs(words[:k], &prefixes, &valid, s.lanes)
	}
}

// wordAt returns at least maxLanes bits of the array, from the given one on. It reads without bounds checks, which
// would double a query's time: Seen has checked that the history is long enough for every position.
func wordAt(array unsafe.Pointer, bit uint64) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(array, bit>>3))[:]) >> (bit & 7)
}

// next returns the lanes whose successor on the ring is in the given set.
func next(set uint32, lanes int) uint32 {
	return set>>1 | set<<((lanes-1)&31)
}

// runs reports whether a run starts somewhere, words[j] being the lanes that hold the bit of hash j.
func runs(words []uint32, prefixes, valid *[maxHashes]uint32, lanes int) bool {
	prefix := uint32(1)<<lanes - 1
	for j, word := range words {
		prefixes[j%maxHashes] = next(prefix, lanes) & valid[j%maxHashes]
		prefix &= word
	}
	suffix := uint32(math.MaxUint32)
	for j := len(words) - 1; j >= 0; j-- {
		if suffix &= words[j]; suffix&prefixes[j%maxHashes] != 0 {
			return true
		}
	}
	return false
}
