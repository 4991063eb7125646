package ring

import "dejavu/bloom"

// Bytes is the ring, in whole steps, and the header.
func (r *Ring) Bytes(read int) int { return r.SizeAt(read, (min(read, r.window)-1)/r.step) }

// FPR is the chance that an unseen article's fingerprint is among those held,
// 1 - (1 - 1/Range)^N. It is exact: fingerprints are independent and uniform.
func (r *Ring) FPR(read int) float64 { return bloom.FingerprintFPR(min(read, r.window), int(r.base)) }

// Window is the last Window articles, exactly.
func (r *Ring) Window(read int) int { return min(read, r.window) }
