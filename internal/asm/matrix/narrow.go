package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// agreeNarrow is agreeOne with AVX2, which has no instruction for matrices of bits: a candidate's word and a column are
// folded, and the folds of eight columns put side by side. It asks the first eight.
func agreeNarrow(c constants) {
	begin("agreeOneAVX2", asked)
	plan, history, scratch := arg("plan"), arg("history"), arg("scratch")
	field := func(at int) Mem { return Mem{Base: plan, Disp: at} }
	slot, at, link := arg("slot"), arg("at"), GP64()
	XORQ(link, link)
	zero, nibbles, parity := YMM(), YMM(), YMM()
	VPXOR(zero, zero, zero)
	VMOVDQU(c.nibbles, nibbles)
	VMOVDQU(c.parity, parity)

	Label("link")
	n := GP64() // its columns
	MOVQ(field(columns), n)
	CMPQ(slot, field(short))
	SBBQ(Imm(0), n)
	seed := GP64()
	MOVQ(param("seeds"), seed)
	MOVBQZX(Mem{Base: seed}.Idx(link, 1), seed)
	var factors [2]reg.VecVirtual // of keys of the first kind, and its difference to the one of the second
	for kind := range factors {
		factors[kind] = YMM()
		by, factor := GP64(), GP64()
		MOVQ(field(drawn), by)
		MOVQ(slot, factor)
		SHLQ(Imm(8), factor)
		ADDQ(Mem{Base: by, Disp: kind * tableBytes}.Idx(seed, 8), factor)
		MOVQ(U64(multiplier), by)
		IMULQ(by, factor)
		ORQ(Imm(1), factor)
		spread := XMM()
		VMOVQ(factor, spread)
		VPBROADCASTQ(spread, factors[kind])
	}
	VPXOR(factors[0], factors[1], factors[1])
	bit, column := GP64(), GP64()
	MOVQ(at, bit)
	XORQ(column, column)
	Label("column")
	word, shift := GP64(), GP64()
	MOVQ(bit, word)
	SHRQ(Imm(3), word)
	MOVQ(Mem{Base: history}.Idx(word, 1), word)
	MOVQ(bit, shift)
	ANDQ(Imm(7), shift)
	SHRXQ(shift, word, word)
	ANDQ(field(rows), word)
	ORQ(field(marks).Idx(column, 8), word)
	XORQ(shift, shift)
	CMPQ(column, n) // there are fewer than eight
	CMOVQCC(shift, word)
	everywhere, to := XMM(), GP64()
	VMOVQ(word, everywhere)
	VPBROADCASTQ(everywhere, everywhere.AsY())
	MOVQ(column, to)
	SHLQ(Imm(5), to)
	VMOVDQU(everywhere.AsY(), Mem{Base: scratch}.Idx(to, 1))
	ADDQ(field(articles), bit)
	INCQ(column)
	CMPQ(column, Imm(8))
	JCS(LabelRef("column"))
	IMULQ(field(articles), n)
	ADDQ(n, at)

	key, agreed, left := arg("spreads"), arg("agreed"), GP64() // behind the keys are the masks of their kinds
	ADDQ(link, agreed)
	MOVQ(param("blocks"), left)
	Label("block")
	answer, more := GP64(), GP64()
	for i, to := range []reg.GPVirtual{answer, more} {
		spread, factor := YMM(), YMM()
		VMOVDQU(Mem{Base: key, Disp: 32 * i}, spread)
		VPAND(Mem{Base: key, Disp: masksBehind + 32*i}, factors[1], factor)
		VPXOR(factors[0], factor, factor)
		folds := foldEight(c, multiply(spread, factor), scratch)
		t := YMM()
		VPSRLW(U8(4), folds, t)
		VPXOR(t, folds, folds)
		VPAND(nibbles, folds, folds)
		VPSHUFB(folds, parity, folds)
		VPCMPEQD(folds, zero, folds)
		VMOVMSKPS(folds, to.As32())
	}
	SHLL(Imm(8), more.As32())
	ORL(more.As32(), answer.As32())
	MOVL(answer.As32(), more.As32()) // both fours of columns
	SHRL(Imm(2), more.As32())
	ANDL(more.As32(), answer.As32())
	for _, pairs := range []struct{ mask, shift uint64 }{{0x3333, 2}, {0x0f0f, 4}} { // of answers, side by side
		ANDL(U32(pairs.mask), answer.As32())
		MOVL(answer.As32(), more.As32())
		SHRL(Imm(pairs.shift), more.As32())
		ORL(more.As32(), answer.As32())
	}
	MOVB(answer.As8(), Mem{Base: agreed})
	ADDQ(Imm(64), key)
	ADDQ(Imm(8), agreed)
	DECQ(left)
	JNZ(LabelRef("block"))
	INCQ(slot)
	INCQ(link)
	CMPQ(link, param("links"))
	JCS(LabelRef("link"))
	VZEROUPPER()
	RET()
}

// multiply is the words of candidates: products of 64 bits, each with its upper half added to the lower.
func multiply(spread, factor reg.VecVirtual) reg.VecVirtual {
	high, t := YMM(), YMM()
	VPSRLQ(U8(32), factor, high)
	word := product(spread, factor, high)
	VPSRLQ(U8(32), word, t)
	VPXOR(t, word, word)
	return word
}

// product is the lower 64 bits of products, by factors and the upper halves of these.
func product(x, factor, high reg.VecVirtual) reg.VecVirtual {
	to, t, u := YMM(), YMM(), YMM()
	VPMULUDQ(x, factor, to)
	VPSRLQ(U8(32), x, t)
	VPMULUDQ(t, factor, t)
	VPMULUDQ(x, high, u)
	VPADDQ(t, u, u)
	VPSLLQ(U8(32), u, u)
	VPADDQ(u, to, to)
	return to
}

// masksBehind are the bytes from the spread keys of a work room to their masks, all ones for keys of the second kind.
const masksBehind = 8 * 64

// spreadNarrow is spread with AVX2, of four IDs a block, with their masks.
func spreadNarrow(c constants) {
	begin("spreadAVX2", "keys *uint32, spreads, ids *uint64, blocks, shift, kinds uint64")
	keys, spreads, ids, blocks := arg("keys"), arg("spreads"), arg("ids"), arg("blocks")
	var factors, highs [2]reg.VecVirtual
	for i, at := range []Mem{c.mixFirst, c.mixSecond} {
		factors[i], highs[i] = YMM(), YMM()
		VPBROADCASTQ(at, factors[i])
		VPSRLQ(U8(32), factors[i], highs[i])
	}
	between, shift, evens, kinds, zero := YMM(), XMM(), YMM(), YMM(), YMM()
	VPBROADCASTQ(param("kinds"), kinds)
	VPXOR(zero, zero, zero)
	VPBROADCASTQ(c.mixBetween, between)
	VMOVQ(param("shift"), shift)
	VMOVDQU(c.evens, evens)
	mix := func(x reg.VecVirtual) reg.VecVirtual {
		t := YMM()
		VPSRLQ(U8(32), x, t)
		VPXOR(t, x, x)
		x = product(x, factors[0], highs[0])
		VPSRLQ(U8(29), x, t)
		VPXOR(t, x, x)
		VPXOR(between, x, x)
		x = product(x, factors[1], highs[1])
		VPSRLQ(U8(32), x, t)
		VPXOR(t, x, x)
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
	VZEROUPPER()
	RET()
}

// foldEight folds what words and eight columns have in common to a byte each. Of two candidates there are four words of
// 32 bits: four columns of the first and of the second, and their other four.
func foldEight(c constants, word reg.VecVirtual, columns reg.GPVirtual) reg.VecVirtual {
	common := func(column int) reg.VecVirtual {
		v := YMM()
		VPAND(Mem{Base: columns, Disp: 32 * column}, word, v)
		return v
	}
	two := func(column int) reg.VecVirtual { // to 32 bits
		x, y, t := common(column), common(column+1), YMM()
		VSHUFPS(U8(0x88), y, x, t)
		VSHUFPS(U8(0xdd), y, x, x)
		VPXOR(t, x, x)
		return x
	}
	four := func(column int) reg.VecVirtual { // to 16
		x, y, t := two(column), two(column+2), YMM()
		VPBLENDW(U8(0xaa), y, x, t)
		VPBLENDW(U8(0xaa), x, y, y)
		VPSHUFB(c.swap16, y, y)
		VPXOR(t, y, y)
		return y
	}
	x, y, t := four(0), four(4), YMM()
	VPXOR(x, y, t)
	VPAND(c.lowBytes, t, t)
	VPXOR(t, x, x)
	VPXOR(t, y, y)
	VPSHUFB(c.swap8, x, x)
	VPXOR(x, y, y)
	return y
}
