package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"dejavu/internal/asm/emit"
)

// Equations are words, eight a register. Equations of one kind of keys form a group, followed by blank ones.

func fill(c emit.Constants) {
	begin("fillAVX512", "equations, spreads *uint64, n, factor uint64")
	equations, spreads, n, factor := arg("equations"), arg("spreads"), arg("n"), everywhere(param("factor"))
	x, t, some := ZMM(), ZMM(), K()
	Label("eight")
	masked(n, some)
	VMOVDQU64_Z(Mem{Base: spreads}, some, x)
	VPMULLQ(factor, x, x)
	emit.Fold(32, x, t)
	VMOVDQU64(x, Mem{Base: equations})
	ADDQ(Imm(64), equations)
	ADDQ(Imm(64), spreads)
	SUBQ(Imm(8), n)
	JHI(LabelRef("eight"))
	finish()
}

// eliminate gives each of up to 56 equations a pivot, the lowest bit of its row, none twice. It returns how many.
func eliminate(emit.Constants) {
	begin("eliminateAVX512", "equations, pivots *uint64, n, row uint64) (given uint64")
	equations, pivots, n, given := arg("equations"), arg("pivots"), arg("n"), GP64()
	row, zero, one := everywhere(param("row")), ZMM(), ZMM()
	VPXORQ(zero, zero, zero)
	VPTERNLOGQ(U8(0xff), one, one, one)
	VPSRLQ(U8(63), one, one)
	var group [7]reg.VecVirtual
	for i := range group {
		group[i] = ZMM()
		VMOVDQU64(Mem{Base: equations, Disp: 64 * i}, group[i])
	}
	XORQ(given, given)
	equation, pivot, lane, t := ZMM(), ZMM(), ZMM(), ZMM()
	others, has := K(), K()
	for i := range group {
		VPXORQ(lane, lane, lane)
		all := GP64()
		MOVL(U32(0xfe), all.As32())
		label := fmt.Sprint("equation", i)
		Label(label)
		CMPQ(given, n)
		JE(LabelRef("done"))
		VPERMQ(group[i], lane, equation)
		VPANDQ(row, equation, t)
		VPSUBQ(t, zero, pivot)
		VPANDQ(t, pivot, pivot)
		VPTESTMQ(pivot, pivot, has)
		KORTESTB(has, has)
		JZ(LabelRef("done"))
		VMOVQ(pivot.AsX(), Mem{Base: pivots}.Idx(given, 8))
		KMOVB(all.As32(), others)
		for j, v := range group {
			if j == i {
				VPTESTMQ(pivot, v, others, has)
			} else {
				VPTESTMQ(pivot, v, has)
			}
			VPXORQ(equation, v, has, v)
		}
		VPADDQ(one, lane, lane)
		INCQ(given)
		ROLB(Imm(1), all.As8())
		TESTB(Imm(1), all.As8())
		JNZ(LabelRef(label))
	}
	Label("done")
	for i, v := range group {
		VMOVDQU64(v, Mem{Base: equations, Disp: 64 * i})
	}
	Store(given, ReturnIndex(0))
	finish()
}

// reduce eliminates the pivots of n equations from another group, sixteen at a time.
func reduce(emit.Constants) {
	begin("reduceAVX512", "group *uint64, blocks uint64, equations, pivots *uint64, n uint64")
	group, blocks, at, n := arg("group"), arg("blocks"), GP64(), arg("n")
	Label("block")
	equations, pivots := arg("equations"), arg("pivots")
	var was, now [2]reg.VecVirtual
	for i := range was {
		was[i], now[i] = load(Mem{Base: group, Disp: 64 * i}), load(Mem{Base: group, Disp: 64 * i})
	}
	XORQ(at, at)
	Label("equation")
	equation, pivot, has := everywhere(Mem{Base: equations}.Idx(at, 8)), everywhere(Mem{Base: pivots}.Idx(at, 8)), K()
	for i := range was {
		VPTESTMQ(pivot, was[i], has)
		VPXORQ(equation, now[i], has, now[i])
	}
	INCQ(at)
	CMPQ(at, n)
	JCS(LabelRef("equation"))
	for i, v := range now {
		VMOVDQU64(v, Mem{Base: group, Disp: 64 * i})
	}
	ADDQ(Imm(128), group)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	finish()
}

// say adds the pivots of n equations that have a mark to a column.
func say(emit.Constants) {
	begin("sayAVX512", "equations, pivots *uint64, n uint64, marks, columns *uint64, count uint64")
	marks, columns, count := arg("marks"), arg("columns"), arg("count")
	Label("column")
	equations, pivots, n := arg("equations"), arg("pivots"), arg("n")
	mark, sum, has := everywhere(Mem{Base: marks}), ZMM(), K()
	VPXORQ(sum, sum, sum)
	Label("eight")
	some := K()
	masked(n, some)
	equation := load(Mem{Base: equations})
	VPTESTMQ(mark, equation, some, has)
	VPORQ(Mem{Base: pivots}, sum, has, sum)
	ADDQ(Imm(64), equations)
	ADDQ(Imm(64), pivots)
	SUBQ(Imm(8), n)
	JHI(LabelRef("eight"))
	fold(sum) // no two pivots are the same
	column := GP64()
	VMOVQ(sum.AsX(), column)
	ORQ(column, Mem{Base: columns})
	ADDQ(Imm(8), marks)
	ADDQ(Imm(64), columns)
	DECQ(count)
	JNZ(LabelRef("column"))
	finish()
}
