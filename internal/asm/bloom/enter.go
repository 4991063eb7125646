package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// enter makes a kernel that enters n IDs, eight or more, under six hashes. Vectors make of eight IDs the
// bytes of the array that are to change and what is to be set in them, in words of 16 bits, and a loop sets
// it. While vectors work on eight IDs the eight before are set, and at first those of n that are no eight: a
// processor that waits for vectors soon has no room for instructions that do not.
func enter(w width, in lane, c constants) {
	TEXT(w.name("insert"+string(in)), 0, insertion)
	Pragma("noescape")
	// Two rooms of whole cache lines, as what is read from them has just been written.
	const line, lines = 64, 4
	local, room, other := AllocLocal((2*lines+1)*line), GP64(), GP64()
	LEAQ(local.Offset(line-1), room)
	ANDQ(I32(-line), room)
	LEAQ(Mem{Base: room, Disp: lines * line}, other)

	array, ids, n := arg("array"), arg("ids"), arg("n")
	l, first, bits, both := newLanes(), GP64(), GP64(), GP64()
	MOVQ(l.bits, reg.RDX) // a factor of MULX
	TZCNTQ(l.lanes, first)
	LEAQ(c["bitsOfByte"], bits)
	LEAQ(c["bothBitsOfByte"], both)
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
	e.make(Mem{Base: eights}, room)
	TESTQ(few, few)
	JLT(LabelRef("before"))
	JEQ(LabelRef("next"))
	Label("article")
	setter{in, array, l, bits, first}.six(Mem{Base: ids})
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
	e := entries{width: w, in: in, id: newBlock(w, c, l.bits), pattern: w.vector()}
	e.digit, e.sevens = c["digits"], c["sevens16"]
	e.id.halves = e.id.halves[:1]
	e.product = e.id.another(1)
	if in == inLanes {
		e.count, e.first = w.vector(), w.vector()
		VPBROADCASTW(l.count, e.count)
		x := XMM()
		VMOVD(first.As32(), x)
		VPBROADCASTW(x, e.first)
	}
	if w == avx512 {
		e.digit, e.sevens = ZMM(), ZMM()
		w.move(c["digits"], e.digit)
		w.move(c["sevens16"], e.sevens)
		for i, mask := range []string{"words1", "words2", "words3"} {
			e.words[i+1] = K()
			KMOVQ(c[mask], e.words[i+1])
		}
	}
	w.move(Mem{Base: bits}, e.pattern)
	return e
}

// halves is how many vectors take eight IDs.
func (e entries) halves() int { return 8 / int(e.width) }

// at is where a room has entries: those of each vector of IDs, of four digits an ID, and at last those of the
// other two digits of all. They are a vector of bytes of the array, and behind it one of what is set there.
func (e entries) at(room reg.Register, entry int) Mem {
	return Mem{Base: room, Disp: 2 * entry * e.bytes()}
}

func (e entries) make(ids Mem, room reg.Register) {
	id, product, two := e.id.halves[0], e.product.halves[0], e.vector()
	for half := range e.halves() {
		e.move(ids.Offset(half*e.bytes()), id.id)
		e.id.multiplyTo(e.product)
		four := e.vector()
		for digit := range mostDigits {
			e.id.advance(digit)
			e.product.advance(digit)
			to, word := four, 2*digit
			if digit == mostDigits-1 {
				to, word = two, 2*half
			}
			e.put(id.high, word, to)
			e.put(product.high, word+1, to)
		}
		e.enter(four, e.at(room, half))
	}
	e.enter(two, e.at(room, e.halves()))
}

func (e entries) enter(places reg.VecVirtual, to Mem) {
	if e.in == inLanes {
		VPMULLW(e.count, places, places)
		VPADDW(e.first, places, places)
	}
	bytes := e.vector()
	VPSRLW(U8(3), places, bytes)
	e.move(bytes, to)
	e.and(e.sevens, places, places)
	VPSHUFB(places, e.pattern, places)
	e.move(places, to.Offset(e.bytes()))
}

// put puts the digit of each element into one of its words, the first into all.
func (e entries) put(digit reg.VecVirtual, word int, to reg.VecVirtual) {
	if word == 0 {
		VPSHUFB(e.digit, digit, to)
		return
	}
	if e.width == avx512 {
		VPSHUFB(e.digit, digit, e.words[word], to)
		return
	}
	t := e.vector()
	VPSHUFB(e.digit, digit, t)
	VPBLENDW(U8(0x11<<word), t, to, to)
}

func (e entries) set(loop string, array, room reg.Register) {
	const element = 8 // bytes
	article, end := GP64(), GP64()
	MOVQ(room, article)
	LEAQ(Mem{Base: room, Disp: e.bytes()}, end)
	Label(loop)
	for half := range e.halves() {
		for digit := range 2 * mostDigits {
			word := e.at(article, half).Offset(2 * digit)
			if digit >= 4 {
				word = e.at(article, e.halves()).Offset(4*half + 2*(digit-4))
			}
			at, set := GP64(), GP32()
			MOVWQZX(word, at)
			MOVWLZX(word.Offset(e.bytes()), set)
			ORB(set.As8(), Mem{Base: array, Index: at, Scale: 1})
		}
	}
	ADDQ(Imm(element), article)
	CMPQ(article, end)
	JNE(LabelRef(loop))
}
