// Package schemes derives a Bloom filter's probes in other ways than this suite does, so that they can be compared.
//
// An article's 64-bit ID must become k positions among m bits. Nobody computes k independent hashes, as the textbooks
// do, and every shortcut makes positions depend on each other. A large filter does not show it. A filter of 812 bits,
// a link of the paper's chain, has 4 % more false positives with plain double hashing than the exact formula says
// (bloom.Exact), and 75 % more if all of an article's bits lie in one machine word.
package schemes

import (
	"crypto/md5"
	"encoding/binary"
	"math/bits"

	"dejavu/bloom"
)

// A Scheme derives the probes of an article.
type Scheme struct {
	Name string // as tables show it, lower case

	// Positions appends the g.Hashes positions of an ID to dst, each in [0, g.Bits), not all distinct, for a valid g.
	Positions func(dst []int, g bloom.Geometry, id uint64) []int
}

// All lists every scheme, the suite's own first. Do not modify it.
var All = []Scheme{
	// The first digits in base m of the ID and of its products, as fractions.
	{"digits", func(dst []int, g bloom.Geometry, id uint64) []int { return g.Positions(dst, id) }},
	MultiplyShift,
	// x *= odd, then the high word of x*m: one product of the same sequence a probe.
	{"repeated multiply-shift", repeated},
	// (h1 + i*h2) mod m of two 64-bit hashes, overflow and all, as libraries do.
	{"double hashing", func(dst []int, g bloom.Geometry, id uint64) []int { return double(dst, g, id, second(id)) }},
	// (h1 + i*h2) mod m of the ID's two halves, nothing overflows (Kirsch and Mitzenmacher, ESA 2006).
	{"double hashing, 32-bit halves", func(dst []int, g bloom.Geometry, id uint64) []int {
		return double(dst, g, id&(1<<32-1), id>>32)
	}},
	// h1 + i*h2 + (i^3-i)/6 mod m (Dillinger and Manolios, FMCAD 2004).
	{"enhanced double hashing", enhanced},
	{"enhanced double hashing, multiply-shift", enhancedShift},
	// Double hashing of the two 64-bit halves of an MD5, the paper's digest.
	{"MD5 halves", md5Halves},
	// All k bits in one 64-bit word: a query costs a single load.
	{"one word per item", func(dst []int, g bloom.Geometry, id uint64) []int { return blocked(dst, g, id, 64) }},
	// All k bits in one cache line (Putze, Sanders and Singler, WEA 2007).
	{"one 512-bit block per item", func(dst []int, g bloom.Geometry, id uint64) []int {
		return blocked(dst, g, id, 512)
	}},
}

// MultiplyShift takes x *= odd, then both 32-bit halves of x, times m over 2^32. Twice the bits double each position.
var MultiplyShift = Scheme{"multiply-shift", halves}

// scale maps a uniform 64-bit number to 0..n-1 by its high bits.
func scale(x uint64, n int) int {
	high, _ := bits.Mul64(x, uint64(n))
	return int(high)
}

// second returns a second hash, a bijection (the finalizer of SplitMix64: Steele, Lea and Flood, OOPSLA 2014, fig. 17).
func second(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// halves, repeated and blocked use the multiplier of package bloom: they differ only in how.
func halves(dst []int, g bloom.Geometry, id uint64) []int {
	m := uint64(g.Bits)
	for i := 0; i < g.Hashes; i += 2 {
		id *= bloom.Multiplier
		dst = append(dst, int(id>>32*m>>32))
		if i+1 < g.Hashes {
			dst = append(dst, int(uint64(uint32(id))*m>>32))
		}
	}
	return dst
}

func repeated(dst []int, g bloom.Geometry, id uint64) []int {
	for range g.Hashes {
		id *= bloom.Multiplier
		dst = append(dst, scale(id, g.Bits))
	}
	return dst
}

// double steps mod 2^64 and reduces every probe, as libraries do. An overflow shifts the later probes.
func double(dst []int, g bloom.Geometry, h1, h2 uint64) []int {
	m := uint64(g.Bits)
	for range g.Hashes {
		dst = append(dst, int(h1%m))
		h1 += h2
	}
	return dst
}

func enhanced(dst []int, g bloom.Geometry, id uint64) []int {
	m := uint64(g.Bits)
	h1, h2, growth := id%m, second(id)%m, uint64(0)
	for range g.Hashes {
		dst = append(dst, int(h1))
		growth = wrap(growth+1, m)
		h1 = wrap(h1+h2, m)
		h2 = wrap(h2+growth, m)
	}
	return dst
}

func wrap(x, m uint64) uint64 {
	if x >= m {
		x -= m
	}
	return x
}

// enhancedShift takes the same steps mod 2^64, where a step that grows by i hardly moves the high bits.
func enhancedShift(dst []int, g bloom.Geometry, id uint64) []int {
	h1, h2 := id, second(id)
	for i := range uint64(g.Hashes) {
		dst = append(dst, scale(h1, g.Bits))
		h1 += h2
		h2 += i + 1
	}
	return dst
}

func md5Halves(dst []int, g bloom.Geometry, id uint64) []int {
	var key [8]byte
	binary.BigEndian.PutUint64(key[:], id)
	sum := md5.Sum(key[:])
	return double(dst, g, binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:]))
}

// blocked draws a block, with a chance proportional to its width, and positions within it by repeated multiply-shift.
func blocked(dst []int, g bloom.Geometry, id uint64, width int) []int {
	from := scale(second(id), g.Bits) / width * width
	width = min(width, g.Bits-from)
	for range g.Hashes {
		id *= bloom.Multiplier
		dst = append(dst, from+scale(id, width))
	}
	return dst
}

// Measure fills the filters numbered from to to-1 with items random articles each and asks each about queries fresh
// ones. It returns how many were reported as seen, and the sum of the squares of each filter's number, which give the
// standard error. A filter's articles depend only on seed and its number. It returns an error if g is out of range.
func Measure(
	s Scheme, g bloom.Geometry, items, queries, from, to int, seed uint64,
) (hits, hitsSquared int64, err error) {
	if err := g.Validate(); err != nil {
		return 0, 0, err
	}
	filter, probes := make([]uint64, (g.Bits+63)/64), make([]int, 0, g.Hashes)
	holds := func(id uint64) bool {
		for _, p := range s.Positions(probes, g, id) {
			if filter[p>>6]>>(p&63)&1 == 0 {
				return false
			}
		}
		return true
	}
	for number := from; number < to; number++ {
		id := second(second(seed) + uint64(number)*golden)
		clear(filter)
		for range items {
			id += golden
			for _, p := range s.Positions(probes, g, second(id)) {
				filter[p>>6] |= 1 << (p & 63)
			}
		}
		var held int64
		for range queries {
			id += golden
			if holds(second(id)) {
				held++
			}
		}
		hits += held
		hitsSquared += held * held
	}
	return hits, hitsSquared, nil
}

// golden is 2^64 over the golden ratio, the step of SplitMix64.
const golden = 0x9e3779b97f4a7c15
