//go:build amd64 && !purego && !race

package workload

import (
	"dejavu/internal/kernel"
	"dejavu/strategies"
)

//go:generate go -C ../internal/asm/workload run . -out ../../../workload/kernels_amd64.s -stubs ../../../workload/kernels_amd64.go -pkg workload

// byVectors fills the beginning of dst with the articles from a step on, as far as vectors go, and returns how many.
func (r Reader) byVectors(dst []strategies.ID, step uint64) int {
	const block = 8
	if kernel.Now() < kernel.AVX512 || len(dst) < block {
		return 0
	}
	idsAVX512((*uint64)(&dst[0]), uint64(len(dst)/block), step, r.stride, r.twist, r.salt)
	return len(dst) / block * block
}
