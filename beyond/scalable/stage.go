package scalable

import (
	"math/bits"
	"unsafe"

	"dejavu/bloom"
	"dejavu/strategies"
)

// A stage is one filter of the history, which begins at byte at. It probes for an article under an ID that
// only this stage knows it by, salt times its own.
//
// With one ID for all, an article two of whose probes coincide in one stage would be likely to have them
// coincide in the next, since the first digits in two bases are of the same number: the stages would not be
// independent, and the rate of stages for a handful of articles, the smallest there are, up to 3 % off their
// union.
type stage struct {
	bloom.Lanes        // one
	capacity    int    // articles it is made for
	at          int    // first byte
	salt        uint64 // bloom.Salt(i) in stage i, whose products are none of another stage's
}

// mark sets seen[i] where the stage holds candidates[i], and leaves the others as they are: what bloom.Query
// finds under the stage's IDs, or was found before.
//
// The digits of one product are looked up before any is decided on. An unseen article passes three in a full
// stage one time in eight, so that the branch behind them is nearly always foreseen.
//
// Like bloom's kernels it reads without bounds checks, a sixth of the time. That is safe: the array has been
// seen to be long enough for every position below the geometry's bits, which nobody can change, and a digit
// in their base is below them.
func (s *stage) mark(array []byte, candidates []strategies.ID, seen []bool) {
	g := s.Geometry()
	a := unsafe.Pointer(unsafe.SliceData(array[:s.Bytes():len(array)]))
	m, digits, seen := uint64(g.Bits), g.Digits(), seen[:len(candidates)]
	for i, id := range candidates {
		if seen[i] {
			continue
		}
		product, found := uint64(id)*s.salt, byte(1)
		for left := g.Hashes; left > 0 && found != 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				found &= bitAt(a, p)
			}
			product *= bloom.Multiplier
		}
		seen[i] = found != 0
	}
}

// bitAt is the byte that holds the given bit, shifted so that the bit is lowest.
func bitAt(array unsafe.Pointer, bit uint64) byte {
	return *(*byte)(unsafe.Add(array, bit>>3)) >> (bit & 7)
}
