package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// keep makes the kernel that leaves of n words of an array, one or more, only the kept
// bits, four words at a time. The few stores are done when the next insertion loads
// what they wrote; those of one word after the other are not.
func keep() {
	TEXT("keepAVX2", NOSPLIT, "func(array *byte, kept *uint64, n uint64)")
	Pragma("noescape")
	array, kept, n := Load(Param("array"), GP64()), Load(Param("kept"), GP64()), Load(Param("n"), GP64())
	Label("four")
	SUBQ(Imm(4), n)
	JCS(LabelRef("rest"))
	words := YMM()
	VMOVDQU(Mem{Base: kept}, words)
	VPAND(Mem{Base: array}, words, words)
	VMOVDQU(words, Mem{Base: array})
	ADDQ(Imm(32), kept)
	ADDQ(Imm(32), array)
	JMP(LabelRef("four"))
	Label("rest")
	ADDQ(Imm(4), n)
	JZ(LabelRef("done"))
	Label("one")
	word := GP64()
	MOVQ(Mem{Base: kept}, word)
	ANDQ(word, Mem{Base: array})
	ADDQ(Imm(8), kept)
	ADDQ(Imm(8), array)
	DECQ(n)
	JNZ(LabelRef("one"))
	Label("done")
	VZEROUPPER()
	RET()
}
