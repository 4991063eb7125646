package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"dejavu/internal/asm/emit"
)

// A lane is the bits that an insertion sets at every position, by the name of its kernel.
type lane string

const (
	inOne   lane = "One"   // of a filter of its own
	inBoth  lane = "Both"  // both of two, which no byte parts
	inLanes lane = "Lanes" // of any number
	inAny   lane = "Any"   // of any number, under any number of hashes but six
)

const insertion = "array *byte, ids *uint64, n uint64, l *[3]int, lanes uint64"

// lanes are the fields of Lanes, and the set of lanes to enter IDs into.
type lanes struct {
	bits, hashes, count Mem
	lanes               Op
}

func newLanes() lanes {
	l := arg("l")
	return lanes{Mem{Base: l}, Mem{Base: l, Disp: 8}, Mem{Base: l, Disp: 16}, param("lanes")}
}

type setter struct {
	in          lane
	array       reg.Register
	l           lanes
	bits, first reg.GPVirtual // the table of bits in a byte, and the lowest lane
}

func insert(in lane, c emit.Constants) {
	begin("insert"+string(in)+"BMI2", insertion)
	array, ids, n := arg("array"), arg("ids"), arg("n")
	s := setter{in, array, newLanes(), GP64(), GP64()}
	MOVQ(s.l.bits, reg.RDX) // a factor of MULX
	if in == inBoth {
		LEAQ(c["bothBitsOfByte"], s.bits)
	} else {
		LEAQ(c["bitsOfByte"], s.bits)
	}
	if in != inOne && in != inBoth {
		TZCNTQ(s.l.lanes, s.first)
	}
	enter := func(_ string, ids ...Mem) { s.six(ids...) }
	if in == inAny {
		enter = func(name string, ids ...Mem) { s.any(name, c, ids...) }
	}
	one, another := Mem{Base: ids}, Mem{Base: ids, Disp: 8}
	TESTQ(U32(1), n) // two of the IDs at a time, and at first the one that has no other
	JEQ(LabelRef("pair"))
	enter("one", one)
	ADDQ(Imm(8), ids)
	DECQ(n)
	JEQ(LabelRef("done"))
	Label("pair")
	enter("two", one, another)
	ADDQ(Imm(2*8), ids)
	SUBQ(Imm(2), n)
	JNZ(LabelRef("pair"))
	Label("done")
	RET()
}

// six sets the bits of IDs under six hashes, of all a digit after the other, so that no instruction waits for the one
// before. What is set comes from a table: a shift would wait for the unit that multiplies.
func (s setter) six(ids ...Mem) {
	var fractions []reg.GPVirtual
	for _, id := range ids {
		fraction := GP64()
		MOVQ(id, fraction)
		fractions = append(fractions, fraction)
	}
	mix(fractions)
	for _, id := range fractions {
		product := GP64()
		MOVQ(U64(emit.Multiplier), product)
		IMULQ(id, product)
		fractions = append(fractions, product)
	}
	for range mostDigits {
		s.digit(fractions)
	}
}

// any does so under any number of hashes. The name tells labels apart.
func (s setter) any(name string, c emit.Constants, ids ...Mem) {
	var products, fractions []reg.GPVirtual
	for _, id := range ids {
		product := GP64()
		MOVQ(id, product)
		products, fractions = append(products, product), append(fractions, GP64())
	}
	mix(products)
	left := GP64()
	MOVQ(s.l.hashes, left)
	Label(name + "Products")
	for i, product := range products {
		MOVQ(product, fractions[i])
	}
	for digit := range mostDigits {
		s.digit(fractions)
		DECQ(left)
		JZ(LabelRef(name + "Set"))
		if digit == 0 {
			for _, product := range products {
				IMULQ(c["multiplier"], product)
			}
		}
	}
	JMP(LabelRef(name + "Products"))
	Label(name + "Set")
}

func (s setter) digit(fractions []reg.GPVirtual) {
	for _, fraction := range fractions {
		at, bit := GP64(), GP64()
		MULXQ(fraction, fraction, at)
		switch s.in {
		case inBoth:
			ADDQ(at, at)
		case inLanes, inAny:
			IMULQ(s.l.count, at)
			ADDQ(s.first, at)
		}
		MOVL(at.As32(), bit.As32())
		SHRQ(Imm(3), at)
		ANDL(Imm(7), bit.As32())
		MOVBLZX(Mem{Base: s.bits, Index: bit, Scale: 1}, bit.As32())
		ORB(bit.As8(), Mem{Base: s.array, Index: at, Scale: 1})
	}
}

// widen makes the kernel that rewrites groups of fields, from the last down, with a bit more between them: PDEP puts
// them where fields says. A group takes from bytes and then to. Above is the first of eight bytes behind the last.
func widen() {
	begin("widenBMI2", "array *byte, groups, from, to, fields, above uint64")
	array, groups, from, to := arg("array"), arg("groups"), arg("from"), arg("to")
	fields, above := arg("fields"), arg("above")
	end := func(each reg.Register) reg.Register {
		at := GP64()
		MOVQ(groups, at)
		IMULQ(each, at)
		ADDQ(array, at)
		return at
	}
	narrow, wide := end(from), end(to)
	bits := GP64() // in two steps, as they may be 64 bits, where a shift does nothing
	MOVQ(to, bits)
	SHLQ(Imm(3), bits)
	DECQ(bits)
	Label("group")
	w := GP64()
	SUBQ(from, narrow)
	SUBQ(to, wide)
	MOVQ(Mem{Base: narrow}, w)
	PDEPQ(fields, w, w)
	SHLXQ(bits, above, above)
	ADDQ(above, above)
	ORQ(w, above)
	MOVQ(above, Mem{Base: wide})
	MOVQ(w, above)
	DECQ(groups)
	JNZ(LabelRef("group"))
	RET()
}

// enter makes a kernel that enters n IDs, eight or more, under six hashes. Vectors make the bytes of the array that
// change for eight IDs, and what is set in them. A loop sets it while they work on the next eight (first, on the rest).
func enter(w width, in lane, c emit.Constants) {
	TEXT(w.name("insert"+string(in)), 0, "func("+insertion+")")
	Pragma("noescape")
	const line, lines = 64, 4 // two rooms of whole lines, as what is read from them has just been written
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
	few, eights := GP64(), GP64() // at first the IDs that are no eight, then -1
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
	finish()
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

func newEntries(w width, in lane, c emit.Constants, l lanes, first, bits reg.GPVirtual) entries {
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

func (e entries) halves() int { return 8 / int(e.width) }

// at returns the address of an entry in a room: four digits an ID for each vector, then the last two digits of all.
func (e entries) at(room reg.Register, entry int) Mem {
	return Mem{Base: room, Disp: 2 * entry * e.bytes()}
}

func (e entries) make(ids Mem, room reg.Register) {
	id, product, two := e.id.halves[0], e.product.halves[0], e.vector()
	for half := range e.halves() {
		e.id.load(ids.Offset(half * e.bytes()))
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
