package bloom

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"unsafe"
)

// MaxLanes is the most filters in one array: one 64-bit load must contain all lanes of a position.
const MaxLanes = 57

// Slack is the number of bytes that must follow an array of two or more lanes, so that a load at its last byte stays
// inside the history; 26 or more lanes need one more. Strategies keep their header there.
const Slack = 3

// wordLanes is the most lanes that a 32-bit load at a byte boundary always contains.
const wordLanes = 25

// MinLaneBits is the fewest positions of one of several lanes: AddLane moves bits in words of 64.
const MinLaneBits = 64

// Lanes describes Bloom filters ("lanes") of one Geometry that are interleaved in one array: position p takes Count
// neighbouring bits, and bit p*Count + i belongs to lane i; bit b of the array is bit b%8 of byte b/8. So a query of
// all lanes takes Hashes loads. Each lane has the bits, and the rate, of a separate filter.
//
// Lanes come from NewLanes; Bits*Count is at most 2^30. The zero value has no lanes. Sets of lanes are masks, bit i for
// lane i; other bits are ignored. An array is the first Bytes of a slice: every function panics if the slice is
// shorter, whatever its capacity, before it reads or writes.
type Lanes struct {
	bits, hashes, count int // kernels read them in this order
}

// NewLanes returns the description of count filters, 1 to MaxLanes, or an error. Several lanes need MinLaneBits bits.
func NewLanes(g Geometry, count int) (Lanes, error) {
	if err := g.Validate(); err != nil {
		return Lanes{}, err
	}
	switch {
	case count < 1 || count > MaxLanes:
		return Lanes{}, fmt.Errorf("geometry %v: %d lanes, want 1 to %d", g, count, MaxLanes)
	case count > 1 && g.Bits < MinLaneBits:
		return Lanes{}, fmt.Errorf("geometry %v: Bits is %d, want at least %d", g, g.Bits, MinLaneBits)
	}
	return Lanes{g.Bits, g.Hashes, count}, nil
}

// First returns the description of the first count lanes; count is limited to 0 to l.Count().
func (l Lanes) First(count int) Lanes {
	if count = min(count, l.count); count < 1 {
		return Lanes{}
	}
	l.count = count
	return l
}

// Geometry returns the geometry of each filter.
func (l Lanes) Geometry() Geometry { return Geometry{l.bits, l.hashes} }

func (l Lanes) digits() int { return l.Geometry().Digits() }

// sixDigits reports whether the probes are three digits of the ID and three of its product. Many kernels need this.
func (l Lanes) sixDigits() bool { return l.hashes == 6 && l.bits <= mostDigitsBits }

// Count returns the number of lanes.
func (l Lanes) Count() int { return l.count }

// Bytes returns the length of the array, without the Slack.
func (l Lanes) Bytes() int { return int(uint(l.bits*l.count+7) / 8) }

func (l Lanes) slack() int {
	switch {
	case l.count <= 1:
		return 0
	case l.count <= wordLanes:
		return Slack
	}
	return Slack + 1
}

// LaneBytes returns the lengths of the arrays of one lane, of two, and so on.
func (l Lanes) LaneBytes() []int {
	var bytes []int
	for count := 1; count <= l.count; count++ {
		bytes = append(bytes, l.First(count).Bytes())
	}
	return bytes
}

// array returns the array at the beginning of a slice. Beyond the length may be another user's.
func (l Lanes) array(slice []byte) []byte { return slice[:l.Bytes():len(slice)] }

// Clear unsets every bit of the given lanes.
func (l Lanes) Clear(array []byte, lanes uint64) {
	if lanes &= ones(l.count); lanes == 0 {
		return
	}
	array = l.array(array)
	var table [mostTurn]uint64
	kept := l.kept(table[:min(len(table), len(array)/8+1)], lanes)
	for len(array) >= 8*len(kept) {
		keep(array, kept)
		array = array[8*len(kept):]
	}
	whole := len(array) / 8
	keep(array, kept[:whole])
	last := nativeWord(kept[whole])
	for i := range array[8*whole:] {
		array[8*whole+i] &= byte(last >> (8 * i))
	}
}

// kept fills a table with the masks that Clear applies to the array's words, up to where they repeat.
func (l Lanes) kept(table []uint64, lanes uint64) []uint64 {
	const least = 28                                      // words that make a loop worthwhile
	again := l.count >> bits.TrailingZeros(uint(l.count)) // words after which the masks repeat
	kept := table[:min((least+again-1)/again*again, len(table))]
	mask := l.mask(lanes)
	for i := range min(again, len(kept)) {
		kept[i] = nativeWord(^mask.next())
	}
	for ; again < len(kept); again *= 2 {
		copy(kept[again:], kept[:again])
	}
	return kept
}

// mostTurn is the most words that kept returns (for 55 or 57 lanes).
const mostTurn = 57

// nativeWord converts a word of the array to the machine's byte order.
func nativeWord(word uint64) uint64 {
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], word)
	return binary.NativeEndian.Uint64(bytes[:])
}

func keep(array []byte, kept []uint64) {
	a := unsafe.Pointer(unsafe.SliceData(array[: 8*len(kept) : len(array)]))
	at := uintptr(0) // a pointer must not point beyond the array
	for ; len(kept) >= 4; kept = kept[4:] {
		*(*uint64)(unsafe.Add(a, at)) &= kept[0]
		*(*uint64)(unsafe.Add(a, at+8)) &= kept[1]
		*(*uint64)(unsafe.Add(a, at+16)) &= kept[2]
		*(*uint64)(unsafe.Add(a, at+24)) &= kept[3]
		at += 32
	}
	for _, k := range kept {
		*(*uint64)(unsafe.Add(a, at)) &= k
		at += 8
	}
}

// Ones returns the number of bits set in the given lanes.
func (l Lanes) Ones(array []byte, lanes uint64) int {
	if lanes &= ones(l.count); lanes == 0 {
		return 0
	}
	n := 0
	array = l.array(array)
	var set [MaxLanes]int
	l.onesByLane(array, &set)
	for lane := range l.count {
		n += set[lane] * int(lanes>>lane&1)
	}
	return n
}

func (l Lanes) onesByLane(array []byte, set *[MaxLanes]int) {
	const most = 15
	whole := len(array) / 8 * 8
	again := 8 * (l.count >> bits.TrailingZeros(uint(l.count))) // bytes after which words have the same lanes again
	lane0 := l.mask(1).pattern
	lane := 0 // the lane of the lowest bit
	for first := 0; first < min(again, whole); first += 8 {
		for from := first; from < whole; from += most * again {
			counts := addWords(array[from:min(whole, from+most*again)], again)
			counts.byLane(set[:l.count], lane, lane0)
		}
		lane = (lane + 64) % l.count
	}
	var end [8]byte
	copy(end[:], array[whole:])
	counts := counts{binary.LittleEndian.Uint64(end[:])}
	counts.byLane(set[:l.count], 8*whole%l.count, lane0)
}

// counts holds 64 numbers from 0 to 15, one for each bit of a word: element i has bit i of each number.
type counts [4]uint64

// addWords counts, for each bit, in how many words it is set. At most 15 words begin step bytes apart.
//
//go:noinline
func addWords(array []byte, step int) counts {
	var one, two, four, eight uint64
	for at := 0; at <= len(array)-8; at += step {
		word := binary.LittleEndian.Uint64(array[at : at+8])
		carry2 := one & word
		carry4 := two & carry2
		eight ^= four & carry4
		four ^= carry4
		two ^= carry2
		one ^= word
	}
	return counts{one, two, four, eight}
}

// byLane adds the counts to set, by lane. The lowest bit belongs to lane; mask has the bits of that lane.
//
//go:noinline
func (c *counts) byLane(set []int, lane int, mask uint64) {
	one, two, four, eight := c[0], c[1], c[2], c[3]
	for range set {
		set[lane] += bits.OnesCount64(one&mask) + 2*bits.OnesCount64(two&mask) + 4*bits.OnesCount64(four&mask) +
			8*bits.OnesCount64(eight&mask)
		mask <<= 1
		if lane++; lane == len(set) {
			lane = 0
		}
	}
}

// Fill returns how many bits of the given lanes are set, and how many there are. An empty array counts as one lane.
func (l Lanes) Fill(array []byte, lanes uint64) (set, of int) {
	if len(array) == 0 {
		return 0, l.bits
	}
	return l.Ones(array, lanes), l.bits * bits.OnesCount64(lanes&ones(l.count))
}

// Some tells Check that a lane contains an unknown number of articles.
const Some = math.MaxInt / MaxHashes

// Check returns an error of the strategy if a bit beyond the last is set, or lane i cannot contain counts[i] articles.
func (l Lanes) Check(strategy string, array []byte, counts ...int) error {
	array = l.array(array)
	if used := l.bits * l.count % 8; used != 0 && array[len(array)-1]>>used != 0 {
		return fmt.Errorf("%s: a bit is set beyond the last of the %d positions", strategy, l.bits)
	}
	if len(counts) == 0 {
		return nil
	}
	var all [MaxLanes]int
	l.onesByLane(array, &all)
	for lane, articles := range counts {
		if set := all[lane]; set == 0 && articles > 0 {
			return fmt.Errorf("%s: no bit is set in lane %d, want at least one article's", strategy, lane)
		} else if set > articles*l.hashes {
			return fmt.Errorf("%s: %d bits set in lane %d by %d articles of %d hashes", strategy, set, lane, articles, l.hashes)
		}
	}
	return nil
}

// A laneMask generates the words of a mask: the bits of some lanes at every position.
type laneMask struct {
	pattern uint64 // the word for phase 0
	phase   int    // how many bits into a position the next word begins
	whole   int    // bits of the whole positions that fit a word
	count   int
	per64   int // by how much a word advances the phase
}

func (l Lanes) mask(lanes uint64) laneMask {
	m := laneMask{pattern: lanes, whole: 64 / l.count * l.count, count: l.count, per64: 64 % l.count}
	for filled := l.count; filled < 64; filled *= 2 {
		m.pattern |= m.pattern << filled
	}
	return m
}

func (m *laneMask) next() uint64 {
	mask := m.pattern>>m.phase | m.pattern<<(m.whole-m.phase)
	if m.phase += m.per64; m.phase >= m.count {
		m.phase -= m.count
	}
	return mask
}
