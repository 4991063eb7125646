package bloom

import (
	"math"
	"math/bits"

	"dejavu/internal/mix"
)

// A Theory has the closed forms of a strategy that answers as one Bloom filter does, all but Bytes.
type Theory struct {
	geometry Geometry
	held     func(read int) int
}

// NewTheory returns the theory of a filter that holds held(read) distinct articles after read articles.
func NewTheory(g Geometry, held func(read int) int) Theory { return Theory{g, held} }

// All returns what a filter that is never cleared holds after read articles.
func All(read int) int { return max(read, 0) }

// FPR returns the exact rate of the filter (Exact).
func (t Theory) FPR(read int) float64 { return Exact(t.held(read), t.geometry) }

// Asymptotic returns the textbook's approximation of FPR, 6 % low for filters of a hundred bits.
func (t Theory) Asymptotic(read int) float64 { return Asymptotic(t.held(read), t.geometry) }

// Window returns the number of articles held.
func (t Theory) Window(read int) int { return t.held(read) }

// FillTheory returns the expected share of set bits (Fill).
func (t Theory) FillTheory(read int) float64 { return Fill(t.held(read), t.geometry) }

// Digit returns a fingerprint of an ID: the first digit of its mix to a base.
func Digit(id uint64, base int) int {
	digit, _ := bits.Mul64(mix.Mix(id), uint64(base))
	return int(digit)
}

// FingerprintFPR returns the chance that an unseen item's fingerprint is one of n held, 1 − (1 − 1/fingerprints)^n,
// which is exact for independent uniform fingerprints. A negative n counts as 0. The rate is 1 if there is at most one
// fingerprint.
func FingerprintFPR(n, fingerprints int) float64 {
	switch {
	case n <= 0:
		return 0
	case fingerprints <= 1:
		return 1
	}
	return -math.Expm1(float64(n) * math.Log1p(-1/float64(fingerprints)))
}

// LeastFingerprints returns how many fingerprints there must be for n of them to have a rate of at most fpr, in (0,
// 1), or false if these are more than most, which is below 2^31.
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
