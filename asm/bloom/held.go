package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A gather loads one word after the other. An array of up to eight registers can lie
// in them: a permutation looks up 32 words of 16 bits in two registers at once, four
// permutations do it in all eight, and two bits of the index tell whose answer counts.
// A position has 16 bits then, and six hashes are three times two digits, one of the
// ID and one of its product, side by side.

const heldRegisters = 8

// A held kernel asks an array of up to heldRegisters under six hashes.
type held string

const (
	oneHeld   held = "queryOneHeld"   // of one lane
	lanesHeld held = "queryLanesHeld" // of up to sixteen
)

// query makes a kernel as query does. The array has so many bits.
func (k held) query(c constants) {
	w := avx512
	TEXT(string(k), NOSPLIT, "func(array *byte, ids *uint64, seen *bool, n, m, count, live, bits uint64)")
	Pragma("noescape")
	array, ids, seen := Load(Param("array"), GP64()), Load(Param("ids"), GP64()), Load(Param("seen"), GP64())
	n := Load(Param("n"), GP64())
	table := hold(array)
	id, product := newBlock(w, c), newBlock(w, c)
	product.m, product.multiplier = id.m, id.multiplier
	live, count := ZMM(), ZMM()
	VPBROADCASTD(param("live"), live)
	VPBROADCASTW(Load(Param("count"), GP64()).(reg.GPVirtual).As32(), count)
	side := newSides()

	Label("block")
	id.load(Mem{Base: ids})
	for i, h := range id.halves {
		VPMULLQ(id.multiplier, h.id, product.halves[i].id)
	}
	found := ZMM()
	for i := range mostDigits {
		id.advance(i)
		product.advance(i)
		p := side.bySide(id, product, c)
		answer := found
		if i > 0 {
			answer = ZMM()
		}
		k.ask(table, p, count, c, answer)
		if i > 0 {
			VPANDD(answer, found, found)
		}
	}
	// What both digits left, of the live lanes.
	both := ZMM()
	VPSRLD(U8(16), found, both)
	VPANDD(both, found, found)
	VPANDD(live, found, found)
	w.answer(c.answers, c, found, Mem{Base: seen})

	// The last block may begin inside the one before it.
	ADDQ(Imm(uint64(8*w.block())), ids)
	ADDQ(Imm(uint64(w.block())), seen)
	SUBQ(Imm(uint64(w.block())), n)
	JZ(LabelRef("done"))
	CMPQ(n, Imm(uint64(w.block())))
	JCC(LabelRef("block"))
	SUBQ(Imm(uint64(w.block())), n)
	LEAQ(Mem{Base: ids, Index: n, Scale: 8}, ids)
	ADDQ(n, seen)
	MOVQ(U32(w.block()), n)
	JMP(LabelRef("block"))
	Label("done")
	VZEROUPPER()
	RET()
}

// hold loads an array into heldRegisters, and nothing behind it.
func hold(array reg.Register) (table []reg.VecVirtual) {
	left, all := Load(Param("bits"), GP64()), GP64()
	ADDQ(Imm(7), left)
	SHRQ(Imm(3), left)
	MOVQ(I64(-1), all)
	for i := range heldRegisters {
		now, mask, t := GP64(), K(), ZMM()
		MOVQ(U32(avx512.bytes()), now)
		CMPQ(left, now)
		CMOVQCS(left, now)
		SUBQ(now, left)
		BZHIQ(now, all, now)
		KMOVQ(now, mask)
		VMOVDQU8_Z(Mem{Base: array, Disp: i * avx512.bytes()}, mask, t)
		table = append(table, t)
	}
	return table
}

// sides are the bytes, of eight, where the digits go that do not lie in their place:
// the first half's of the IDs and of the products, and the second half's of these.
type sides [3]reg.OpmaskVirtual

func newSides() (s sides) {
	for i, bytes := range []uint64{0x03, 0x0c, 0xc0} {
		mask := GP64()
		MOVQ(U64(bytes*0x0101010101010101), mask)
		s[i] = K()
		KMOVQ(mask, s[i])
	}
	return s
}

// bySide is the digits of the IDs and of their products side by side, in the order of
// positions.
func (s sides) bySide(id, product *block, c constants) reg.VecVirtual {
	p := ZMM()
	VMOVDQA64(id.halves[1].high, p)
	for i, from := range []reg.VecVirtual{id.halves[0].high, product.halves[0].high, product.halves[1].high} {
		VPSHUFB(c.digit, from, s[i], p)
	}
	return p
}

// ask looks up the bits of all lanes at the positions.
func (k held) ask(table []reg.VecVirtual, p, count reg.VecVirtual, c constants, to reg.VecVirtual) {
	if k == lanesHeld {
		VPMULLW(count, p, p)
	}
	at := ZMM()
	VPSRLW(U8(4), p, at)
	lookUp(table, at, c, to)
	VPANDD(c.fifteen, p, p)
	VPSRLVW(p, to, to)
	if k == oneHeld {
		return
	}
	// The lanes of a position may go on in the next word.
	next, left := ZMM(), ZMM()
	VPADDW(c.one16, at, at)
	lookUp(table, at, c, next)
	VMOVDQU64(c.sixteen, left)
	VPSUBW(p, left, left)
	VPSLLVW(left, next, next)
	VPORD(next, to, to)
}

// lookUp looks up the words of a table at their indexes.
func lookUp(table []reg.VecVirtual, at reg.VecVirtual, c constants, to reg.VecVirtual) {
	odd, upper := K(), K() // of pairs of registers, and of those pairs
	VPTESTMW(c.bit6, at, odd)
	VPTESTMW(c.bit7, at, upper)
	var answers []reg.VecVirtual
	for i := 0; i < len(table); i += 2 {
		answer := ZMM()
		VMOVDQA64(at, answer)
		VPERMI2W(table[i+1], table[i], answer)
		answers = append(answers, answer)
	}
	VPBLENDMW(answers[1], answers[0], odd, answers[0])
	VPBLENDMW(answers[3], answers[2], odd, answers[2])
	VPBLENDMW(answers[2], answers[0], upper, to)
}
