// Command mix writes the machine code of package mix's kernel for amd64, and its declaration:
//
//	go run . -out ../../mix/kernels_amd64.s -stubs ../../mix/kernels_amd64.go -pkg mix
//
// The kernel salts eight numbers at once, with AVX-512, and what is left over through a mask.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"

	"dejavu/internal/asm/emit"
)

func main() { emit.Write(salt) }

func salt() {
	emit.Begin("saltAVX512", "dst, src *uint64, n, before, between uint64")
	dst, src, n := emit.Arg("dst"), emit.Arg("src"), emit.Arg("n")
	before, between := emit.Everywhere(emit.Address("before")), emit.Everywhere(emit.Address("between"))
	first, second := emit.Fixed(emit.MixFirst), emit.Fixed(emit.MixSecond)
	mask, some := GP64(), K()
	MOVQ(I64(-1), mask)
	KMOVW(mask.As32(), some)
	Label("eight")
	CMPQ(n, Imm(8))
	JCC(LabelRef("whole"))
	BZHIQ(n, mask, mask)
	KMOVW(mask.As32(), some)
	Label("whole")
	x, t := ZMM(), ZMM()
	VMOVDQU64_Z(Mem{Base: src}, some, x)
	VPXORQ(before, x, x)
	emit.Mix(x, t, first, second, between)
	VMOVDQU64(x, some, Mem{Base: dst})
	ADDQ(Imm(64), src)
	ADDQ(Imm(64), dst)
	SUBQ(Imm(8), n)
	JHI(LabelRef("eight"))
	emit.Finish()
}
