package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// enter makes a kernel that enters n IDs, eight or more, under six hashes. Vectors make
// of eight IDs the bytes of the array that are to change and what is to be set in them,
// in words of 16 bits, and a loop sets it: fewer instructions than one place after the
// other takes. Vectors take their time, and a processor that waits for them soon has no
// room for instructions that do not. So while they work on eight IDs the eight before
// are set, and at first those of n that are no eight.
func enter(in lane, c constants) {
	w := avx512
	TEXT("insert"+string(in)+"AVX512", 0, insertion)
	Pragma("noescape")
	// Two rooms of whole cache lines, as what is read from them has just been written.
	const lines = 4
	local, room, other := AllocLocal((2*lines+1)*w.bytes()), GP64(), GP64()
	LEAQ(local.Offset(w.bytes()-1), room)
	ANDQ(I32(-w.bytes()), room)
	LEAQ(Mem{Base: room, Disp: lines * w.bytes()}, other)

	array, ids, n := Load(Param("array"), GP64()), Load(Param("ids"), GP64()), Load(Param("n"), GP64())
	l, first, pattern := newLanes(), GP64(), GP64()
	MOVQ(l.bits, reg.RDX) // a factor of MULX
	TZCNTQ(l.lanes, first)
	SHRXQ(first, l.lanes, pattern)
	id := newBlock(w, c, l.bits)
	id.halves = id.halves[:1]
	product := id.another()
	each := func(x reg.GPVirtual) reg.VecVirtual {
		v := ZMM()
		VPBROADCASTW(x.As32(), v)
		return v
	}
	e := entries{in: in, id: id, product: product, pattern: each(pattern), digit: ZMM(), sevens: ZMM()}
	if in == inLanes {
		e.count, e.first = ZMM(), each(first)
		VPBROADCASTW(l.count, e.count)
	}
	for i, mask := range c.words {
		e.words[i+1] = K()
		KMOVQ(mask, e.words[i+1])
	}
	VMOVDQU64(c.digit, e.digit)
	VMOVDQU64(c.seven16, e.sevens)
	// At first the IDs that are no eight, then -1.
	few, eights := GP64(), GP64()
	MOVQ(n, few)
	ANDQ(Imm(7), few)
	SUBQ(few, n)
	LEAQ(Mem{Base: ids, Index: few, Scale: 8}, eights)

	Label("eight")
	VMOVDQU64(Mem{Base: eights}, id.halves[0].id)
	for i, v := range e.make() {
		VMOVDQU64(v, Mem{Base: room, Disp: i * w.bytes()})
	}
	TESTQ(few, few)
	JLT(LabelRef("before"))
	JEQ(LabelRef("next"))
	Label("article")
	set(in, Mem{Base: ids}, array, l.count, first, func(bit reg.GPVirtual) {
		SHLXL(bit.As32(), pattern.As32(), bit.As32())
	})
	ADDQ(Imm(8), ids)
	DECQ(few)
	JNZ(LabelRef("article"))
	JMP(LabelRef("next"))
	Label("before")
	setEight("setBefore", array, other)
	Label("next")
	MOVQ(I64(-1), few)
	XCHGQ(room, other)
	ADDQ(Imm(uint64(w.bytes())), eights)
	SUBQ(Imm(uint64(w)), n)
	JNZ(LabelRef("eight"))
	setEight("set", array, other)
	VZEROUPPER()
	RET()
}

// entries are of eight IDs.
type entries struct {
	in                                   lane
	id, product                          *block
	words                                [4]reg.OpmaskVirtual // of elements, but the first
	count, first, pattern, digit, sevens reg.VecVirtual
}

// make makes, from the IDs in the first half of a block, the bytes of four digits an ID
// and what is set there, and the same of two digits, in the lower half of each element.
func (e entries) make() (made []reg.VecVirtual) {
	id, product := e.id.halves[0], e.product.halves[0]
	VPMULLQ(e.id.multiplier, id.id, product.id)
	four, two := ZMM(), ZMM()
	for digit := range mostDigits {
		e.id.advance(digit)
		e.product.advance(digit)
		switch digit {
		case 0:
			VPSHUFB(e.digit, id.high, four)
			VPSHUFB(e.digit, product.high, e.words[1], four)
		case 1:
			VPSHUFB(e.digit, id.high, e.words[2], four)
			VPSHUFB(e.digit, product.high, e.words[3], four)
		case 2:
			VPSHUFB(e.digit, id.high, two)
			VPSHUFB(e.digit, product.high, e.words[1], two)
		}
	}
	for _, places := range []reg.VecVirtual{four, two} {
		if e.in == inLanes {
			VPMULLW(e.count, places, places)
			VPADDW(e.first, places, places)
		}
		bytes := ZMM()
		VPSRLW(U8(3), places, bytes)
		VPANDD(e.sevens, places, places)
		VPSLLVW(places, e.pattern, places)
		made = append(made, bytes, places)
	}
	return made
}

// setEight sets the entries in a room.
func setEight(loop string, array, room reg.Register) {
	const words = 2 * 4 // bytes of an element
	article, end := GP64(), GP64()
	MOVQ(room, article)
	LEAQ(Mem{Base: room, Disp: avx512.bytes()}, end)
	Label(loop)
	for i := range 2 * mostDigits {
		at, set, word := GP64(), GP32(), Mem{Base: article, Disp: i/4*2*avx512.bytes() + 2*(i%4)}
		MOVWQZX(word, at)
		MOVWLZX(word.Offset(avx512.bytes()), set)
		ORB(set.As8(), Mem{Base: array, Index: at, Scale: 1})
	}
	ADDQ(Imm(words), article)
	CMPQ(article, end)
	JNE(LabelRef(loop))
}
