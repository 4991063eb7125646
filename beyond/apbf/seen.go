package apbf

import (
	"encoding/binary"
	"math"
	"unsafe"

	"dejavu/bloom"
	"dejavu/internal/mix"
	"dejavu/strategies"
)

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
