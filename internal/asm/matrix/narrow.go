package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"dejavu/internal/asm/emit"
)

// agreeNarrow writes with AVX2 which candidates agree with the first eight columns of up to eight links. Each four bits
// of a candidate's words look up a byte, the sums in eight columns. It asks sixteen candidates at a time.
func agreeNarrow(c emit.Constants) {
	begin("agreeAVX2", asked)
	a := narrow{asking{Constants: c, plan: arg("plan"), history: arg("history"), scratch: Mem{Base: arg("scratch")}}}
	a.at, a.slot = arg("at"), arg("slot")
	link := GP64()
	XORQ(link, link)

	Label("link")
	w, bit := GP64(), GP64()
	XORQ(w, w)
	MOVQ(a.at, bit)
	Label("word")
	a.makeTables(w, bit)
	factors := a.factors(link, w)
	rotation, rest := XMM(), XMM()
	by := GP64()
	MOVQ(w, by)
	SHLQ(Imm(3), by)
	VMOVQ(by, rotation)
	NEGQ(by)
	ADDQ(Imm(64), by)
	VMOVQ(by, rest)

	key, agreed, sums, left := arg("spreads"), arg("agreed"), GP64(), GP64() // behind the keys: the masks of their kinds
	nibbles, zero := YMM(), YMM()
	VMOVDQU(c["nibbles"], nibbles)
	VPXOR(zero, zero, zero)
	ADDQ(link, agreed)
	LEAQ(a.sums(), sums)
	MOVQ(param("blocks"), left)
	Label("sixteen")
	var candidates []reg.VecVirtual
	for i := range 4 {
		spread, upper, factor, high := YMM(), YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: key, Disp: 32 * i}, spread)
		VPSLLQ(rotation, spread, upper)
		VPSRLQ(rest, spread, spread)
		VPOR(upper, spread, spread)
		VPAND(Mem{Base: key, Disp: masksBehind + 32*i}, factors[1], factor)
		VPXOR(factors[0], factor, factor)
		VPSRLQ(U8(32), factor, high)
		VPSRLQ(U8(32), spread, upper)
		candidates = append(candidates, product(spread, upper, factor, high))
	}
	sum := YMM()
	for i, places := range byPlace(c, candidates) {
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
	odd, found := XMM(), GP64()
	VEXTRACTI128(U8(1), sum, odd)
	VPXOR(odd, sum.AsX(), odd)
	CMPQ(w, Imm(0))
	JEQ(LabelRef("firstWord"))
	VPXOR(Mem{Base: sums}, odd, odd)
	Label("firstWord")
	VMOVDQU(odd, Mem{Base: sums})
	VPSHUFB(c["inOrder"], odd, odd)
	VPCMPEQB(zero.AsX(), odd, odd)
	VPMOVMSKB(odd, found.As32())
	MOVB(found.As8(), Mem{Base: agreed})
	SHRL(Imm(8), found.As32())
	MOVB(found.As8(), Mem{Base: agreed, Disp: 8})
	ADDQ(Imm(128), key)
	ADDQ(Imm(16), agreed)
	ADDQ(Imm(16), sums)
	SUBQ(Imm(2), left)
	JHI(LabelRef("sixteen"))
	ADDQ(Imm(wordBits), bit)
	INCQ(w)
	CMPQ(w, a.field(words))
	JCS(LabelRef("word"))
	n := a.columns()
	IMULQ(a.field(articles), n)
	ADDQ(n, a.at)
	INCQ(a.slot)
	INCQ(link)
	CMPQ(link, param("links"))
	JCS(LabelRef("link"))
	finish()
}

// A narrow asking keeps in the scratch tables for sixteen places of four bits, and the sums of up to 64 candidates.
type narrow struct{ asking }

// table returns two of 16 bytes: of the lower or upper four bits of two bytes of a word.
func (a *narrow) table(pair, half int) Mem { return a.scratch.Offset(64*pair + 32*half) }
func (a *narrow) sums() Mem                { return a.table(4, 0) }

// factors returns the factor of a word of keys of the first kind, and its difference to the second kind's.
func (a *narrow) factors(link, w reg.GPVirtual) (factors [2]reg.VecVirtual) {
	seed := GP64()
	MOVQ(param("seeds"), seed)
	MOVBQZX(Mem{Base: seed}.Idx(link, 1), seed)
	for kind := range factors {
		factors[kind] = YMM()
		by, factor := GP64(), GP64()
		MOVQ(a.field(drawn), by)
		MOVQ(a.slot, factor)
		SHLQ(Imm(8), factor)
		ADDQ(w, factor)
		ADDQ(Mem{Base: by, Disp: kind * tableBytes}.Idx(seed, 8), factor)
		MOVQ(U64(emit.Multiplier), by)
		IMULQ(by, factor)
		ORQ(Imm(1), factor)
		VMOVQ(factor, factors[kind].AsX())
		VPBROADCASTQ(factors[kind].AsX(), factors[kind])
	}
	VPXOR(factors[0], factors[1], factors[1])
	return factors
}

// makeTables makes the tables of one word of a link's first eight columns at most. The columns' bytes are sorted by
// their place, then their bits, so that a byte holds the columns' bits at one bit of the word. A table's entry is the
// sum of the bytes of the bits that are set in its number.
func (a *narrow) makeTables(w, bit reg.GPVirtual) {
	row, live := YMM(), YMM()
	VPBROADCASTQ(a.field(rows).Idx(w, 8), row)
	VMOVQ(a.columns(), live.AsX())
	VPBROADCASTQ(live.AsX(), live)
	var words [2]reg.VecVirtual
	for i := range words {
		low, high := XMM(), XMM()
		words[i] = low.AsY().(reg.VecVirtual)
		for j, two := range []reg.VecVirtual{low, high} {
			VMOVQ(a.read(bit, 4*i+2*j), two)
			VPINSRQ(Imm(1), a.read(bit, 4*i+2*j+1), two, two)
		}
		VINSERTI128(U8(1), high, words[i], words[i])
		VPAND(row, words[i], words[i])
	}
	CMPQ(w, Imm(0))
	JNE(LabelRef("unmarked"))
	for i := range words {
		VPOR(a.field(marks+32*i), words[i], words[i])
	}
	Label("unmarked")
	for i := range words {
		t := YMM()
		VPCMPGTQ(a.Constants["numbers"].Offset(32*i), live, t)
		VPAND(t, words[i], words[i])
		VPSLLQ(U8(32), words[i], t)
		VPXOR(t, words[i], words[i]) // for words whose halves are not added up
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

// read returns a column's word, from a bit of the first column on. Of the last seven bytes of a history it reads what
// there is.
func (a *narrow) read(bit reg.GPVirtual, column int) reg.GPVirtual {
	from, shift, over, zero := GP64(), GP64(), GP64(), GP64()
	MOVQ(a.field(atField+8*column), from)
	ADDQ(bit, from)
	MOVQ(from, shift)
	SHRQ(Imm(3), from)
	ANDQ(Imm(7), shift)
	LEAQ(Mem{Base: a.history, Disp: 7}.Idx(from, 1), over)
	XORQ(zero, zero)
	SUBQ(param("end"), over)
	CMOVQLT(zero, over)
	SUBQ(over, from)
	LEAQ(Mem{Base: shift}.Idx(over, 8), shift)
	SHRXQ(shift, Mem{Base: a.history}.Idx(from, 1), from)
	return from
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
