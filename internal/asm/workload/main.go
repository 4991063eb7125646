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

// catalogueBits is workload/workload.go's. An article's digest has the factors of package mix.
const catalogueBits = 26

func main() { emit.Write(ids) }

func ids() {
	c := emit.Constants{}
	c.Add("lanes", 64, emit.Each(8, func(i int) Constant { return U64(i) })...)
	emit.Begin("idsAVX512", "dst *uint64, blocks, step, stride, twist, salt uint64")
	dst, blocks := emit.Arg("dst"), emit.Arg("blocks")

	// steps are step, step+stride, ... step+7*stride, and by is from one block to the next.
	steps, by := ZMM(), emit.Everywhere(emit.Address("stride"))
	VPMULLQ(c["lanes"], by, steps)
	VPSLLQ(Imm(3), by, by)
	VPADDQ(emit.Everywhere(emit.Address("step")), steps, steps)
	twist, salt := emit.Everywhere(emit.Address("twist")), emit.Everywhere(emit.Address("salt"))
	mask := emit.Fixed(1<<catalogueBits - 1)
	first, second := emit.Fixed(emit.MixFirst), emit.Fixed(emit.MixSecond)

	Label("block")
	a, t := ZMM(), ZMM()
	VPANDQ(mask, steps, a)
	VPADDQ(by, steps, steps)
	emit.Fold(catalogueBits/2, a, t)
	VPMULUDQ(twist, a, a) // of 32 bits, of which only the lowest 26 of the product count
	VPANDQ(mask, a, a)
	VPADDQ(salt, a, a)
	VPMULLQ(first, a, a)
	emit.Fold(32, a, t)
	VPMULLQ(second, a, a)
	emit.Fold(29, a, t)
	VMOVDQU64(a, Mem{Base: dst})
	ADDQ(Imm(64), dst)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	emit.Finish()
}
