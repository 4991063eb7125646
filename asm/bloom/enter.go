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
func enter(w width, in lane, c constants) {
	TEXT(w.name("insert"+string(in)), 0, insertion)
	Pragma("noescape")
	// Two rooms of whole cache lines, as what is read from them has just been written.
	const line, lines = 64, 4
	local, room, other := AllocLocal((2*lines+1)*line), GP64(), GP64()
	LEAQ(local.Offset(line-1), room)
	ANDQ(I32(-line), room)
	LEAQ(Mem{Base: room, Disp: lines * line}, other)

	array, ids, n := Load(Param("array"), GP64()), Load(Param("ids"), GP64()), Load(Param("n"), GP64())
	l, first, bits, both := newLanes(), GP64(), GP64(), GP64()
	MOVQ(l.bits, reg.RDX) // a factor of MULX
	TZCNTQ(l.lanes, first)
	LEAQ(c.bits, bits)
	LEAQ(c.bothBits, both)
	SHRXQ(first, l.lanes, n) // 1, or 3 for both of two
	CMPQ(n, Imm(1))
	CMOVQNE(both, bits)
	MOVQ(param("n"), n)
	e := newEntries(w, in, c, l, first, bits)
	// At first the IDs that are no eight, then -1.
	few, eights := GP64(), GP64()
	MOVQ(n, few)
	ANDQ(Imm(7), few)
	SUBQ(few, n)
	LEAQ(Mem{Base: ids, Index: few, Scale: 8}, eights)

	Label("eight")
	for half := range e.halves() {
		e.make(Mem{Base: eights, Disp: half * w.bytes()}, e.at(room, half))
	}
	TESTQ(few, few)
	JLT(LabelRef("before"))
	JEQ(LabelRef("next"))
	Label("article")
	set(in, Mem{Base: ids}, array, l.count, first, bits)
	ADDQ(Imm(8), ids)
	DECQ(few)
	JNZ(LabelRef("article"))
	JMP(LabelRef("next"))
	Label("before")
	e.set("setBefore", array, other)
	Label("next")
	MOVQ(I64(-1), few)
	XCHGQ(room, other)
	ADDQ(Imm(8*8), eights)
	SUBQ(Imm(8), n)
	JNZ(LabelRef("eight"))
	e.set("set", array, other)
	VZEROUPPER()
	RET()
}

// entries are what vectors make of IDs.
type entries struct {
	width
	in            lane
	id, product   *block
	words         [4]reg.OpmaskVirtual // of elements, but the first; with AVX-512
	count, first  reg.VecVirtual       // everywhere, where there are more lanes than one
	pattern       reg.VecVirtual       // what is set, by the place in a byte
	digit, sevens Op                   // registers where there are enough
}

func newEntries(w width, in lane, c constants, l lanes, first, bits reg.GPVirtual) entries {
	e := entries{width: w, in: in, id: newBlock(w, c, l.bits), pattern: w.vector(), digit: c.digit, sevens: c.seven16}
	e.id.halves = e.id.halves[:1]
	e.product = e.id.another()
	if in == inLanes {
		e.count, e.first = w.vector(), w.vector()
		VPBROADCASTW(l.count, e.count)
		x := XMM()
		VMOVD(first.As32(), x)
		VPBROADCASTW(x, e.first)
	}
	if w == avx512 {
		e.digit, e.sevens = ZMM(), ZMM()
		w.load(c.digit, e.digit)
		w.load(c.seven16, e.sevens)
		for i, mask := range c.words {
			e.words[i+1] = K()
			KMOVQ(mask, e.words[i+1])
		}
	}
	w.load(Mem{Base: bits}, e.pattern)
	return e
}

// halves is how many vectors take eight IDs.
func (e entries) halves() int { return 8 / int(e.width) }

// at is where a room has the entries of such a vector: four vectors.
func (e entries) at(room reg.Register, half int) Mem {
	return Mem{Base: room, Disp: 4 * half * e.bytes()}
}

// make makes, of the IDs in a vector, the bytes of four digits an ID and what is set
// there, and the same of two digits, in the lower half of each element.
func (e entries) make(ids, room Mem) {
	id, product := e.id.halves[0], e.product.halves[0]
	e.load(ids, id.id)
	e.id.multiplyTo(e.product)
	four, two := e.vector(), e.vector()
	for digit := range mostDigits {
		e.id.advance(digit)
		e.product.advance(digit)
		switch digit {
		case 0:
			VPSHUFB(e.digit, id.high, four)
			e.put(product.high, 1, four)
		case 1:
			e.put(id.high, 2, four)
			e.put(product.high, 3, four)
		case 2:
			VPSHUFB(e.digit, id.high, two)
			e.put(product.high, 1, two)
		}
	}
	for i, places := range []reg.VecVirtual{four, two} {
		if e.in == inLanes {
			VPMULLW(e.count, places, places)
			VPADDW(e.first, places, places)
		}
		bytes := e.vector()
		VPSRLW(U8(3), places, bytes)
		e.store(bytes, room.Offset(2*i*e.bytes()))
		e.and(e.sevens, places, places)
		VPSHUFB(places, e.pattern, places)
		e.store(places, room.Offset((2*i+1)*e.bytes()))
	}
}

// put puts the digit of each element into one of its words.
func (e entries) put(digit reg.VecVirtual, word int, to reg.VecVirtual) {
	if e.width == avx512 {
		VPSHUFB(e.digit, digit, e.words[word], to)
		return
	}
	t := e.vector()
	VPSHUFB(e.digit, digit, t)
	VPBLENDW(U8(0x11<<word), t, to, to)
}

// set sets the entries in a room.
func (e entries) set(loop string, array, room reg.Register) {
	const element = 8 // bytes
	article, end := GP64(), GP64()
	MOVQ(room, article)
	LEAQ(Mem{Base: room, Disp: e.bytes()}, end)
	Label(loop)
	for half := range e.halves() {
		for i := range 2 * mostDigits {
			at, set, word := GP64(), GP32(), e.at(article, half).Offset(i/4*2*e.bytes()+2*(i%4))
			MOVWQZX(word, at)
			MOVWLZX(word.Offset(e.bytes()), set)
			ORB(set.As8(), Mem{Base: array, Index: at, Scale: 1})
		}
	}
	ADDQ(Imm(element), article)
	CMPQ(article, end)
	JNE(LabelRef(loop))
}
