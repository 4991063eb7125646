package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A lane is the bits that an insertion sets at every position, as its kernel's name has
// it.
type lane string

const (
	inOne   lane = "One"   // of a filter of its own
	inBoth  lane = "Both"  // both of two, which no byte parts
	inFive  lane = "Five"  // of five
	inLanes lane = "Lanes" // of as many as there are
)

// insertion is the type of a kernel that enters IDs.
const insertion = "func(array *byte, ids *uint64, n uint64, l *[3]int, lanes uint64)"

// lanes are where such a kernel finds what it enters IDs into: fields of Lanes, and the
// lanes' set.
type lanes struct {
	bits, hashes, count Mem
	lanes               Op
}

func newLanes() lanes {
	l := Load(Param("l"), GP64())
	return lanes{Mem{Base: l}, Mem{Base: l, Disp: 8}, Mem{Base: l, Disp: 16}, param("lanes")}
}

// insert makes a kernel that enters n IDs, one or more, under six hashes: three digits
// of the ID and three of the next product.
func insert(in lane, c constants) {
	TEXT("insert"+string(in)+"BMI2", NOSPLIT, insertion)
	Pragma("noescape")
	array, ids, n := Load(Param("array"), GP64()), Load(Param("ids"), GP64()), Load(Param("n"), GP64())
	l := newLanes()
	MOVQ(l.bits, reg.RDX) // a factor of MULX
	bits := GP64()
	if in == inBoth {
		LEAQ(c.bothBits, bits)
	} else {
		LEAQ(c.bits, bits)
	}
	first := GP64()
	if in == inFive || in == inLanes {
		TZCNTQ(l.lanes, first)
	}
	inPairs(ids, n, func(_ string, ids ...Mem) { set(in, array, l.count, first, bits, ids...) })
	RET()
}

// inPairs makes a loop over n IDs, one or more, that enters two of them at a time, and at
// first the one that has no other. The name tells the labels of both apart.
func inPairs(ids, n reg.Register, enter func(name string, ids ...Mem)) {
	one, another := Mem{Base: ids}, Mem{Base: ids, Disp: 8}
	TESTQ(U32(1), n)
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
}

// set sets the bits of IDs, each in its byte, and of all IDs a digit after the other: no
// instruction waits for the one before. What is set comes from a table: a shift would
// wait for the unit that multiplies.
func set(in lane, array reg.Register, count, first Op, bits reg.Register, ids ...Mem) {
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
		for _, fraction := range fractions {
			setDigit(in, array, count, first, bits, fraction)
		}
	}
}

// setDigit sets the bit of a fraction's next digit.
func setDigit(in lane, array reg.Register, count, first Op, bits, fraction reg.Register) {
	at, bit := GP64(), GP64()
	MULXQ(fraction, fraction, at)
	switch in {
	case inBoth:
		ADDQ(at, at)
	case inFive:
		LEAQ(Mem{Base: at, Index: at, Scale: 4}, at)
		ADDQ(first, at)
	case inLanes:
		IMULQ(count, at)
		ADDQ(first, at)
	}
	MOVL(at.As32(), bit.As32())
	SHRQ(Imm(3), at)
	ANDL(Imm(7), bit.As32())
	MOVBLZX(Mem{Base: bits, Index: bit, Scale: 1}, bit.As32())
	ORB(bit.As8(), Mem{Base: array, Index: at, Scale: 1})
}

// insertAny makes a kernel as insert does, for any number of hashes.
func insertAny(c constants) {
	TEXT("insertAnyBMI2", NOSPLIT, insertion)
	Pragma("noescape")
	array, ids, n := Load(Param("array"), GP64()), Load(Param("ids"), GP64()), Load(Param("n"), GP64())
	l := newLanes()
	MOVQ(l.bits, reg.RDX) // a factor of MULX
	bits, first := GP64(), GP64()
	LEAQ(c.bits, bits)
	TZCNTQ(l.lanes, first)
	inPairs(ids, n, func(name string, ids ...Mem) {
		var products, fractions []reg.GPVirtual
		for _, id := range ids {
			product := GP64()
			MOVQ(id, product)
			products, fractions = append(products, product), append(fractions, GP64())
		}
		left := GP64()
		MOVQ(l.hashes, left)
		Label(name + "Products")
		for i, product := range products {
			MOVQ(product, fractions[i])
		}
		for digit := range mostDigits {
			for _, fraction := range fractions {
				setDigit(inLanes, array, l.count, first, bits, fraction)
			}
			DECQ(left)
			JZ(LabelRef(name + "Set"))
			if digit == 0 {
				for _, product := range products {
					IMULQ(c.multiplier, product)
				}
			}
		}
		JMP(LabelRef(name + "Products"))
		Label(name + "Set")
	})
	RET()
}
