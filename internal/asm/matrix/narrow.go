package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"dejavu/internal/asm/emit"
)

// agreeNarrow is agreeOne with AVX2. Each four bits of a candidate's word look up a byte: their sums in the first eight
// columns of a link. It asks sixteen candidates at a time, and those that agree about the ninth column.
func agreeNarrow(c emit.Constants) {
	begin("agreeOneAVX2", asked)
	a := narrow{asking{Constants: c, plan: arg("plan"), history: arg("history"), scratch: Mem{Base: arg("scratch")}}}
	a.at, a.slot = arg("at"), arg("slot")
	link := GP64()
	XORQ(link, link)

	Label("link")
	n := a.columns()
	seed := GP64()
	MOVQ(param("seeds"), seed)
	MOVBQZX(Mem{Base: seed}.Idx(link, 1), seed)
	var factors [2]reg.VecVirtual // of keys of the first kind, and its difference to the one of the second
	for kind := range factors {
		factors[kind] = YMM()
		by, factor := GP64(), GP64()
		MOVQ(a.field(drawn), by)
		MOVQ(a.slot, factor)
		SHLQ(Imm(8), factor)
		ADDQ(Mem{Base: by, Disp: kind * tableBytes}.Idx(seed, 8), factor)
		MOVQ(U64(emit.Multiplier), by)
		IMULQ(by, factor)
		ORQ(Imm(1), factor)
		spread := XMM()
		VMOVQ(factor, spread)
		VPBROADCASTQ(spread, factors[kind])
	}
	VPXOR(factors[0], factors[1], factors[1])
	a.makeTables(n)
	IMULQ(a.field(articles), n)
	ADDQ(n, a.at)

	key, agreed, left := arg("spreads"), arg("agreed"), GP64() // behind the keys are the masks of their kinds
	nibbles, zero := YMM(), YMM()
	VMOVDQU(c["nibbles"], nibbles)
	VPXOR(zero, zero, zero)
	ADDQ(link, agreed)
	MOVQ(param("blocks"), left)
	Label("sixteen")
	var words []reg.VecVirtual
	for i := range 4 {
		spread, factor, high := YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: key, Disp: 32 * i}, spread)
		VPAND(Mem{Base: key, Disp: masksBehind + 32*i}, factors[1], factor)
		VPXOR(factors[0], factor, factor)
		VPSRLQ(U8(32), factor, high)
		words = append(words, product(spread, Mem{Base: key, Disp: 32*i + 4}, factor, high))
		VMOVDQU(words[i], a.words().Offset(32*i))
	}
	sum := YMM()
	for i, places := range byPlace(c, words) {
		high, common := YMM(), YMM()
		VPERMQ(U8(0xd8), places, places) // two places of eight candidates in each lane: one of sixteen
		VPSRLW(U8(4), places, high)
		for half, four := range []reg.VecVirtual{places, high} {
			VPAND(nibbles, four, four)
			VMOVDQU(a.table(i, half), common)
			VPSHUFB(four, common, common)
			if i+half == 0 {
				VMOVDQA(common, sum)
			} else {
				VPXOR(common, sum, sum)
			}
		}
	}
	odd := XMM()
	VEXTRACTI128(U8(1), sum, odd)
	VPXOR(odd, sum.AsX(), odd)
	VPSHUFB(c["inOrder"], odd, odd)
	VPCMPEQB(zero.AsX(), odd, odd)
	found, answers, one := GP64(), GP64(), GP64()
	XORQ(answers, answers)
	MOVQ(U32(1), one)
	VPMOVMSKB(odd, found.As32())
	TESTL(found.As32(), found.As32())
	JZ(LabelRef("answer"))
	Label("ninth")
	i, common := GP64(), GP64()
	TZCNTQ(found, i)
	MOVQ(a.ninth(), common)
	ANDQ(a.words().Idx(i, 8), common)
	POPCNTQ(common, common)
	ANDNQ(one, common, common)
	SHLXQ(i, common, common)
	ORQ(common, answers)
	BLSRQ(found, found)
	JNZ(LabelRef("ninth"))
	Label("answer")
	MOVB(answers.As8(), Mem{Base: agreed})
	SHRL(Imm(8), answers.As32())
	MOVB(answers.As8(), Mem{Base: agreed, Disp: 8})
	ADDQ(Imm(128), key)
	ADDQ(Imm(16), agreed)
	SUBQ(Imm(2), left)
	JHI(LabelRef("sixteen"))
	INCQ(a.slot)
	INCQ(link)
	CMPQ(link, param("links"))
	JCS(LabelRef("link"))
	finish()
}

// A narrow asking keeps in the scratch the ninth column, tables for sixteen places of four bits, and sixteen words.
type narrow struct{ asking }

func (a *narrow) ninth() Mem { return a.scratch }

// table returns two of 16 bytes: of the lower or upper four bits of two bytes of a word.
func (a *narrow) table(pair, half int) Mem { return a.scratch.Offset(32 + 64*pair + 32*half) }
func (a *narrow) words() Mem               { return a.table(4, 0) }

// makeTables makes the tables of a link's first eight columns at most, and its ninth column, or a blank one. The
// columns' bytes are sorted by their place, then their bits, so that a byte holds the columns' bits at one bit of a
// word. A table's entry is the sum of the bytes of the bits that are set in its number.
func (a *narrow) makeTables(n reg.GPVirtual) {
	from, eight := a.read(n)
	row, live := YMM(), YMM()
	VPBROADCASTQ(a.field(rows), row)
	VMOVQ(n, live.AsX())
	VPBROADCASTQ(live.AsX(), live)
	var words [2]reg.VecVirtual
	for i := range words {
		var two [2]reg.VecVirtual
		for j := range two {
			two[j] = XMM()
			for k := range 2 {
				at := GP64()
				MOVBQZX(eight.Offset(8*(4*i+2*j+k)), at)
				if column := from.Idx(at, 1); k == 0 {
					VMOVQ(column, two[j])
				} else {
					VPINSRQ(Imm(1), column, two[j], two[j])
				}
			}
		}
		words[i] = YMM()
		have := YMM()
		VINSERTI128(U8(1), two[1], two[0].AsY(), words[i])
		VPSRLVQ(eight.Offset(64+32*i), words[i], words[i])
		VPAND(row, words[i], words[i])
		VPOR(a.field(marks+32*i), words[i], words[i])
		VPCMPGTQ(a.Constants["numbers"].Offset(32*i), live, have)
		VPAND(have, words[i], words[i])
		VPSLLQ(U8(32), words[i], have)
		VPXOR(have, words[i], words[i]) // for words whose halves are not added up
		VPSHUFB(a.Constants["pairs"], words[i], words[i])
	}
	low, high := YMM(), YMM()
	VPUNPCKLWD(words[1], words[0], low)
	VPUNPCKHWD(words[1], words[0], high)
	order := YMM()
	VMOVDQU(a.Constants["order"], order)
	for i, x := range []reg.VecVirtual{low, high} {
		VPERMD(x, order, x) // the even places first
		for step := range 3 {
			t, u := YMM(), YMM()
			shift := U8(7 << step)
			VPSRLQ(shift, x, t)
			VPXOR(x, t, t)
			VPAND(a.Constants["swaps"].Offset(32*step), t, t)
			VPSLLQ(shift, t, u)
			VPXOR(t, x, x)
			VPXOR(u, x, x)
		}
		for four := range 4 {
			table := YMM()
			VPSHUFB(a.Constants["subsets"].Offset(128*four), x, table)
			for bit := 1; bit < 4; bit++ {
				t := YMM()
				VPSHUFB(a.Constants["subsets"].Offset(128*four+32*bit), x, t)
				VPXOR(t, table, table)
			}
			VMOVDQU(table, a.table(2*i+four/2, four%2))
		}
	}
}

// read writes the ninth column, and returns from where to read. The end of a history is copied, as less may follow.
func (a *narrow) read(n reg.GPVirtual) (from, eight Mem) {
	first, column, blank := GP64(), GP64(), GP64()
	from, eight = Mem{Base: GP64()}, Mem{Base: GP64()}
	MOVQ(a.at, from.Base)
	SHRQ(Imm(3), from.Base)
	ADDQ(a.history, from.Base)
	MOVQ(a.field(articles), column) // eight columns take that number of bytes
	LEAQ(from.Offset(7).Idx(column, 1), blank)
	CMPQ(blank, param("end"))
	JLS(LabelRef("inside"))
	to, last := a.words(), GP64()
	to.Base = GP64()
	MOVQ(a.scratch.Base, to.Base)
	MOVQ(param("end"), last)
	Label("copy")
	MOVB(from, blank.As8())
	MOVB(blank.As8(), to)
	INCQ(to.Base)
	INCQ(from.Base)
	CMPQ(from.Base, last)
	JLS(LabelRef("copy"))
	LEAQ(a.words(), from.Base)
	Label("inside")
	MOVQ(a.at, first)
	ANDQ(Imm(7), first)
	MOVQ(from.Idx(column, 1), column)
	SHRXQ(first, column, column)
	ANDQ(a.field(rows), column)
	ORQ(a.field(marks+64), column)
	MOVQ(column, blank)
	SHLQ(Imm(32), blank)
	XORQ(blank, column)
	XORQ(blank, blank)
	CMPQ(n, Imm(8))
	CMOVQLS(blank, column)
	MOVQ(column, a.ninth())
	SHLQ(Imm(7), first) // of an eight's bytes and shifts
	LEAQ(a.field(eights).Idx(first, 1), eight.Base)
	return from, eight
}

// byPlace sorts the bytes of sixteen words by their place: two places in each register.
func byPlace(c emit.Constants, words []reg.VecVirtual) []reg.VecVirtual {
	for _, w := range words {
		VPSHUFB(c["pairs"], w, w)
	}
	unpack := func(low, high func(...Op), x, y reg.VecVirtual) (l, h reg.VecVirtual) {
		l, h = YMM(), YMM()
		low(y, x, l)
		high(y, x, h)
		return l, h
	}
	first, second := unpack(VPUNPCKLWD, VPUNPCKHWD, words[0], words[1])
	third, fourth := unpack(VPUNPCKLWD, VPUNPCKHWD, words[2], words[3])
	a, b := unpack(VPUNPCKLDQ, VPUNPCKHDQ, first, third)
	d, e := unpack(VPUNPCKLDQ, VPUNPCKHDQ, second, fourth)
	return []reg.VecVirtual{a, b, d, e}
}

// product returns the lower 64 bits of products, by the upper halves of both.
func product(x, upper Op, factor, high reg.VecVirtual) reg.VecVirtual {
	to, t, u := YMM(), YMM(), YMM()
	VPMULUDQ(x, factor, to)
	VPMULUDQ(upper, factor, t)
	VPMULUDQ(x, high, u)
	VPADDQ(t, u, u)
	VPSLLQ(U8(32), u, u)
	VPADDQ(u, to, to)
	return to
}

// masksBehind is the distance from spread keys to their masks, all ones for keys of the second kind.
const masksBehind = 8 * 64

// spreadNarrow is spread with AVX2, of four IDs a block, with their masks.
func spreadNarrow(c emit.Constants) {
	begin("spreadAVX2", "keys *uint32, spreads, ids *uint64, blocks, shift, kinds uint64")
	keys, spreads, ids, blocks := arg("keys"), arg("spreads"), arg("ids"), arg("blocks")
	var factors, highs [2]reg.VecVirtual
	for i, at := range []Mem{c["mixFirst"], c["mixSecond"]} {
		factors[i], highs[i] = YMM(), YMM()
		VPBROADCASTQ(at, factors[i])
		VPSRLQ(U8(32), factors[i], highs[i])
	}
	between, shift, evens, kinds, zero := YMM(), XMM(), YMM(), YMM(), YMM()
	VPBROADCASTQ(param("kinds"), kinds)
	VPXOR(zero, zero, zero)
	VPBROADCASTQ(c["mixBetween"], between)
	VMOVQ(param("shift"), shift)
	VMOVDQU(c["evens"], evens)
	times := func(x reg.VecVirtual, i int) reg.VecVirtual {
		upper := YMM()
		VPSRLQ(U8(32), x, upper)
		return product(x, upper, factors[i], highs[i])
	}
	mix := func(x reg.VecVirtual) reg.VecVirtual {
		t := YMM()
		emit.Fold(32, x, t)
		x = times(x, 0)
		emit.Fold(29, x, t)
		VPXOR(between, x, x)
		x = times(x, 1)
		emit.Fold(32, x, t)
		return x
	}
	Label("four")
	id, four := YMM(), YMM()
	VMOVDQU(Mem{Base: ids}, id)
	key := mix(id)
	VPSRLQ(shift, key, key)
	VPERMD(key, evens, four)
	VMOVDQU(four.AsX(), Mem{Base: keys})
	spread := mix(key)
	VMOVDQU(spread, Mem{Base: spreads})
	VPAND(kinds, spread, spread)
	VPCMPEQQ(zero, spread, spread)
	VMOVDQU(spread, Mem{Base: spreads, Disp: masksBehind})
	ADDQ(Imm(32), ids)
	ADDQ(Imm(32), spreads)
	ADDQ(Imm(16), keys)
	DECQ(blocks)
	JNZ(LabelRef("four"))
	finish()
}
