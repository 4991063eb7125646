package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"dejavu/internal/asm/emit"
)

// A gather loads one word after the other, and an array of up to eight registers can lie in them: a permutation looks
// up words in two at once, four do it in all eight, and two bits of the index tell whose answer counts.

// A held kernel asks an array in registers, all but anyHeld under six hashes.
type held struct {
	name      string
	registers int
	bytes     bool // the lanes of a position may lie in a byte and the next
}

var (
	oneHeld   = held{"queryOneHeld", 8, false}   // of one lane
	bothHeld  = held{"queryBothHeld", 16, false} // of two
	lanesHeld = held{"queryLanesHeld", 8, true}  // of up to nine, in 511 bytes
	anyHeld   = held{"queryAnyHeld", 12, true}   // of up to nine, in 766 bytes
)

// group is the number of registers that a byte can index.
const group = 4

func (k held) query(c emit.Constants) {
	w := avx512
	begin(k.name, "array *byte, ids *uint64, seen *bool, n, m, count, hashes, live, bits uint64")
	array, ids, seen, n := arg("array"), arg("ids"), arg("seen"), arg("n")
	table := k.hold(array)
	id := newBlock(w, c, param("m"))
	var count reg.VecVirtual
	if k.bytes {
		count = ZMM()
		VPBROADCASTW(arg("count").As32(), count)
	}
	side := sides{K(), K(), K()}
	for i, word := range []Mem{c["words0"], c["words1"], c["words3"]} {
		KMOVQ(word, side[i])
	}
	CMPQ(n, Imm(uint64(w.block())))
	JCS(LabelRef("fewer"))
	Label("block")
	id.load(Mem{Base: ids})
	Label("loaded")
	found := ZMM()
	ask := func(p, to reg.VecVirtual) { k.ask(table, p, count, c, to) }
	if k == anyHeld {
		side.hashes(c, id, ask, found)
	} else {
		side.six(c, id, ask, found)
	}
	both := ZMM() // what both digits left, of the live lanes
	VPSRLD(U8(16), found, both)
	VPANDD(both, found, found)
	VPANDD_BCST(param("live"), found, found)
	first, second := bytesOf(found)
	CMPQ(n, Imm(uint64(w.block())))
	JCS(LabelRef("last"))
	MOVQ(first, Mem{Base: seen})
	MOVQ(second, Mem{Base: seen, Disp: 8})
	w.next(ids, seen, n)
	w.again(ids, seen, n)

	Label("fewer") // than a block in all are loaded and answered through masks
	mask := GP64()
	some := K()
	fewer := func() {
		MOVQ(I64(-1), mask)
		BZHIQ(n, mask, mask)
		KMOVW(mask.As32(), some)
	}
	fewer()
	VMOVDQU64_Z(Mem{Base: ids}, some, id.halves[0].id)
	SHRQ(Imm(uint64(w)), mask)
	KMOVW(mask.As32(), some)
	VMOVDQU64_Z(Mem{Base: ids, Disp: w.bytes()}, some, id.halves[1].id)
	id.mix()
	JMP(LabelRef("loaded"))
	Label("last")
	fewer()
	answers := XMM()
	VMOVQ(first, answers)
	VPINSRQ(U8(1), second, answers, answers)
	VMOVDQU8(answers, some, Mem{Base: seen})
	Label("done")
	finish()
}

func (k held) hold(array reg.Register) (table []reg.VecVirtual) {
	size := arg("bits")
	ADDQ(Imm(7), size)
	SHRQ(Imm(3), size)
	for range k.registers {
		table = append(table, ZMM())
	}
	at := func(i int) int {
		if k.bytes {
			return i*avx512.bytes() - i/group
		}
		return i * avx512.bytes()
	}
	for i, t := range table {
		CMPQ(size, U32(at(i)+avx512.bytes()))
		JCS(LabelRef(fmt.Sprint("part", i)))
		VMOVDQU64(Mem{Base: array, Disp: at(i)}, t)
	}
	JMP(LabelRef("held"))
	all, mask := GP64(), K()
	for i, t := range table {
		Label(fmt.Sprint("part", i))
		MOVQ(I64(-1), all)
		SUBQ(U32(at(i)), size)
		BZHIQ(size, all, size)
		KMOVQ(size, mask)
		VMOVDQU8_Z(Mem{Base: array, Disp: at(i)}, mask, t)
		if i < k.registers-1 {
			JMP(LabelRef("held"))
		}
	}
	Label("held")
	return table
}

// sides are masks of the words of digits outside their place.
type sides [3]reg.OpmaskVirtual

func (s sides) put(c emit.Constants, b *block, p reg.VecVirtual) {
	VMOVDQA64(b.halves[1].high, p)
	VPSHUFB(c["digits"], b.halves[0].high, s[0], p)
}

func (s sides) putBeside(c emit.Constants, b *block, p reg.VecVirtual) {
	VPSHUFB(c["digits"], b.halves[0].high, s[1], p)
	VPSHUFB(c["digits"], b.halves[1].high, s[2], p)
}

// six asks six hashes: the digits of the IDs and of their products.
func (s sides) six(c emit.Constants, id *block, ask func(p, to reg.VecVirtual), found reg.VecVirtual) {
	product := id.another(2)
	id.multiplyTo(product)
	for i := range mostDigits {
		id.advance(i)
		product.advance(i)
		p := ZMM()
		s.put(c, id, p)
		s.putBeside(c, product, p)
		if i == 0 {
			ask(p, found)
			continue
		}
		answer := ZMM()
		ask(p, answer)
		VPANDD(answer, found, found)
	}
}

// hashes asks any number of them: each digit beside the next, or beside itself.
func (s sides) hashes(c emit.Constants, product *block, ask func(p, to reg.VecVirtual), found reg.VecVirtual) {
	p, left := ZMM(), GP64()
	more := func() {
		answer := ZMM()
		ask(p, answer)
		VPANDD(answer, found, found)
	}
	VPTERNLOGD(U8(0xff), found, found, found)
	MOVQ(param("hashes"), left)
	Label("products")
	for i := range 2 * mostDigits {
		if i == mostDigits {
			product.multiplyTo(product)
		}
		product.advance(i % mostDigits)
		if i%2 == 0 {
			s.put(c, product, p)
			DECQ(left)
			JEQ(LabelRef("alone"))
			continue
		}
		s.putBeside(c, product, p)
		more()
		DECQ(left)
		JEQ(LabelRef("asked"))
	}
	product.multiplyTo(product)
	JMP(LabelRef("products"))
	Label("alone")
	s.putBeside(c, product, p)
	more()
	Label("asked")
}

func (k held) ask(table []reg.VecVirtual, p, count reg.VecVirtual, c emit.Constants, to reg.VecVirtual) {
	at := ZMM()
	if !k.bytes {
		// A word has all lanes of sixteen positions, or both of eight.
		positions, place, tests := uint8(4), c["fifteens"], []Mem{c["bits6"], c["bits7"]}
		if k == bothHeld {
			positions, place, tests = 3, c["sevens16"], append(tests, c["bits8"])
		}
		VPSRLW(U8(positions), p, at)
		var odds []reg.OpmaskVirtual
		for i, test := range tests {
			odds = append(odds, K())
			VPTESTMW(test, at, odds[i])
		}
		VPANDD(place, p, p)
		if k == bothHeld {
			VPADDW(p, p, p)
		}
		lookUp(VPERMI2W, VPBLENDMW, table, at, to, odds...)
		VPSRLVW(p, to, to)
		return
	}
	// The lanes of a position lie in a byte and the next, whose eight-bit indexes belong to one element. The second
	// group of registers begins at byte 255, with index 0, and so on, so that no neighbours are parted.
	const atLeast = 5
	VPMULLW(count, p, p)
	VPSRLW(U8(3), p, at)
	var behind []reg.OpmaskVirtual // positions in each further group or behind it
	for _, first := range []Mem{c["bytes255"], c["bytes510"]}[:len(table)/group-1] {
		in := K()
		VPCMPUW(U8(atLeast), first, p, in)
		VPADDW(c["ones16"], at, in, at)
		behind = append(behind, in)
	}
	VPSHUFB(c["lowBytesTwice"], at, at)
	VPADDB(c["nextBytes"], at, at)
	odd := K()
	VPMOVB2M(at, odd)
	lookUp(VPERMI2B, VPBLENDMB, table[:group], at, to, odd)
	for i, in := range behind {
		other := ZMM()
		lookUp(VPERMI2B, VPBLENDMB, table[(i+1)*group:][:group], at, other, odd)
		VPBLENDMW(other, to, in, to)
	}
	VPANDD(c["sevens16"], p, p)
	VPSRLVW(p, to, to)
}

// lookUp looks up elements, where odds say so in the second of two registers, in the second two of four, and so on.
func lookUp(permute, blend func(ops ...Op), table []reg.VecVirtual, at, to reg.VecVirtual, odds ...reg.OpmaskVirtual) {
	if len(odds) == 0 {
		VMOVDQA64(at, to)
		permute(table[1], table[0], to)
		return
	}
	second, half, last := ZMM(), len(table)/2, len(odds)-1
	lookUp(permute, blend, table[:half], at, to, odds[:last]...)
	lookUp(permute, blend, table[half:], at, second, odds[:last]...)
	blend(second, to, odds[last], to)
}
