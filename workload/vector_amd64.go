//go:build amd64 && !purego && !race

package workload

import (
	"golang.org/x/sys/cpu"

	"dejavu/strategies"
)

//go:generate go -C ../internal/asm/workload run . -out ../../../workload/kernels_amd64.s -stubs ../../../workload/kernels_amd64.go -pkg workload

// hasVectors is whether this processor makes eight articles at a time. GODEBUG's cpu.avx512f=off turns that
// off when a program starts, and the build tag purego leaves it out.
var hasVectors = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ

// byVectors fills dst with the articles from a step on, as many as vectors can, and returns how many.
func (r Reader) byVectors(dst []strategies.ID, step uint64) int {
	const block = 8
	if !hasVectors || len(dst) < block {
		return 0
	}
	idsAVX512((*uint64)(&dst[0]), uint64(len(dst)/block), step, r.stride, r.twist, r.salt)
	return len(dst) / block * block
}
