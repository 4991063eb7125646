package bloom

import (
	"math/bits"

	"dejavu/internal/mix"
)

// The mix of an ID is read as a fraction in [0, 1), and its probes are the fraction's digits in base m. Multiplying by
// m gives a position as the whole part, and the fraction goes on: one multiplication a probe (bits.Mul64).
//
// 64 bits hold few digits. After Geometry.Digits of them, the next digits come from the mix times Multiplier, then
// times its square, and so on. The rate shows no bias against the exact formula even at m = 812
// (TestProbesShowNoBias), where double hashing does.

// Multiplier makes the products of an ID: odd, and with good spectra of its powers (Steele and Vigna, "Computationally
// easy, spectrally good multipliers for congruential pseudorandom number generators", 2022, table for 64 bits).
const Multiplier = 0xd1342543de82ef95

// MostDigits limits the digits of one product: three leave 10 bits at 2^18 positions; six of 12 bits read 3.9 % high.
const (
	MostDigits     = 3
	mostDigitsBits = 1 << 18 // up to where
)

// Digits returns how many probes a product gives: MostDigits up to 2^18 bits, and 2 beyond.
func (g Geometry) Digits() int {
	if g.Bits <= mostDigitsBits {
		return MostDigits
	}
	return 2
}

// digits returns the first three digits of a fraction, in base m.
func digits(x, m uint64) (p, q, r uint64) {
	p, x = bits.Mul64(x, m)
	q, x = bits.Mul64(x, m)
	r, _ = bits.Mul64(x, m)
	return p, q, r
}

// Positions appends the positions of an ID to dst, each in [0, Bits).
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

// Salt returns the factor of the i-th of several filters of one history that must probe independently: each stores an
// article as Salted. No two filters share a product, as none takes more than MaxHashes/2.
func Salt(i int) uint64 {
	salt := uint64(1)
	for range i * MaxHashes / 2 {
		salt *= Multiplier
	}
	return salt
}

// Salted returns the ID that a filter with this salt uses for an article.
func Salted[ID ~uint64](id ID, salt uint64) ID { return ID(mix.Unmix(mix.Mix(uint64(id)) * salt)) }
