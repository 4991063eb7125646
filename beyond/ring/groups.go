package ring

import (
	"math"
	"math/bits"

	"dejavu/internal/bitarray"
)

// Fingerprints are the digits of a number to the base Range: of so many articles together, which take fewer bits than
// each alone. Three below 19800 take 43, where one takes 15; of a base that is a power of two each stands alone. A
// group of n digits d1, d2, ... is the fraction 0.d1d2... to the base, in as many bits as tell apart all there are,
// rounded up. So its digits come out by one multiplication each; only who writes one divides.
type groups struct {
	base     uint64
	articles int                      // in a group
	width    [mostArticles + 1]int    // bits, by the articles in it: the last group may have fewer
	powers   [mostArticles + 1]uint64 // of the base
}

const (
	mostBits     = bitarray.Most // of a group
	mostArticles = mostBits / 4
)

// newGroups returns groups of as many articles as have the fewest bits each, and of those the smallest.
func newGroups(base int) groups {
	g := groups{base: uint64(base)}
	g.powers[0] = 1
	fewest := math.Inf(1)
	for n := 1; n <= mostArticles; n++ {
		high, power := bits.Mul64(g.powers[n-1], g.base)
		width := bits.Len64(power - 1)
		if high != 0 || width > mostBits {
			return g
		}
		g.powers[n], g.width[n] = power, width
		if each := float64(width) / float64(n); each < fewest {
			g.articles, fewest = n, each
		}
	}
	return g
}

// bits is how many bits so many slots take.
func (g *groups) bits(slots int) int {
	return slots/g.articles*g.width[g.articles] + g.width[slots%g.articles]
}

// decode splits a group into its digits.
func (g *groups) decode(group uint64, digits []uint64) {
	fraction := group << (64 - g.width[len(digits)])
	for i := range digits {
		digits[i], fraction = bits.Mul64(fraction, g.base)
	}
}

// encode is the group of some digits.
func (g *groups) encode(digits []uint64) uint64 {
	number, n := uint64(0), len(digits)
	for _, digit := range digits {
		number = number*g.base + digit
	}
	high, low := bits.Mul64(number, 1<<g.width[n])
	group, rest := bits.Div64(high, low, g.powers[n])
	if rest > 0 {
		group++
	}
	return group
}

// load is a group's bits, up to mostBits, from the given one on. A window of few articles has less than a word.
func load(history []byte, bit, n int) uint64 {
	if len(history) >= 8 {
		return bitarray.Read(history, bit, n)
	}
	var word [8]byte
	copy(word[:], history)
	return bitarray.Read(word[:], bit, n)
}

// save overwrites them.
func save(history []byte, bit, n int, group uint64) {
	if len(history) >= 8 {
		bitarray.Write(history, bit, n, group)
		return
	}
	var word [8]byte
	copy(word[:], history)
	bitarray.Write(word[:], bit, n, group)
	copy(history, word[:])
}
