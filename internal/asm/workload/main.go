// Command workload writes the machine code of package workload's kernel for amd64, and its declaration:
//
//	go run . -out ../../../workload/kernels_amd64.s -stubs ../../../workload/kernels_amd64.go -pkg workload
//
// The kernel takes eight steps of a user's order at once, with AVX-512, and makes of each what Reader.at defines.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"dejavu/internal/asm/emit"
)

// catalogueBits is what workload/workload.go defines, which cannot be imported here; its tests compare the kernel with
// it. The factors of an article's digest are those of package mix.
const catalogueBits = 26

func main() { emit.Write(ids) }

func ids() {
	lanes := GLOBL("lanes", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(i))
	}
	emit.Begin("idsAVX512", "dst *uint64, blocks, step, stride, twist, salt uint64")
	dst, blocks := emit.Arg("dst"), emit.Arg("blocks")

	// steps are step, step+stride, ... step+7*stride, and by is from one block to the next.
	steps, by, number := ZMM(), ZMM(), ZMM()
	VPBROADCASTQ(emit.Address("stride"), by)
	VPMULLQ(lanes, by, steps)
	VPSLLQ(Imm(3), by, by)
	VPBROADCASTQ(emit.Address("step"), number)
	VPADDQ(number, steps, steps)
	twist, salt := emit.Everywhere(emit.Address("twist")), emit.Everywhere(emit.Address("salt"))
	mask := emit.Fixed(1<<catalogueBits - 1)
	first, second := emit.Fixed(emit.MixFirst), emit.Fixed(emit.MixSecond)

	Label("block")
	a, t := ZMM(), ZMM()
	VPANDQ(mask, steps, a)
	VPADDQ(by, steps, steps)
	VPSRLQ(Imm(catalogueBits/2), a, t)
	VPXORQ(t, a, a)
	VPMULUDQ(twist, a, a) // of 32 bits, of which only the lowest 26 of the product count
	VPANDQ(mask, a, a)
	VPADDQ(salt, a, a)
	VPMULLQ(first, a, a)
	VPSRLQ(Imm(32), a, t)
	VPXORQ(t, a, a)
	VPMULLQ(second, a, a)
	VPSRLQ(Imm(29), a, t)
	VPXORQ(t, a, a)
	VMOVDQU64(a, Mem{Base: dst})
	ADDQ(Imm(64), dst)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	emit.Finish()
}
