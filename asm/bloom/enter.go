package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// enter makes the kernel that enters n IDs, one or more, under six hashes, by vectors:
// for sixteen IDs they make the bytes that are to change and what is to be set there, in
// words of 16 bits, and a loop sets it. That is fewer instructions than one place after
// the other takes.
func enter(c constants) {
	w := avx512
	TEXT("insertAVX512", 0, "func(array *byte, ids *uint64, n, m, count, lane, pattern uint64)")
	Pragma("noescape")
	// Whole cache lines: what is read from them has just been written.
	room, line := AllocLocal((2*mostDigits+1)*w.bytes()), GP64()
	LEAQ(room.Offset(w.bytes()-1), line)
	ANDQ(I32(-w.bytes()), line)
	bytes := Mem{Base: line}
	patterns := bytes.Offset(mostDigits * w.bytes())
	array, ids, n := Load(Param("array"), GP64()), Load(Param("ids"), GP64()), Load(Param("n"), GP64())
	id, product := newBlock(w, c), newBlock(w, c)
	product.m, product.multiplier = id.m, id.multiplier
	side := newSides()
	each := func(name string) reg.VecVirtual {
		v := ZMM()
		VPBROADCASTW(Load(Param(name), GP64()).(reg.GPVirtual).As32(), v)
		return v
	}
	count, lane, pattern := each("count"), each("lane"), each("pattern")
	all := GP64()
	MOVQ(I64(-1), all)

	Label("block")
	// What is behind the last ID is not read, and what becomes of it is not used.
	now := GP64()
	MOVQ(U32(w.block()), now)
	CMPQ(n, now)
	CMOVQCS(n, now)
	some, mask := GP64(), K()
	BZHIQ(now, all, some)
	for i, h := range id.halves {
		KMOVW(some.As32(), mask)
		VMOVDQU64_Z(Mem{Base: ids, Disp: i * w.bytes()}, mask, h.id)
		VPMULLQ(id.multiplier, h.id, product.halves[i].id)
		SHRQ(Imm(uint64(w)), some)
	}
	for i := range mostDigits {
		id.advance(i)
		product.advance(i)
		p, at := side.bySide(id, product, c), ZMM()
		VPMULLW(count, p, p)
		VPADDW(lane, p, p)
		VPSRLW(U8(3), p, at)
		VMOVDQU64(at, bytes.Offset(i*w.bytes()))
		VPANDD(c.seven16, p, p)
		VPSLLVW(p, pattern, p)
		VMOVDQU64(p, patterns.Offset(i*w.bytes()))
	}
	SUBQ(now, n)
	// The IDs of the first half lie at even places, those of the second at odd ones.
	for half, done := range []string{"half", "whole"} {
		if half == 1 {
			SUBQ(Imm(uint64(w)), now)
			JLS(LabelRef(done))
		}
		article, loop := GP64(), "set"+done
		XORQ(article, article)
		Label(loop)
		for i := range mostDigits {
			for j := range 2 {
				at, set := GP32(), GP32()
				place := func(m Mem) Mem {
					m.Index, m.Scale = article, 8
					return m.Offset(i*w.bytes() + 4*half + 2*j)
				}
				MOVWLZX(place(bytes), at)
				MOVWLZX(place(patterns), set)
				ORB(set.As8(), Mem{Base: array, Index: at.As64(), Scale: 1})
			}
		}
		INCQ(article)
		if half == 0 {
			CMPQ(article, Imm(uint64(w)))
			JEQ(LabelRef(done))
		}
		CMPQ(article, now)
		JCS(LabelRef(loop))
		Label(done)
	}
	ADDQ(Imm(uint64(8*w.block())), ids)
	TESTQ(n, n)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}
