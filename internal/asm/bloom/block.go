package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

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

func (w width) store(from Op, to Mem) {
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
type constants struct {
	low, high, seven, thirtyOne, one, answers, inOrder, inPairs                     Mem
	one16, seven16, fifteen, bit6, bit7, bit8, byte255, byte510, next, twice, digit Mem    // for arrays in registers
	multiplier                                                                      Mem    // of 64 bits
	words                                                                           [4]Mem // of eight bytes
	bits, bothBits                                                                  Mem    // of a byte, by their place
}

func newConstants() (c constants) {
	each := func(name string, value func(i int) uint32) Mem {
		global := GLOBL(name, RODATA|NOPTR)
		for i := range 16 {
			DATA(4*i, U32(value(i%8)))
		}
		return global
	}
	same := func(x uint32) func(int) uint32 { return func(int) uint32 { return x } }
	table := func(name string, bits int) Mem {
		global := GLOBL(name, RODATA|NOPTR)
		for i := range 64 {
			DATA(i, U8(uint8(bits<<(i%16))))
		}
		return global
	}
	word := func(name string, x uint64) Mem {
		global := GLOBL(name, RODATA|NOPTR)
		DATA(0, U64(x))
		return global
	}
	return constants{
		multiplier: word("multiplier", multiplier),
		words: [4]Mem{
			word("words0", 0x0303030303030303), word("words1", 0x0c0c0c0c0c0c0c0c),
			word("words2", 0x3030303030303030), word("words3", 0xc0c0c0c0c0c0c0c0),
		},
		bits:      table("bitsOfByte", 1),
		bothBits:  table("bothBitsOfByte", 3),
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
		// The same of words that lie 0 1 4 5 | 2 3 6 7.
		inPairs: each("answersInPairs", func(i int) uint32 {
			return [8]uint32{0x80800400, 0x80800c08, 0x80808080, 0x80808080, 0x04008080, 0x0c088080, 0x80808080, 0x80808080}[i]
		}),
		// For words of 16 bits.
		one16:   each("ones16", same(1<<16|1)),
		seven16: each("sevens16", same(7<<16|7)),
		fifteen: each("fifteens", same(15<<16|15)),
		byte255: each("bytes255", same(8*255<<16|8*255)), // the first bits of byte 255
		byte510: each("bytes510", same(8*510<<16|8*510)),
		next:    each("nextBytes", same(1<<24|1<<8)),
		twice:   each("lowBytesTwice", func(i int) uint32 { return 0x02020000 + 0x04040404*uint32(i%4) }),
		bit6:    each("bits6", same(1<<22|1<<6)),
		bit7:    each("bits7", same(1<<23|1<<7)),
		bit8:    each("bits8", same(1<<24|1<<8)),
		// A digit of an ID, everywhere in eight bytes.
		digit: each("digits", func(i int) uint32 { return 0x05040504 + 0x08080808*uint32(i/2%2) }),
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
	m      reg.VecVirtual
	even   reg.OpmaskVirtual
	halves []half // two, or one
}

func newBlock(w width, c constants, m Op) *block {
	b := &block{width: w, constants: c, m: w.vector()}
	VPBROADCASTQ(m, b.m)
	for range 2 {
		b.halves = append(b.halves, half{w.vector(), w.vector(), w.vector()})
	}
	if w == avx512 {
	}
	return b
}

// another is of other IDs, by the same constants.
func (b *block) another() *block {
	other := *b
	other.halves = nil
	for range b.halves {
		other.halves = append(other.halves, half{b.vector(), b.vector(), b.vector()})
	}
	return &other
}

// interleave prepares for positions.
func (b *block) interleave() {
	if b.width == avx512 {
		even := GP32()
		b.even = K()
		MOVL(U32(0x5555), even)
		KMOVW(even, b.even)
	}
}

// load takes the IDs from the given address on.
func (b *block) load(from Mem) {
	for i, h := range b.halves {
		b.width.load(from.Offset(i*b.bytes()), h.id)
	}
}

// multiply makes of each ID the next product: the ID times the multiplier, its
// square, and so on.
func (b *block) multiply() { b.multiplyTo(b) }

// multiplyTo makes the next products those of another block, or this one.
func (b *block) multiplyTo(other *block) {
	for i, h := range b.halves {
		to := other.halves[i].id
		if b.width == avx512 {
			VPMULLQ_BCST(b.constants.multiplier, h.id, to)
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
		VPMULUDQ(b.constants.low, h.id, to)
		VPADDQ(t, to, to)
	}
}

// advance makes the i-th digit of every product, in the upper half of each element
// of high.
func (b *block) advance(i int) {
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
}

// positions is the digits side by side: those of the first half in the even
// elements, those of the second in the odd ones, or those of the only one in order.
func (b *block) positions() reg.VecVirtual {
	if len(b.halves) == 1 {
		t, p := b.vector(), YMM()
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
		t := b.vector()
		VPSRLQ(U8(32), first, t)
		VPBLENDD(U8(0xaa), second, t, p)
	}
	return p
}

// digits makes the code for all hashes of a block, and calls each for every digit.
func (b *block) digits(each func()) {
	label := func(name string) string { return fmt.Sprintf("%s%d", name, len(b.halves)) }
	left := GP64()
	MOVQ(param("hashes"), left)
	JMP(LabelRef(label("product")))
	Label(label("next"))
	b.multiply()
	Label(label("product"))
	for i := range mostDigits {
		b.advance(i)
		each()
		DECQ(left)
		if i < mostDigits-1 {
			JZ(LabelRef(label("positions")))
		} else {
			JNZ(LabelRef(label("next")))
		}
	}
	Label(label("positions"))
}
