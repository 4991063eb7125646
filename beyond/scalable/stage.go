package scalable

import (
	"unsafe"

	"dejavu/bloom"
	"dejavu/strategies"
)

// A stage is one filter of the history, which begins at byte at. It probes for
// an article under an ID that only this stage knows it by, salt times its own.
//
// With one ID for all, an article two of whose probes coincide in one stage
// would be likely to have them coincide in the next, since multiply-shift scales
// the same product to both: the stages would not be independent, and the rate
// of stages for a handful of articles, the smallest there are, up to 3 % off
// their union.
type stage struct {
	bloom.Lanes        // one
	capacity    int    // articles it is made for
	at          int    // first byte
	salt        uint64 // bloom.Salt(i) in stage i, whose products are none of another stage's
}

// probesAtOnce is how many probes are looked up before any is decided on. An
// unseen article passes them in a full stage one time in 16, so that the branch
// behind them is nearly always foreseen.
const probesAtOnce = 4

// mark sets seen[i] where the stage holds candidates[i], and leaves the others
// as they are: what bloom.Query finds under the stage's IDs, or was found before.
//
// It writes bloom.High and Low out, which leaves all small enough to be inlined.
//
// Like bloom's kernels it reads without bounds checks, a sixth of the time. That
// is safe: the array has been seen to be long enough for every position below
// the geometry's bits, which nobody can change, and multiply-shift of 32 bits
// returns nothing else.
func (s *stage) mark(array []byte, candidates []strategies.ID, seen []bool) {
	g := s.Geometry()
	a := unsafe.Pointer(unsafe.SliceData(array[:s.Bytes():len(array)]))
	m, seen := uint64(g.Bits), seen[:len(candidates)]
	if g.Hashes < probesAtOnce {
		for i, id := range candidates {
			seen[i] = seen[i] || all(a, m, uint64(id)*s.salt, g.Hashes)
		}
		return
	}
	first := s.salt * bloom.Multiplier
	for i, id := range candidates {
		if seen[i] {
			continue
		}
		x := uint64(id) * first
		y := x * bloom.Multiplier
		found := bitAt(a, x>>32*m>>32) & bitAt(a, uint64(uint32(x))*m>>32) &
			bitAt(a, y>>32*m>>32) & bitAt(a, uint64(uint32(y))*m>>32)
		if found&1 != 0 {
			seen[i] = all(a, m, y, g.Hashes-probesAtOnce)
		}
	}
}

// all reports whether the next k probes after a product meet set bits only.
func all(array unsafe.Pointer, m, product uint64, k int) bool {
	for ; k > 0; k -= 2 {
		product *= bloom.Multiplier
		found := bitAt(array, product>>32*m>>32)
		if k > 1 {
			found &= bitAt(array, uint64(uint32(product))*m>>32)
		}
		if found&1 == 0 {
			return false
		}
	}
	return true
}

// bitAt is the byte that holds the given bit, shifted so that the bit is lowest.
func bitAt(array unsafe.Pointer, bit uint64) byte {
	return *(*byte)(unsafe.Add(array, bit>>3)) >> (bit & 7)
}
