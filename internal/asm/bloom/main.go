// Command bloom writes the machine code of package bloom's kernels for amd64, and their declarations:
//
//	go run . -out ../../../bloom/kernels_amd64.s -stubs ../../../bloom/kernels_amd64.go -pkg bloom
//
// A kernel takes a block of IDs, eight with AVX2 and sixteen with AVX-512, as two vectors of fractions. A digit is the
// upper half of high, and the rest of the fraction the lower halves of low and high:
//
//	low  = low half * m             (of 64 bits)
//	high = high half * m + low >> 32
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"dejavu/internal/asm/emit"
)

// mostDigits is bloom/geometry.go's.
const mostDigits = 3

var begin, finish, arg, param = emit.Begin, emit.Finish, emit.Arg, emit.Address

func main() { emit.Write(all) }

func all() {
	c := newConstants()
	for _, w := range []width{avx2, avx512} {
		for _, k := range []kernel{ofBytes, ofLanes, ofLong} {
			query(w, c, k)
		}
	}
	for _, k := range []held{oneHeld, bothHeld, lanesHeld, anyHeld} {
		k.query(c)
	}
	for _, in := range []lane{inOne, inBoth, inAny} {
		insert(in, c)
	}
	for _, w := range []width{avx2, avx512} {
		enter(w, inLanes, c)
		enter(w, inOne, c)
	}
	widen()
}

// A width is the number of 64-bit elements of a vector, half of the IDs of a block.
type width int

const (
	avx2   width = 4
	avx512 width = 8
)

func (w width) name(kernel string) string {
	return kernel + map[width]string{avx2: "AVX2", avx512: "AVX512"}[w]
}

func (w width) block() int { return int(2 * w) }

func (w width) bytes() int { return int(8 * w) }

func (w width) vector() reg.VecVirtual {
	return map[width]func() reg.VecVirtual{avx2: YMM, avx512: ZMM}[w]()
}

func (w width) move(from, to Op) {
	if w == avx512 {
		VMOVDQU64(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

func (w width) and(x, y, to Op) {
	if w == avx512 {
		VPANDD(x, y, to)
	} else {
		VPAND(x, y, to)
	}
}

// newConstants puts constants into memory, as AVX2 has too few registers to keep them.
func newConstants() emit.Constants {
	const none = 0x80808080 // bytes that a shuffle makes 0
	c := emit.Constants{}
	words := func(name string, values ...U32) { // of 32 bits
		c.Add(name, 64, emit.Each(len(values), func(i int) Constant { return values[i] })...)
	}
	halves := func(name string, value uint64) {
		words(name+"Low", U32(uint32(value)))
		words(name+"High", U32(value>>32))
	}
	c.Add("multiplier", 8, U64(emit.Multiplier))
	for i := range 4 {
		c.Add(fmt.Sprint("words", i), 8, U64(0x0303030303030303<<(2*i)))
	}
	c.Add("bitsOfByte", 64, emit.Each(16, func(i int) Constant { return U8(uint8(1 << i)) })...)
	c.Add("bothBitsOfByte", 64, emit.Each(16, func(i int) Constant { return U8(uint8(3 << i)) })...)
	halves("multiplier", emit.Multiplier)
	c.Add("mixFirst", 8, U64(emit.MixFirst))
	halves("mixFirst", emit.MixFirst)
	c.Add("mixSecond", 8, U64(emit.MixSecond))
	halves("mixSecond", emit.MixSecond)
	c.Add("mixBetween", 64, U64(emit.MixBetween))
	words("sevens", 7)
	words("ones32", 1)
	// The lowest bytes of the words of a block's answers, which lie 0 4 1 5 | 2 6 3 7, and 0 1 4 5 | 2 3 6 7.
	words("answerBytes", 0x80800800, 0x80800c04, none, none, 0x08008080, 0x0c048080, none, none)
	words("answersInPairs", 0x80800400, 0x80800c08, none, none, 0x04008080, 0x0c088080, none, none)
	words("ones16", 1<<16|1) // these are of 16 bits
	words("sevens16", 7<<16|7)
	words("fifteens", 15<<16|15)
	words("bytes255", 8*255<<16|8*255) // the first bit of byte 255
	words("bytes510", 8*510<<16|8*510)
	words("nextBytes", 1<<24|1<<8)
	words("lowBytesTwice", 0x02020000, 0x06060404, 0x0a0a0808, 0x0e0e0c0c)
	words("bits6", 1<<22|1<<6)
	words("bits7", 1<<23|1<<7)
	words("bits8", 1<<24|1<<8)
	words("digits", 0x05040504, 0x05040504, 0x0d0c0d0c, 0x0d0c0d0c) // an ID's digit, everywhere in eight bytes
	words("answersInOrder", 0x0c080400, none, none, none, none, 0x0c080400, none, none)
	return c
}

type half struct {
	id        reg.VecVirtual // of the product whose digits come next
	low, high reg.VecVirtual // the fraction, in the lower half of each element
}

// A block is the digits of some IDs.
type block struct {
	width
	emit.Constants
	m      reg.VecVirtual
	even   reg.OpmaskVirtual
	halves []half // two, or one
}

func newBlock(w width, c emit.Constants, m Op) *block {
	b := &block{width: w, Constants: c, m: w.vector()}
	VPBROADCASTQ(m, b.m)
	return b.another(2)
}

func (b *block) another(halves int) *block {
	other := *b
	other.halves = nil
	for range halves {
		other.halves = append(other.halves, half{b.vector(), b.vector(), b.vector()})
	}
	return &other
}

func (b *block) load(from Mem) {
	for i, h := range b.halves {
		b.move(from.Offset(i*b.bytes()), h.id)
	}
	b.mix()
}

func (b *block) multiplyTo(other *block) { b.timesTo("multiplier", other) }

func (b *block) timesTo(factor string, other *block) {
	for i, h := range b.halves {
		to := other.halves[i].id
		if b.width == avx512 {
			VPMULLQ_BCST(b.Constants[factor], h.id, to)
			continue
		}
		// The low half times the factor, and 2^32 times the two products of a high half and a low one.
		t, u := b.vector(), b.vector()
		VPMULUDQ(b.Constants[factor+"High"], h.id, t)
		VPSRLQ(U8(32), h.id, u)
		VPMULUDQ(b.Constants[factor+"Low"], u, u)
		VPADDQ(u, t, t)
		VPSLLQ(U8(32), t, t)
		VPMULUDQ(b.Constants[factor+"Low"], h.id, to)
		VPADDQ(t, to, to)
	}
}

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

// positions returns the digits side by side: of the first half in the even elements, or of the only one in order.
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
	b.multiplyTo(b)
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
