//go:build amd64 && !purego && !race

package mix

import "dejavu/internal/kernel"

//go:generate go -C ../asm/mix run . -out ../../mix/kernels_amd64.s -stubs ../../mix/kernels_amd64.go -pkg mix

// saltByVectors does what SaltAll does, for all numbers or none. It returns how many it set.
func saltByVectors(dst, src []uint64, before, between uint64) int {
	n := len(src)
	if kernel.Now() < kernel.AVX512 || n == 0 {
		return 0
	}
	saltAVX512(&dst[:n][0], &src[0], uint64(n), before, between)
	return n
}
