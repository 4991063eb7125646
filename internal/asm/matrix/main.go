// Command matrix writes the machine code of package matrix's kernels for amd64, and their declarations:
//
//	go run . -out ../../../beyond/matrix/kernels_amd64.s -stubs ../../../beyond/matrix/kernels_amd64.go -pkg matrix
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"dejavu/internal/asm/emit"
)

// Of package matrix.
const (
	wordBits   = 56      // of a row
	tableBytes = 8 * 255 // of what factors are made of, for keys of one kind
)

var begin, finish, arg, param, everywhere = emit.Begin, emit.Finish, emit.Arg, emit.Address, emit.Everywhere

func main() { emit.Write(all) }

func all() {
	c := newConstants()
	agreeOne(c)
	agreeSeveral(c)
	agreeNarrow(c)
	spreadNarrow(c)
	list(c)
	spread(c)
	find(c)
	search(c)
	fill(c)
	eliminate(c)
	reduce(c)
	say(c)
}

// newConstants puts constants into memory: first whole registers, then words.
func newConstants() emit.Constants {
	c := emit.Constants{}
	each := func(name string, n int, value func(i int) Constant) {
		values := emit.Each(n, value)
		c.Add(name, n*values[0].Bytes(), values...)
	}
	// A byte is eight rows of eight bits: this exchanges row and column.
	each("transpose", 64, func(i int) Constant { return U8(i%8*8 + i/8) })
	each("marks", 8, func(i int) Constant { return U64(1 << (56 + i)) })
	each("numbers", 8, func(i int) Constant { return U64(i) })
	c.Add("ones", 64, U64(1))
	each("numbers16", 32, func(i int) Constant { return U16(i) })
	each("numbers32", 16, func(i int) Constant { return U32(i) })
	c.Add("bytes32", 64, U32(0x03020100))
	each("lowest32", 16, func(i int) Constant { return U32(i % 4 * 4 * 0x01010101) }) // the lowest byte, in all bytes
	each("numbers8", 64, func(i int) Constant { return U8(i) })
	c.Add("bytes16", 64, U16(0x0100))
	each("lowest16", 32, func(i int) Constant { return U16(i % 8 * 2 * 0x0101) })

	// Of AVX2: what a transposition exchanges, bytes whose sums make a table, and orders of bytes and of words.
	c.Add("nibbles", 32, U8(15))
	each("pairs", 32, func(i int) Constant { return U8(i%16/2 + i%2*8) })
	each("inOrder", 16, func(i int) Constant { return U8(i/4*2 + i%2 + i/2%2*8) })
	each("swaps", 12, func(i int) Constant { return exchanged[i/4] })
	each("subsets", 16*32, subset)
	each("evens", 8, func(i int) Constant { return U32(i % 4 * 2) })
	each("order", 8, func(i int) Constant { return U32(i%4/2*2 + i/4 + i%2*4) })
	c.Add("twos", 64, U8(2))
	c.Add("sixtyFours", 64, U8(64))
	c.Add("sevens16", 64, U16(7))
	c.Add("trueBytes", 32, U8(1))

	c.Add("multiplier", 8, U64(emit.Multiplier))
	c.Add("wordBits", 8, U64(wordBits))
	c.Add("mixFirst", 8, U64(emit.MixFirst))
	c.Add("mixSecond", 8, U64(emit.MixSecond))
	c.Add("mixBetween", 8, U64(emit.MixBetween))
	c.Add("one16", 2, U16(1))
	c.Add("byte16", 2, U16(0xff))
	c.Add("step16", 2, U16(32))
	c.Add("seven32", 4, U32(7))
	c.Add("sixteen32", 4, U32(16))
	return c
}

// exchanged are the bits of eight rows of eight that change places with those 7, 14 and 28 further on to transpose.
var exchanged = []U64{0x00aa00aa00aa00aa, 0x0000cccc0000cccc, 0x00000000f0f0f0f0}

// subset returns, for each entry of a table, the byte of a bit that is set in the entry's number, or none.
func subset(i int) Constant {
	four, bit, entry := i/128, i/32%4, i%16
	if entry>>bit&1 == 0 {
		return U8(0x80)
	}
	return U8(4*four + bit)
}

func load(from Mem) reg.VecVirtual {
	v := ZMM()
	VMOVDQU64(from, v)
	return v
}

func everywhere32(from Op) reg.VecVirtual {
	v := ZMM()
	VPBROADCASTD(from, v)
	return v
}

// masked sets a mask of the given number of bits, or of all there are.
func masked(bits reg.GPVirtual, mask reg.OpmaskVirtual) {
	all := GP64()
	MOVQ(I64(-1), all)
	BZHIQ(bits, all, all)
	KMOVW(all.As32(), mask)
}
