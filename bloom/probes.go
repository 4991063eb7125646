package bloom

import (
	"math/bits"

	"dejavu/internal/mix"
)

// An ID is mixed, and its mix x read as a fraction, x / 2^64 in [0, 1). Its probes at a geometry of m bits are the
// fraction's first digits in base m: times m, the whole part is a position and the rest is the fraction to go
// on with, one multiplication a probe (bits.Mul64: the high word and the low one).
//
// A fraction of 64 bits has only so many digits in it. After Geometry.Digits of them the next ones are those of x
// times Multiplier (mod 2^64), then of x times its square, and so on: unrelated enough for the false positive rate to
// show no bias against the exact formula even at m = 812 (TestProbesShowNoBias), where double hashing does.

// Multiplier makes the products of an ID. It is odd, so that the map is one-to-one, and known for the
// spectral quality of its powers: Steele and Vigna, "Computationally easy, spectrally good multipliers for
// congruential pseudorandom number generators", 2022, table for 64 bits.
const Multiplier = 0xd1342543de82ef95

// MostDigits is how many digits are taken of one product, at most. Three leave 10 bits of the 64 at
// MostDigitsBits, which is enough for the third to be as uniform as anybody can measure; six of 12 bits, at m
// = 4096, would be 8 more bits than there are, and read 3.9 % too high.
const (
	MostDigits     = 3
	mostDigitsBits = 1 << 18 // up to where
)

// Digits is how many probes a product gives: MostDigits up to 2^18 bits, and 2 beyond.
func (g Geometry) Digits() int {
	if g.Bits <= mostDigitsBits {
		return MostDigits
	}
	return 2
}

// digits are the first three digits of a fraction, in base m.
func digits(x, m uint64) (p, q, r uint64) {
	p, x = bits.Mul64(x, m)
	q, x = bits.Mul64(x, m)
	r, _ = bits.Mul64(x, m)
	return p, q, r
}

// Positions appends the Hashes positions of an ID to dst, in [0, Bits): what Query and Insert inline.
func (g Geometry) Positions(dst []int, id uint64) []int {
	m, digits, product := uint64(g.Bits), g.Digits(), mix.Mix(id)
	for left := g.Hashes; left > 0; left -= digits {
		fraction := product
		for range min(left, digits) {
			var position uint64
			position, fraction = bits.Mul64(fraction, m)
			dst = append(dst, int(position))
		}
		product *= Multiplier
	}
	return dst
}

// Salt returns the factor of the i-th of several filters of one history, 0 or more, whose probes are to be independent:
// each knows an article by Salted. No two have a product in common: none takes more than MaxHashes/2.
func Salt(i int) uint64 {
	salt := uint64(1)
	for range i * MaxHashes / 2 {
		salt *= Multiplier
	}
	return salt
}

// Salted returns the ID by which a filter of its own salt knows an article: its mix is that of the article's ID times
// the salt.
func Salted[ID ~uint64](id ID, salt uint64) ID { return ID(mix.Unmix(mix.Mix(uint64(id)) * salt)) }
