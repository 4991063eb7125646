package ring

import "math"

// Bytes is the ring, in whole steps, and the header.
func (r *Ring) Bytes(read int) int {
	if read == 0 {
		return 0
	}
	return r.Sizes()[(min(read, r.window)-1)/step]
}

// FPR is the chance that an unseen article's fingerprint is among those held,
// 1 - (1 - 2^-b)^N. It is exact: fingerprints are independent and uniform.
func (r *Ring) FPR(read int) float64 { return rate(min(read, r.window), r.bits) }

func rate(articles, bits int) float64 {
	return -math.Expm1(float64(articles) * math.Log1p(-math.Ldexp(1, -bits)))
}

// Window is the last Window articles, exactly.
func (r *Ring) Window(read int) int { return min(read, r.window) }
