// Command matrix writes the machine code of package matrix's kernels for amd64, and their declarations:
//
//	go run . -out ../../../beyond/matrix/kernels_amd64.s -stubs ../../../beyond/matrix/kernels_amd64.go -pkg matrix
//
// Some need AVX-512, with its instructions for bytes and for matrices of bits, the others AVX2.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"dejavu/internal/asm/emit"
)

// What package matrix defines, which cannot be imported here; its tests compare the kernels with it.
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

// constants lie in memory: the first a register's 64 bytes each, the others a word.
type constants struct {
	transpose Mem // of a byte in eight rows of eight, the one with row and column exchanged
	marks     Mem // the j-th of the highest eight bits, in the j-th word
	numbers   Mem // 0 to 7
	ones      Mem
	numbers16 Mem // 0 to 31, in words of 16 bits
	numbers32 Mem // 0 to 15, in words of 32 bits
	bytes32   Mem // 0 to 3, in the bytes of such words
	lowest32  Mem // the lowest byte, in all bytes of such words
	trueBytes Mem
	numbers8  Mem // 0 to 63, in bytes
	bytes16   Mem // 0 and 1, in the bytes of words of 16 bits
	lowest16  Mem // the lowest byte, in both bytes of such words

	nibbles, pairs, inOrder    Mem // of AVX2: the low half of each byte; places of bytes, of two words and of sixteen
	swaps, subsets             Mem // of AVX2: what a transposition exchanges, and the bytes of which a table's are sums
	evens, order               Mem // places of words of 32 bits
	twos, sixtyFours, sevens16 Mem // in each byte, and in each word of 16 bits

	multiplier, wordBits, mixFirst, mixSecond, mixBetween, step16, one16, byte16, seven32, sixteen32 Mem
}

func newConstants() constants {
	return constants{
		transpose: global("transpose", 64, func(i int) Constant { return U8(i%8*8 + i/8) }),
		marks:     global("marks", 8, func(i int) Constant { return U64(1 << (56 + i)) }),
		numbers:   global("numbers", 8, func(i int) Constant { return U64(i) }),
		ones:      global("ones", 8, func(int) Constant { return U64(1) }),
		numbers16: global("numbers16", 32, func(i int) Constant { return U16(i) }),
		numbers32: global("numbers32", 16, func(i int) Constant { return U32(i) }),
		bytes32:   global("bytes32", 16, func(int) Constant { return U32(0x03020100) }),
		lowest32:  global("lowest32", 16, func(i int) Constant { return U32(i % 4 * 4 * 0x01010101) }),
		numbers8:  global("numbers8", 64, func(i int) Constant { return U8(i) }),
		bytes16:   global("bytes16", 32, func(int) Constant { return U16(0x0100) }),
		lowest16:  global("lowest16", 32, func(i int) Constant { return U16(i % 8 * 2 * 0x0101) }),

		nibbles:    global("nibbles", 32, func(int) Constant { return U8(15) }),
		pairs:      global("pairs", 32, func(i int) Constant { return U8(i%16/2 + i%2*8) }),
		inOrder:    global("inOrder", 16, func(i int) Constant { return U8(i/4*2 + i%2 + i/2%2*8) }),
		swaps:      global("swaps", 12, func(i int) Constant { return exchanged[i/4] }),
		subsets:    global("subsets", 16*32, subset),
		evens:      global("evens", 8, func(i int) Constant { return U32(i % 4 * 2) }),
		order:      global("order", 8, func(i int) Constant { return U32(i%4/2*2 + i/4 + i%2*4) }),
		twos:       global("twos", 64, func(int) Constant { return U8(2) }),
		sixtyFours: global("sixtyFours", 64, func(int) Constant { return U8(64) }),
		sevens16:   global("sevens16", 32, func(int) Constant { return U16(7) }),
		trueBytes:  global("trueBytes", 32, func(int) Constant { return U8(1) }),

		multiplier: word("multiplier", U64(emit.Multiplier)),
		wordBits:   word("wordBits", U64(wordBits)),
		mixFirst:   word("mixFirst", U64(emit.MixFirst)),
		mixSecond:  word("mixSecond", U64(emit.MixSecond)),
		mixBetween: word("mixBetween", U64(emit.MixBetween)),
		one16:      word("one16", U16(1)),
		byte16:     word("byte16", U16(0xff)),
		step16:     word("step16", U16(32)),
		seven32:    word("seven32", U32(7)),
		sixteen32:  word("sixteen32", U32(16)),
	}
}

// exchanged are the bits of eight rows of eight that change places with those 7, 14 and 28 further on, step by step,
// when rows become columns.
var exchanged = []U64{0x00aa00aa00aa00aa, 0x0000cccc0000cccc, 0x00000000f0f0f0f0}

// subset is for each of a lane's four times four bytes, and each entry of a table, the byte if its bit is set in the
// entry's number, or none.
func subset(i int) Constant {
	four, bit, entry := i/128, i/32%4, i%16
	if entry>>bit&1 == 0 {
		return U8(0x80)
	}
	return U8(4*four + bit)
}

func global(name string, n int, value func(i int) Constant) Mem {
	at := GLOBL(name, RODATA|NOPTR)
	for i := range n {
		v := value(i)
		DATA(i*v.Bytes(), v)
	}
	return at
}

func word(name string, value Constant) Mem {
	return global(name, 1, func(int) Constant { return value })
}

// load takes a constant into a register.
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

// masked sets a mask of so many bits from the lowest on, or of all there are.
func masked(bits reg.GPVirtual, mask reg.OpmaskVirtual) {
	all := GP64()
	MOVQ(I64(-1), all)
	BZHIQ(bits, all, all)
	KMOVW(all.As32(), mask)
}
