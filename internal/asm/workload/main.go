// Command workload writes the machine code of package workload's kernel for amd64, and its declaration:
//
//	go run . -out ../../../workload/kernels_amd64.s -stubs ../../../workload/kernels_amd64.go -pkg workload
//
// The kernel takes eight steps of a user's order at once, with AVX-512, and makes of each what Reader.at defines.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What workload/workload.go defines, which cannot be imported here; its tests compare the kernel with it.
const (
	catalogueBits = 26
	first, second = 0xd6e8feb86659fd93, 0x9fb21c651e98df25 // the factors of an article's digest
)

func main() {
	ConstraintExpr("amd64,!purego,!race") // the race detector sees what Go code touches, and this not
	lanes := GLOBL("lanes", RODATA|NOPTR)
	for i := range 8 {
		DATA(8*i, U64(i))
	}
	TEXT("idsAVX512", NOSPLIT, "func(dst *uint64, blocks, step, stride, twist, salt uint64)")
	Pragma("noescape")
	dst, blocks := Load(Param("dst"), GP64()), Load(Param("blocks"), GP64())

	// steps are step, step+stride, ... step+7*stride, and by is from one block to the next.
	steps, by, number := ZMM(), ZMM(), ZMM()
	VPBROADCASTQ(param("stride"), by)
	VPMULLQ(lanes, by, steps)
	VPSLLQ(Imm(3), by, by)
	VPBROADCASTQ(param("step"), number)
	VPADDQ(number, steps, steps)
	twist, salt := ZMM(), ZMM()
	VPBROADCASTQ(param("twist"), twist)
	VPBROADCASTQ(param("salt"), salt)
	mask, c1, c2 := constant(1<<catalogueBits-1), constant(first), constant(second)

	Label("block")
	a, t := ZMM(), ZMM()
	VPANDQ(mask, steps, a)
	VPADDQ(by, steps, steps)
	VPSRLQ(Imm(catalogueBits/2), a, t)
	VPXORQ(t, a, a)
	VPMULUDQ(twist, a, a) // of 32 bits, of which only the lowest 26 of the product count
	VPANDQ(mask, a, a)
	VPADDQ(salt, a, a)
	VPMULLQ(c1, a, a)
	VPSRLQ(Imm(32), a, t)
	VPXORQ(t, a, a)
	VPMULLQ(c2, a, a)
	VPSRLQ(Imm(29), a, t)
	VPXORQ(t, a, a)
	VMOVDQU64(a, Mem{Base: dst})
	ADDQ(Imm(64), dst)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
	Generate()
}

func param(name string) Op {
	p, _ := Param(name).Resolve() // nil for what is no parameter
	return p.Addr
}

func constant(value uint64) reg.VecVirtual {
	at := GLOBL(fmt.Sprintf("c%x", value), RODATA|NOPTR)
	DATA(0, U64(value))
	v := ZMM()
	VPBROADCASTQ(at, v)
	return v
}
