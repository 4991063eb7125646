// Package workload simulates who is shown what, and when. Everything random is a function of (seed, user, step), so
// that no result depends on workers, parts or shards. A user's i-th article is a pseudo-random permutation of the
// catalogue at i: from its number follows whether a candidate is fresh, and how long ago it was shown.
//
// Full is the paper's assumption: every user was shown 500 articles or more. Daily simulates days of reading as a
// service sees them. In Popular, articles differ in popularity by Zipf's law.
package workload

import (
	"fmt"

	"dejavu/strategies"
)

const (
	MaxUsers  = 1<<31 - 1          // of a population: users are numbered by 31 bits, as in a store
	Catalogue = 1 << catalogueBits // articles that every user's order is a permutation of, about 67 million

	catalogueBits = 26
)

type population struct {
	seed  uint64
	users int
}

func newPopulation(seed uint64, users int) (population, error) {
	if users < 1 || users > MaxUsers {
		return population{}, fmt.Errorf("workload: the number of users is %d, want 1 to %d", users, MaxUsers)
	}
	return population{seed, users}, nil
}

// Users returns the number of users; they are numbered from 0.
func (p population) Users() int { return p.users }

// Reader returns the order in which the user meets the catalogue.
func (p population) Reader(user int) Reader { return reader(p.seed, user) }

// Picks returns the user's random choices of when to be tested, or of what to ask.
func (p population) Picks(user int) Picks { return Picks{newDraws(p.seed, user, forRequest).key} }

// mix maps 64 bits one to one, such that every input bit affects every output bit.
func mix(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	x ^= x >> 32
	x *= 0xd6e8feb86659fd93
	return x ^ x>>32
}

const golden = 0x9e3779b97f4a7c15 // 2^64 / golden ratio: steps that never repeat

// A Reader enumerates the catalogue in one user's own order.
type Reader struct{ stride, offset, twist, salt uint64 }

// reader returns the user's order. Populations with the same seed share the catalogue's IDs.
func reader(seed uint64, user int) Reader {
	d := newDraws(seed, user, forOrder)
	return Reader{stride: d.next() | 1, offset: d.next(), twist: d.next() | 1, salt: mix(seed + golden)}
}

// ID returns the user's i-th article, 0 <= i < Catalogue. Different i are different articles, with different IDs.
func (r Reader) ID(i int) strategies.ID {
	return drawn(uint64(i)*r.stride+r.offset, r.twist, r.salt)
}

// IDs fills dst with the user's articles from the i-th on.
func (r Reader) IDs(dst []strategies.ID, i int) {
	step, stride, twist, salt := uint64(i)*r.stride+r.offset, r.stride, r.twist, r.salt // in registers
	n := r.byVectors(dst, step)
	step += uint64(n) * stride
	for j := range dst[n:] {
		dst[n+j] = drawn(step, twist, salt)
		step += stride
	}
}

// drawn returns the catalogue's article at a multiple of the stride: the digest of its number.
func drawn(step, twist, salt uint64) strategies.ID {
	x := (permuted(step, twist, catalogueBits) + salt) * 0xd6e8feb86659fd93
	x ^= x >> 32
	x *= 0x9fb21c651e98df25
	return strategies.ID(x ^ x>>29)
}

// permuted maps a multiple of the stride to a number of the given bits: a permutation.
func permuted(step, twist uint64, bits int) uint64 {
	mask := uint64(1)<<bits - 1
	a := step & mask
	a ^= a >> (bits / 2)
	return a * twist & mask
}

// Fresh is the first article of the later part of every user's order, which is never shown. It is odd, at the golden
// section, so that no two places that a measurement compares lie a fixed number apart.
const Fresh = 41475557

// draws is a stream of random numbers of one (seed, user, purpose).
type draws struct{ key, step uint64 }

func newDraws(seed uint64, user int, purpose uint64) draws {
	return draws{key: mix(mix(seed+purpose*golden) + uint64(user)*golden)}
}

func (d *draws) next() uint64 {
	d.step += golden
	return mix(d.key + d.step)
}

// below is uniform in 0..n-1, n at most 2^32; its bias is below n/2^32.
func (d *draws) below(n int) int { return int(d.next() >> 32 * uint64(n) >> 32) }
