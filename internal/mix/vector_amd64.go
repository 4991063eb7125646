//go:build amd64 && !purego && !race

package mix

import "golang.org/x/sys/cpu"

//go:generate go -C ../asm/mix run . -out ../../mix/kernels_amd64.s -stubs ../../mix/kernels_amd64.go -pkg mix

// hasVectors is whether this processor mixes eight numbers at a time. GODEBUG's cpu.avx512f=off turns that
// off when a program starts, and the build tag purego leaves it out.
var hasVectors = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasBMI2

// saltByVectors is SaltAll of all numbers, or of none, and returns how many.
func saltByVectors(dst, src []uint64, before, between uint64) int {
	n := len(src)
	if !hasVectors || n == 0 {
		return 0
	}
	saltAVX512(&dst[:n][0], &src[0], uint64(n), before, between)
	return n
}
