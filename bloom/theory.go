package bloom

import (
	"math"
	"math/bits"

	"dejavu/internal/mix"
)

// A Theory is the closed forms of a strategy that answers as a Bloom filter does. Embedded, it is all theory but Bytes.
type Theory struct {
	geometry Geometry
	held     func(read int) int
}

// NewTheory returns the theory of a filter that holds held(read) distinct articles, the newest, of read.
func NewTheory(g Geometry, held func(read int) int) Theory { return Theory{g, held} }

// All returns what a filter that is never cleared holds after read articles: all of them.
func All(read int) int { return max(read, 0) }

// FPR is the exact rate of the filter (Exact).
func (t Theory) FPR(read int) float64 { return Exact(t.held(read), t.geometry) }

// Asymptotic is FPR by the textbook approximation (the paper's eq. 1), 6 % low for filters as small as a hundred bits.
func (t Theory) Asymptotic(read int) float64 { return Asymptotic(t.held(read), t.geometry) }

// Window is what the filter holds.
func (t Theory) Window(read int) int { return t.held(read) }

// FillTheory is the expected share of set bits (Fill).
func (t Theory) FillTheory(read int) float64 { return Fill(t.held(read), t.geometry) }

// Digit is the first digit of a mixed ID to a base, a fingerprint: below the base, and uniform.
func Digit(id uint64, base int) int {
	digit, _ := bits.Mul64(mix.Mix(id), uint64(base))
	return int(digit)
}

// FingerprintFPR is the chance that an unseen item's fingerprint is one of n held, of so many that there can
// be, 1 − (1 − 1/fingerprints)^n. It is exact where fingerprints are independent and uniform. A negative n
// counts as 0, whose rate is 0; the rate is 1 where there can be one fingerprint, or none.
func FingerprintFPR(n, fingerprints int) float64 {
	switch {
	case n <= 0:
		return 0
	case fingerprints <= 1:
		return 1
	}
	return -math.Expm1(float64(n) * math.Log1p(-1/float64(fingerprints)))
}

// LeastFingerprints is how many fingerprints there must be, at least 1, for n of them to have a rate of at
// most fpr, in (0, 1); false where these are more than most, which is below 2^31.
func LeastFingerprints(n int, fpr float64, most int) (fingerprints int, ok bool) {
	exact := -1 / math.Expm1(math.Log1p(-fpr)/float64(n))
	if !(exact < float64(most)+1) {
		return 0, false
	}
	// By rounding it may be one or two away.
	for fingerprints = max(1, int(exact)-1); FingerprintFPR(n, fingerprints) > fpr; fingerprints++ {
	}
	return fingerprints, fingerprints <= most
}
