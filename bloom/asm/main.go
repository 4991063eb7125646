// Command asm writes the machine code of package bloom's kernels for amd64, and
// their declarations:
//
//	go run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg bloom
//
// A kernel takes a block of IDs at once, eight with AVX2 and sixteen with
// AVX-512. It holds them as two vectors of 64-bit fractions, of which half the
// block each. A digit of all of them is then
//
//	low  = low half * m             (of 64 bits)
//	high = high half * m + low >> 32
//
// for the two 32-bit halves of each fraction: the digit stands in the upper half
// of high, and the rest of the fraction in the lower halves of high and low,
// where the next multiplication takes them from. No shift, no mask. The digits
// of both vectors then go side by side into one vector of 32-bit positions.
//
// From there a query gathers the words that hold the positions' bits, shifts
// them, and keeps the AND.
//
// Insertions wait for one word after the other to be read, changed and written, and
// gain nothing by vectors: theirs are the plain kernels with the instructions that
// Go does not use by itself (BMI2), as they spare the registers.
//
// What the kernels may touch is said where they are called.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What bloom/probes.go defines. It cannot be imported: package bloom is not whole
// without what is made here. Its tests compare every kernel with the definition.
const (
	multiplier = 0xd1342543de82ef95
	mostDigits = 3
)

func main() {
	// The race detector sees what Go code touches, and this not.
	ConstraintExpr("amd64,!purego,!race")
	c := newConstants()
	for _, w := range []width{avx2, avx512} {
		for _, k := range []kernel{ofOne, ofBytes, ofLanes} {
			query(w, c, k)
		}
	}
	for _, in := range []lane{inOne, inBoth, inFive, inLanes} {
		insert(in)
	}
	Generate()
}

// A width is of the vectors: in 64-bit elements, half of the IDs of a block.
type width int

const (
	avx2   width = 4
	avx512 width = 8
)

func (w width) name(kernel string) string {
	if w == avx512 {
		return kernel + "AVX512"
	}
	return kernel + "AVX2"
}

// block is how many IDs a kernel takes at once.
func (w width) block() int { return int(2 * w) }

// bytes is of one vector.
func (w width) bytes() int { return int(8 * w) }

func (w width) vector() reg.VecVirtual {
	if w == avx512 {
		return ZMM()
	}
	return YMM()
}

// These have one name with AVX2 and another with AVX-512.

func (w width) load(from Mem, to Op) {
	if w == avx512 {
		VMOVDQU64(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

func (w width) copy(from, to Op) {
	if w == avx512 {
		VMOVDQA64(from, to)
	} else {
		VMOVDQA(from, to)
	}
}

func (w width) and(x, y, to Op) {
	if w == avx512 {
		VPANDD(x, y, to)
	} else {
		VPAND(x, y, to)
	}
}

// constants are where AVX2 has too few registers to keep them.
type constants struct{ low, high, seven, thirtyOne, one, answers, inOrder Mem }

func newConstants() (c constants) {
	each := func(name string, value func(i int) uint32) Mem {
		global := GLOBL(name, RODATA|NOPTR)
		for i := range 16 {
			DATA(4*i, U32(value(i%8)))
		}
		return global
	}
	same := func(x uint32) func(int) uint32 { return func(int) uint32 { return x } }
	return constants{
		low:       each("multiplierLow", same(multiplier&(1<<32-1))),
		high:      each("multiplierHigh", same(multiplier>>32)),
		seven:     each("sevens", same(7)),
		thirtyOne: each("thirtyOnes", same(31)),
		one:       each("ones32", same(1)),
		// Of the words of a block's answers, which lie 0 4 1 5 | 2 6 3 7, the
		// lowest bytes, at their place in eight.
		answers: each("answerBytes", func(i int) uint32 {
			return [8]uint32{0x80800800, 0x80800c04, 0x80808080, 0x80808080, 0x08008080, 0x0c048080, 0x80808080, 0x80808080}[i]
		}),
		inOrder: each("answersInOrder", func(i int) uint32 {
			return [8]uint32{0x0c080400, 0x80808080, 0x80808080, 0x80808080, 0x80808080, 0x0c080400, 0x80808080, 0x80808080}[i]
		}),
	}
}

// half is one of a block's two vectors.
type half struct {
	id        reg.VecVirtual // of the product whose digits come next
	low, high reg.VecVirtual // the fraction, in the lower half of each element
}

// A block is the digits of some IDs.
type block struct {
	width
	constants
	m          reg.VecVirtual
	multiplier reg.VecVirtual // with AVX-512 alone
	even       reg.OpmaskVirtual
	halves     []half // two, or one
}

func newBlock(w width, c constants) *block {
	b := &block{width: w, constants: c, m: w.vector()}
	VPBROADCASTQ(param("m"), b.m)
	for range 2 {
		b.halves = append(b.halves, half{w.vector(), w.vector(), w.vector()})
	}
	if w == avx512 {
		b.multiplier, b.even = ZMM(), K()
		x := GP64()
		MOVQ(U64(multiplier), x)
		VPBROADCASTQ(x, b.multiplier)
		MOVL(U32(0x5555), x.As32())
		KMOVW(x.As32(), b.even)
	}
	return b
}

// load takes the IDs from the given address on.
func (b *block) load(from Mem) {
	for i, h := range b.halves {
		b.width.load(from.Offset(i*b.bytes()), h.id)
	}
}

// multiply makes of each ID the next product: the ID times the multiplier, its
// square, and so on.
func (b *block) multiply() {
	for _, h := range b.halves {
		if b.width == avx512 {
			VPMULLQ(b.multiplier, h.id, h.id)
			continue
		}
		// The low half times the multiplier, and 2^32 times the two products of
		// a high half and a low one.
		t, u := b.vector(), b.vector()
		VPMULUDQ(b.constants.high, h.id, t)
		VPSRLQ(U8(32), h.id, u)
		VPMULUDQ(b.constants.low, u, u)
		VPADDQ(u, t, t)
		VPSLLQ(U8(32), t, t)
		VPMULUDQ(b.constants.low, h.id, h.id)
		VPADDQ(t, h.id, h.id)
	}
}

// digit is the i-th digit of every product: those of the first half in the even
// elements, those of the second in the odd ones, or those of the only one in order.
func (b *block) digit(i int) reg.VecVirtual {
	t := b.vector()
	for _, h := range b.halves {
		from := h.low
		if i == 0 {
			from = h.id
			VPSRLQ(U8(32), h.id, h.high)
		}
		VPMULUDQ(b.m, from, h.low)
		VPMULUDQ(b.m, h.high, h.high)
		VPSRLQ(U8(32), h.low, t)
		VPADDQ(t, h.high, h.high)
	}
	if len(b.halves) == 1 {
		p := YMM()
		VPSRLQ(U8(32), b.halves[0].high, t)
		VPMOVQD(t, p)
		return p
	}
	first, second := b.halves[0].high, b.halves[1].high
	p := b.vector()
	if b.width == avx512 {
		VMOVDQA64(second, p)
		VMOVSHDUP(first, b.even, p)
	} else {
		VPSRLQ(U8(32), first, t)
		VPBLENDD(U8(0xaa), second, t, p)
	}
	return p
}

// digits makes the code for all hashes of a block, and calls each for every
// position.
func (b *block) digits(each func(position reg.VecVirtual)) {
	label := func(name string) string { return fmt.Sprintf("%s%d", name, len(b.halves)) }
	left := GP64()
	MOVQ(param("hashes"), left)
	JMP(LabelRef(label("product")))
	Label(label("next"))
	b.multiply()
	Label(label("product"))
	for i := range mostDigits {
		each(b.digit(i))
		DECQ(left)
		if i < mostDigits-1 {
			JZ(LabelRef(label("positions")))
		} else {
			JNZ(LabelRef(label("next")))
		}
	}
	Label(label("positions"))
}

// A kernel is named after the arrays that it asks.
type kernel string

const (
	ofOne   kernel = "queryOne"   // of one lane, in whole words of 32 bits
	ofBytes kernel = "queryBytes" // of one lane, in four bytes at least
	ofLanes kernel = "queryLanes" // of up to 25, which slack follows
)

// query makes a kernel that sets seen to whether a live lane holds each of n IDs,
// a block of them or more.
func query(w width, c constants, k kernel) {
	TEXT(w.name(string(k)), NOSPLIT, "func(array *byte, ids *uint64, seen *bool, n, m, count, hashes, live, last uint64)")
	Pragma("noescape")
	array, ids, seen := Load(Param("array"), GP64()), Load(Param("ids"), GP64()), Load(Param("seen"), GP64())
	n := Load(Param("n"), GP64())
	b := newBlock(w, c)
	each := func(name string) reg.VecVirtual {
		v := w.vector()
		VPBROADCASTD(param(name), v)
		return v
	}
	var count, last, seven, live Op
	switch seven = c.seven; k {
	case ofBytes:
		last = each("last")
	case ofLanes:
		if count = each("count"); w == avx512 {
			seven = ZMM()
			VPBROADCASTD(c.seven, seven)
		}
	}
	if w == avx512 {
		live = each("live")
	}

	Label("block")
	b.load(Mem{Base: ids})
	found := w.vector()
	if w == avx512 {
		VMOVDQA64(live, found)
	} else {
		VPBROADCASTD(param("live"), found)
	}
	b.digits(func(p reg.VecVirtual) { k.ask(w, array, p, found, count, last, seven, c) })
	w.answer(c.answers, c, found, Mem{Base: seen})

	// The last block may begin inside the one before it.
	ADDQ(Imm(uint64(8*w.block())), ids)
	ADDQ(Imm(uint64(w.block())), seen)
	SUBQ(Imm(uint64(w.block())), n)
	JZ(LabelRef("done"))
	CMPQ(n, Imm(uint64(w.block())))
	JCC(LabelRef("block"))
	if w == avx512 {
		CMPQ(n, Imm(uint64(w)))
		JLS(LabelRef("half"))
	}
	back := func(block int) {
		SUBQ(Imm(uint64(block)), n)
		LEAQ(Mem{Base: ids, Index: n, Scale: 8}, ids)
		ADDQ(n, seen)
	}
	back(w.block())
	MOVQ(U32(w.block()), n)
	JMP(LabelRef("block"))

	// Half a block goes by half the vectors.
	if w == avx512 {
		Label("half")
		back(int(w))
		half := *b
		half.halves = b.halves[:1]
		half.load(Mem{Base: ids})
		found := YMM()
		VPBROADCASTD(param("live"), found)
		y := func(v Op) Op {
			if v, is := v.(reg.VecVirtual); is {
				return v.AsY()
			}
			return v
		}
		half.digits(func(p reg.VecVirtual) { k.ask(avx2, array, p, found, y(count), y(last), c.seven, c) })
		avx2.answer(c.inOrder, c, found, Mem{Base: seen})
	}
	Label("done")
	VZEROUPPER()
	RET()
}

// ask keeps of found the bits at the positions.
func (k kernel) ask(w width, array reg.Register, p, found reg.VecVirtual, count, last, seven Op, c constants) {
	at, word := w.vector(), w.vector()
	switch k {
	case ofOne:
		VPSRLD(U8(5), p, at)
		w.gather(Mem{Base: array, Index: at, Scale: 4}, word)
		if w == avx512 {
			VPRORVD(p, word, word) // by the lowest five bits
		} else {
			VPAND(c.thirtyOne, p, p)
			VPSRLVD(p, word, word)
		}
	case ofBytes:
		// The last words begin earlier, inside the array, and shift further.
		VPSRLD(U8(3), p, at)
		VPMINUD(last, at, at)
		w.gather(Mem{Base: array, Index: at, Scale: 1}, word)
		VPSLLD(U8(3), at, at)
		VPSUBD(at, p, p)
		VPSRLVD(p, word, word)
	case ofLanes:
		VPMULLD(count, p, p)
		VPSRLD(U8(3), p, at)
		w.gather(Mem{Base: array, Index: at, Scale: 1}, word)
		w.and(seven, p, p)
		VPSRLVD(p, word, word)
	}
	w.and(word, found, found)
}

// gather loads a word for every element, from byte at times the scale.
func (w width) gather(from Mem, to reg.VecVirtual) {
	if w == avx512 {
		all := K()
		KXNORW(all, all, all)
		VPXORD(to, to, to)
		VPGATHERDD(from, all, to)
		return
	}
	all := YMM()
	VPCMPEQD(all, all, all)
	VPXOR(to, to, to)
	VPGATHERDD(all, from, to)
}

// answer stores whether any bit of each element is set, in the order of the IDs.
func (w width) answer(bytes Mem, c constants, found reg.VecVirtual, to Mem) {
	if w == avx512 {
		set, bits, even, each := K(), GP64(), GP64(), GP64()
		VPTESTMD(found, found, set)
		KMOVW(set, bits.As32())
		MOVL(U32(0x5555), even.As32())
		MOVQ(U64(0x0101010101010101), each)
		answers := GP64()
		for i := range 2 {
			PEXTL(even.As32(), bits.As32(), answers.As32())
			PDEPQ(each, answers, answers)
			MOVQ(answers, to.Offset(8*i))
			if i == 0 {
				SHRL(U8(1), bits.As32())
			}
		}
		return
	}
	zero, high := YMM(), XMM()
	VPXOR(zero, zero, zero)
	VPCMPEQD(zero, found, found) // -1 where there is none
	VPADDD(c.one, found, found)
	VPSHUFB(bytes, found, found)
	VEXTRACTI128(U8(1), found, high)
	VPOR(high, found.AsX(), high)
	VMOVQ(high, to)
}

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

func param(name string) Op {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}
