package counting

import (
	"math/bits"
	"slices"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Counter p is the low half of byte p/2 where p is even, and the high half where it is odd.

// count is a counter's value.
func count(history []byte, at uint32) byte { return history[at/2] >> (at % 2 * 4) & 15 }

// one is what a counter's byte grows by when the counter does.
func one(at uint32) byte { return 1 << (at % 2 * 4) }

// distinct puts an article's positions into dst, each once, however many of its
// probes meet there: a counter counts articles. Few articles' probes meet, so it
// looks whether any do, without a branch, before it looks which.
func distinct(dst *[bloom.MaxHashes]uint32, g bloom.Geometry, id strategies.ID) []uint32 {
	m, digits, product := uint64(g.Bits), g.Digits(), uint64(id)
	positions := dst[:g.Hashes]
	met := uint64(0) // its top bit is set where two probes meet
	for first := 0; first < g.Hashes; first += digits {
		x := product
		for i := first; i < min(first+digits, g.Hashes); i++ {
			var at uint64
			at, x = bits.Mul64(x, m)
			for _, before := range positions[:i] {
				met |= (uint64(before) ^ at) - 1
			}
			positions[i] = uint32(at)
		}
		product *= bloom.Multiplier
	}
	if met>>63 == 0 {
		return positions
	}
	n := 0
	for _, at := range positions {
		if !slices.Contains(positions[:n], at) {
			positions[n] = at
			n++
		}
	}
	return positions[:n]
}

// query sets seen[i] to whether none of the counters of candidates[i] is 0. It asks without a branch: a half
// byte and 15 are 16 or more where it is not 0. The probes are bloom.Geometry.Positions, written out; the
// tests hold one against the other.
func query(g bloom.Geometry, history []byte, candidates []strategies.ID, seen []bool) {
	seen = seen[:len(candidates)]
	m, digits := uint64(g.Bits), g.Digits()
	for i, id := range candidates {
		product, found := uint64(id), byte(16)
		for left := g.Hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var at uint64
				at, x = bits.Mul64(x, m)
				found &= history[at>>1]>>(at&1*4)&15 + 15
			}
			product *= bloom.Multiplier
		}
		seen[i] = found != 0
	}
}
