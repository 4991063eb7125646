// Command mix writes the machine code of package mix's kernel for amd64, and its declaration:
//
//	go run . -out ../../mix/kernels_amd64.s -stubs ../../mix/kernels_amd64.go -pkg mix
//
// The kernel salts eight numbers at once, with AVX-512, and what is left over through a mask.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What mix/mix.go defines, which cannot be imported here; its tests compare the kernel with it.
const first, second = 0xd6e8feb86659fd93, 0x9fb21c651e98df25

func main() {
	// The race detector sees what Go code touches, and this not.
	ConstraintExpr("amd64,!purego,!race")
	TEXT("saltAVX512", NOSPLIT, "func(dst, src *uint64, n, before, between uint64)")
	Pragma("noescape")
	dst, src, n := Load(Param("dst"), GP64()), Load(Param("src"), GP64()), Load(Param("n"), GP64())
	before, between := everywhere(param("before")), everywhere(param("between"))
	first, second := constant(first), constant(second)
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
	VPSRLQ(U8(32), x, t)
	VPXORQ(t, x, x)
	VPMULLQ(first, x, x)
	VPSRLQ(U8(29), x, t)
	VPTERNLOGQ(U8(0x96), between, t, x) // of all three, whether one or three are set
	VPMULLQ(second, x, x)
	VPSRLQ(U8(32), x, t)
	VPXORQ(t, x, x)
	VMOVDQU64(x, some, Mem{Base: dst})
	ADDQ(Imm(64), src)
	ADDQ(Imm(64), dst)
	SUBQ(Imm(8), n)
	JHI(LabelRef("eight"))
	VZEROUPPER()
	RET()
	Generate()
}

func param(name string) Op {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

func everywhere(value Op) reg.VecVirtual {
	v := ZMM()
	VPBROADCASTQ(value, v)
	return v
}

func constant(value uint64) reg.VecVirtual {
	at := GLOBL(fmt.Sprintf("c%x", value), RODATA|NOPTR)
	DATA(0, U64(value))
	return everywhere(at)
}
