package swamp

import "dejavu/bloom"

// Bytes is buffer and table, in whole steps, and the header.
func (f *Filter) Bytes(read int) int { return f.SizeAt(read, (min(read, f.window)-1)/step) }

// FPR is the chance that an unseen article's fingerprint is among those held, 1 - (1 - 2^-b)^N, which the
// paper bounds by ε (its sliding Bloom filter). It is exact: fingerprints are independent and uniform.
func (f *Filter) FPR(read int) float64 {
	return bloom.FingerprintFPR(min(read, f.window), 1<<f.bits)
}

// Window is the last Window articles, exactly.
func (f *Filter) Window(read int) int { return min(read, f.window) }
