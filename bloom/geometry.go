// Package bloom provides what all Bloom filters here share: geometry and sizing, exact false positive rates, and the
// interleaved filters of one user.
//
// A Bloom filter (Bloom 1970) has m bits and k probes: an article sets the bits at k positions derived from its ID, and
// is reported as seen if all k are set. A member is always recognised; Exact is the chance that another article is
// reported. The paper's filter, 4064 bits for 500 articles, has about 2 % false positives.
package bloom

import (
	"fmt"
	"math"
	"math/bits"
	"sort"

	"dejavu/internal/mix"
)

// The limits of a Geometry: 2 MiB a filter, and a rate of 2^-64.
const (
	MaxBits   = 1 << 24
	MaxHashes = 64
)

// A Geometry is the shape of a Bloom filter: positions (m), and probes of an item (k). The zero value is invalid.
type Geometry struct {
	Bits   int // m, 1 to MaxBits
	Hashes int // k, 1 to MaxHashes
}

// Validate returns an error if g is outside the limits.
func (g Geometry) Validate() error {
	if g.Bits < 1 || g.Bits > MaxBits {
		return fmt.Errorf("geometry %v: Bits is %d, want 1 to %d", g, g.Bits, MaxBits)
	}
	if g.Hashes < 1 || g.Hashes > MaxHashes {
		return fmt.Errorf("geometry %v: Hashes is %d, want 1 to %d", g, g.Hashes, MaxHashes)
	}
	return nil
}

// String returns bits and hashes: "4064/6".
func (g Geometry) String() string { return fmt.Sprintf("%d/%d", g.Bits, g.Hashes) }

// PaperGeometry sizes a filter of n articles for the rate fpr as the paper does (§4): m0 = ⌈n·log2(1/ε)⌉ (eq. 3), m =
// ⌈1.44·m0⌉ (eq. 4), and k = (m/n)·ln 2 rounded (eq. 2). As 1/ln 2 is 1.4427, the rate of 4064/6 is 0.0203, above its
// target. For n = 100 the paper prints 812 bits (§7), while its equations give 814.
//
// It returns an error if n is not 1 to MaxBits, fpr is not in (0, 1), or the result is not valid (as at a rate near 1).
func PaperGeometry(n int, fpr float64) (Geometry, error) {
	if err := validTarget(n, fpr); err != nil {
		return Geometry{}, err
	}
	bound := math.Ceil(float64(n) * -math.Log2(fpr))
	// 144/100, as the float 1.44 is a little more.
	bits := math.Ceil(144 * bound / 100)
	return rounded("PaperGeometry", n, fpr, bits, bits/float64(n)*math.Ln2)
}

// LectureGeometry sizes a filter by Wang's lecture on the exposure filter: k = 1.44·ln(1/δ), rounded, and m =
// 2n·ln(1/δ), rounded up. It misses its target, as the best constant is 1/(ln 2)² = 2.0814.
func LectureGeometry(n int, fpr float64) (Geometry, error) {
	if err := validTarget(n, fpr); err != nil {
		return Geometry{}, err
	}
	nats := -math.Log(fpr)
	return rounded("LectureGeometry", n, fpr, math.Ceil(2*float64(n)*nats), 1.44*nats)
}

// BestGeometry returns the smallest filter whose Exact rate at n articles is at most fpr, with the fewest hashes. It
// returns an error if n is not 1 to MaxBits, fpr is not in (0, 1), or no valid filter meets the target.
func BestGeometry(n int, fpr float64) (Geometry, error) {
	if err := validTarget(n, fpr); err != nil {
		return Geometry{}, err
	}
	best := Geometry{Bits: MaxBits + 1}
	try := func(hashes int) {
		limit := best.Bits
		if best.Hashes == 0 || hashes > best.Hashes {
			limit-- // of equal sizes prefer fewer hashes
		}
		if bits := smallest(n, hashes, limit, fpr); bits <= limit {
			best = Geometry{Bits: bits, Hashes: hashes}
		}
	}
	// The asymptotic optimum is nearly always the best, and rules out the others quickly.
	try(int(min(max(math.Round(-math.Log2(fpr)), 1), MaxHashes)))
	for hashes := 1; hashes <= MaxHashes; hashes++ {
		if hashes != best.Hashes {
			try(hashes)
		}
	}
	if best.Hashes == 0 {
		return Geometry{}, fmt.Errorf("bloom: fpr is %v, want at least %.2g: %d articles in %d bits", fpr,
			1.05*LeastRate(n), n, MaxBits)
	}
	return best, nil
}

// LeastRate returns the lowest rate of any valid filter at n articles. It uses the expected fill: a thousandth off.
func LeastRate(n int) float64 {
	least := 1.
	for k := 1; k <= MaxHashes; k++ {
		least = min(least, math.Pow(Fill(n, Geometry{Bits: MaxBits, Hashes: k}), float64(k)))
	}
	return least
}

// BestHashes returns the filter of this number of bits whose Exact rate at n articles is lowest.
func BestHashes(bits, n int) Geometry {
	best, lowest := Geometry{}, math.Inf(1)
	for hashes := 1; hashes <= MaxHashes; hashes++ {
		g := Geometry{Bits: bits, Hashes: hashes}
		if rate := Exact(n, g); rate < lowest*(1-1e-12) { // equal up to rounding: fewer hashes
			best, lowest = g, rate
		}
	}
	return best
}

// smallest returns the least number of bits, up to limit, with which k hashes meet fpr, or limit+1.
func smallest(n, k, limit int, fpr float64) int {
	// By Jensen's inequality E[(I/m)^k] ≥ (E[I]/m)^k, so the fill rules out most sizes. The factor covers rounding.
	possible := func(bits int) bool {
		return math.Pow(Fill(n, Geometry{Bits: bits, Hashes: k}), float64(k)) <= fpr*(1+1e-9)
	}
	meets := func(bits int) bool { return Exact(n, Geometry{Bits: bits, Hashes: k}) <= fpr }
	return Least(1, limit, possible, meets)
}

func validTarget(n int, fpr float64) error {
	if n < 1 || n > MaxBits {
		return fmt.Errorf("bloom: a window of n articles: n is %d, want 1 to %d", n, MaxBits)
	}
	if !(fpr > 0 && fpr < 1) { // also false for NaN
		return fmt.Errorf("bloom: fpr is %v, want it between 0 and 1, both excluded", fpr)
	}
	return nil
}

func rounded(rule string, n int, fpr, bits, hashes float64) (Geometry, error) {
	// Compare as float64: a huge n would overflow int.
	if bits > MaxBits || hashes >= MaxHashes+0.5 {
		return Geometry{}, fmt.Errorf("bloom: %s(%d, %g) asks for %.0f bits and %.1f hashes: want at most %d and %d",
			rule, n, fpr, bits, hashes, MaxBits, MaxHashes)
	}
	g := Geometry{Bits: int(bits), Hashes: int(math.Round(hashes))}
	if err := g.Validate(); err != nil {
		return Geometry{}, fmt.Errorf("bloom: %s(%d, %g): %w", rule, n, fpr, err)
	}
	return g, nil
}

// Least returns the least number from low to limit for which meets is true, or limit+1. It must be true for all larger
// numbers, and so must possible: a cheap test, or nil, that is true at least where meets is.
func Least(low, limit int, possible, meets func(int) bool) int {
	least := func(from, to int, met func(int) bool) int { // to is known to meet it
		return from + sort.Search(to-from, func(i int) bool { return met(from + i) })
	}
	if possible == nil {
		possible = meets
	}
	if limit < low || !possible(limit) {
		return limit + 1
	}
	low = least(low, limit, possible)
	high := low
	for step := 1; !meets(high); step *= 2 { // go up from the bound
		if low = high + 1; low > limit {
			return low
		}
		high = min(high+step, limit)
	}
	return least(low, high, meets)
}

// A mixed ID is a fraction in [0, 1), whose digits in base m are the probe positions. The whole part of the fraction
// times m is a position, and the rest provides the next (bits.Mul64).
//
// 64 bits contain few digits. After Geometry.Digits, the product of mix and Multiplier provides the next. Rates show
// no bias against the exact formula even at m = 812 (TestProbesShowNoBias), where double hashing does.

// Multiplier is odd and has good spectra of its powers (Steele and Vigna, "Computationally easy, spectrally good
// multipliers for congruential pseudorandom number generators", 2022, table for 64 bits).
const Multiplier = 0xd1342543de82ef95

// MostDigits is the most digits of one product: three leave 10 bits at 2^18 positions. Six make rates 3.9 % too high.
const (
	MostDigits     = 3
	mostDigitsBits = 1 << 18 // for MostDigits
)

// Digits returns how many probe positions each product provides: MostDigits up to 2^18 bits, and 2 beyond.
func (g Geometry) Digits() int {
	if g.Bits <= mostDigitsBits {
		return MostDigits
	}
	return 2
}

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

// Salt returns a factor for the i-th of several filters of one history, which must probe independently: each adds
// articles as Salted. No two filters share a product, as none uses more than MaxHashes/2.
func Salt(i int) uint64 {
	salt := uint64(1)
	for range i * MaxHashes / 2 {
		salt *= Multiplier
	}
	return salt
}

// Salted returns the ID under which a filter with this salt adds an article.
func Salted[ID ~uint64](id ID, salt uint64) ID { return ID(mix.Unmix(mix.Mix(uint64(id)) * salt)) }
