package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A lane is the bits that an insertion sets at every position, as its kernel's name has it.
type lane string

const (
	inOne   lane = "One"   // of a filter of its own
	inBoth  lane = "Both"  // both of two, which no byte parts
	inFive  lane = "Five"  // of five
	inLanes lane = "Lanes" // of as many as there are
	inAny   lane = "Any"   // of as many as there are, under any number of hashes, not six
)

// insertion is the type of a kernel that enters IDs.
const insertion = "func(array *byte, ids *uint64, n uint64, l *[3]int, lanes uint64)"

// lanes are where such a kernel finds what it enters IDs into: fields of Lanes, and the lanes' set.
type lanes struct {
	bits, hashes, count Mem
	lanes               Op
}

func newLanes() lanes {
	l := arg("l")
	return lanes{Mem{Base: l}, Mem{Base: l, Disp: 8}, Mem{Base: l, Disp: 16}, param("lanes")}
}

// A setter sets bits in a lane.
type setter struct {
	in          lane
	array       reg.Register
	l           lanes
	bits, first reg.GPVirtual // the table of bits in a byte, and the lowest lane
}

// insert makes a kernel that enters n IDs, one or more: three digits of the ID and three of the next product.
func insert(in lane, c constants) {
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
	one, another := Mem{Base: ids}, Mem{Base: ids, Disp: 8}
	// Two of the IDs at a time, and at first the one that has no other.
	TESTQ(U32(1), n)
	JEQ(LabelRef("pair"))
	s.enter("one", c, one)
	ADDQ(Imm(8), ids)
	DECQ(n)
	JEQ(LabelRef("done"))
	Label("pair")
	s.enter("two", c, one, another)
	ADDQ(Imm(2*8), ids)
	SUBQ(Imm(2), n)
	JNZ(LabelRef("pair"))
	Label("done")
	RET()
}

// enter sets the bits of IDs. The name tells labels apart.
func (s setter) enter(name string, c constants, ids ...Mem) {
	if s.in == inAny {
		s.any(name, c, ids...)
	} else {
		s.six(ids...)
	}
}

// six sets the bits of IDs, each in its byte, and of all IDs a digit after the other: no instruction waits
// for the one before. What is set comes from a table: a shift would wait for the unit that multiplies.
func (s setter) six(ids ...Mem) {
	var fractions []reg.GPVirtual
	for _, id := range ids {
		fraction := GP64()
		MOVQ(id, fraction)
		fractions = append(fractions, fraction)
	}
	for _, id := range fractions {
		product := GP64()
		MOVQ(U64(multiplier), product)
		IMULQ(id, product)
		fractions = append(fractions, product)
	}
	for range mostDigits {
		s.digit(fractions)
	}
}

func (s setter) any(name string, c constants, ids ...Mem) {
	var products, fractions []reg.GPVirtual
	for _, id := range ids {
		product := GP64()
		MOVQ(id, product)
		products, fractions = append(products, product), append(fractions, GP64())
	}
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
		case inFive:
			LEAQ(Mem{Base: at, Index: at, Scale: 4}, at)
			ADDQ(s.first, at)
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

// slice makes the kernel that adds the marks of eight positions at a time, in a table of five lanes that lie
// m positions apart, to an array of five bits a position: of a word with a byte a position PEXT takes the
// five lowest bits. The words of the array overlap: the next is loaded before this one is stored. There are
// eight bytes from the last position of the last lane on, and behind the last group.
func slice() {
	begin("sliceFiveBMI2", "func(array, table *byte, m, groups uint64)")
	array, table, m, groups := arg("array"), arg("table"), arg("m"), arg("groups")
	fields, three, next := GP64(), GP64(), GP64()
	MOVQ(U64(0x1f1f1f1f1f1f1f1f), fields)
	LEAQ(Mem{Base: m, Index: m, Scale: 2}, three)
	MOVQ(Mem{Base: array}, next)
	Label("group")
	w, lane := GP64(), GP64()
	// No two lanes have the same bit, and adding is as good as OR.
	MOVQ(Mem{Base: table, Index: m, Scale: 4}, w)
	for _, from := range []Mem{{Index: three, Scale: 1}, {Index: m, Scale: 2}, {Index: m, Scale: 1}} {
		from.Base = table
		ADDQ(w, w)
		MOVQ(from, lane)
		ADDQ(lane, w)
	}
	ADDQ(w, w)
	ADDQ(Mem{Base: table}, w)
	PEXTQ(fields, w, w)
	ORQ(next, w)
	MOVQ(Mem{Base: array, Disp: 5}, next)
	MOVQ(w, Mem{Base: array})
	ADDQ(Imm(8), table)
	ADDQ(Imm(5), array)
	DECQ(groups)
	JNZ(LabelRef("group"))
	RET()
}

// widen makes the kernel that rewrites groups of fields, from the last down to the first, with a bit more
// between them, where fields says: PDEP puts them there. A group takes from bytes and then to, and behind the
// last there are eight bytes, the first of which are above.
func widen() {
	begin("widenBMI2", "func(array *byte, groups, from, to, fields, above uint64)")
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
	// In two steps, as they may be 64 bits, where a shift does nothing.
	bits := GP64()
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
