package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A lane is the bits that an insertion sets at every position, and its kernel's name.
type lane string

const (
	inOne   lane = "insertOneBMI2"   // of a filter of its own, in whole words of 32 bits
	inBoth  lane = "insertBothBMI2"  // both of two, which no word parts
	inFive  lane = "insertFiveBMI2"  // of five
	inLanes lane = "insertLanesBMI2" // of as many as count says
)

// insert makes a kernel that enters n IDs, one or more, under six hashes: three digits
// of the ID and three of the next product.
func insert(in lane) {
	// Shifts by a register are slow on some processors where it was set to a
	// constant by an instruction, and not where that was loaded from memory.
	TEXT(string(in), NOSPLIT, "func(array *byte, ids *uint64, n, m, count, lane, five, pattern uint64)")
	Pragma("noescape")
	array, ids, n := Load(Param("array"), GP64()), Load(Param("ids"), GP64()), Load(Param("n"), GP64())
	Load(Param("m"), reg.RDX) // a factor of MULX
	five := Load(Param("five"), GP64())
	pattern := Load(Param("pattern"), GP64()).(reg.GPVirtual).As32()
	var count, first Op
	switch in {
	case inLanes:
		count = Load(Param("count"), GP64())
		first = Load(Param("lane"), GP64())
	case inFive:
		first = Load(Param("lane"), GP64())
	}
	by := GP64()
	MOVQ(U64(multiplier), by)
	Label("article")
	fraction, product := GP64(), GP64()
	MOVQ(Mem{Base: ids}, fraction)
	MOVQ(by, product)
	IMULQ(fraction, product)
	for i := range 2 * mostDigits {
		if i == mostDigits {
			MOVQ(product, fraction)
		}
		bit, at, word := GP64(), GP64(), GP32()
		MULXQ(fraction, fraction, bit)
		switch in {
		case inBoth:
			ADDQ(bit, bit)
		case inFive:
			LEAQ(Mem{Base: bit, Index: bit, Scale: 4}, bit)
			ADDQ(first, bit)
		case inLanes:
			IMULQ(count, bit)
			ADDQ(first, bit)
		}
		SHRXQ(five, bit, at)
		MOVL(Mem{Base: array, Index: at, Scale: 4}, word)
		set := GP32()
		SHLXL(bit.As32(), pattern, set)
		ORL(set, word)
		MOVL(word, Mem{Base: array, Index: at, Scale: 4})
	}
	ADDQ(Imm(8), ids)
	DECQ(n)
	JNZ(LabelRef("article"))
	RET()
}
