package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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
