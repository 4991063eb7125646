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
	zero, kinds, nibbles, parity := YMM(), YMM(), YMM(), YMM()
	VPXOR(zero, zero, zero)
	VPBROADCASTQ(field(kindsField), kinds)
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

	key, agreed, left := arg("spreads"), arg("agreed"), GP64()
	ADDQ(link, agreed)
	MOVQ(param("blocks"), left)
	Label("block")
	answer, more := GP64(), GP64()
	for i, to := range []reg.GPVirtual{answer, more} {
		spread, factor := YMM(), YMM()
		VMOVDQU(Mem{Base: key, Disp: 32 * i}, spread)
		VPAND(spread, kinds, factor)
		VPCMPEQQ(factor, zero, factor)
		VPAND(factors[1], factor, factor)
		VPXOR(factors[0], factor, factor)
		folds := foldEight(multiply(spread, factor), scratch, c.lowBytes)
		t := YMM()
		VPSRLW(U8(4), folds, t)
		VPXOR(t, folds, folds)
		VPAND(nibbles, folds, folds)
		VPSHUFB(folds, parity, folds)
		VPSHUFD(U8(0x50), folds, t) // four columns of two candidates, and the other four
		VPSHUFD(U8(0xfa), folds, folds)
		VPOR(t, folds, folds)
		VPCMPEQQ(folds, zero, folds)
		VMOVMSKPD(folds, to.As32())
	}
	SHLL(Imm(4), more.As32())
	ORL(more.As32(), answer.As32())
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
	word, t, u := YMM(), YMM(), YMM()
	VPMULUDQ(spread, factor, word)
	VPSRLQ(U8(32), spread, t)
	VPMULUDQ(t, factor, t)
	VPSRLQ(U8(32), factor, u)
	VPMULUDQ(u, spread, u)
	VPADDQ(t, u, u)
	VPSLLQ(U8(32), u, u)
	VPADDQ(u, word, word)
	VPSRLQ(U8(32), word, t)
	VPXOR(t, word, word)
	return word
}

// foldEight folds what words and eight columns have in common to a byte each. Of two candidates there are four words of
// 32 bits: columns 0, 4, 2, 6 of the first and the second, and 1, 5, 3, 7.
func foldEight(word reg.VecVirtual, columns reg.GPVirtual, lowBytes Mem) reg.VecVirtual {
	common := func(column int) reg.VecVirtual {
		v := YMM()
		VPAND(Mem{Base: columns, Disp: 32 * column}, word, v)
		return v
	}
	two := func(column int) reg.VecVirtual { // to words of 32 bits
		x, y, t := common(column), common(column+1), YMM()
		VSHUFPS(U8(0x88), y, x, t)
		VSHUFPS(U8(0xdd), y, x, x)
		VPXOR(t, x, x)
		return x
	}
	four := func(column int) reg.VecVirtual { // of 16
		x, y, t, u := two(column), two(column+2), YMM(), YMM()
		VPSLLD(U8(16), y, t)
		VPBLENDW(U8(0xaa), t, x, t)
		VPSRLD(U8(16), x, u)
		VPBLENDW(U8(0xaa), y, u, u)
		VPXOR(t, u, u)
		return u
	}
	x, y, t := four(0), four(4), YMM()
	VPSRLW(U8(8), x, t)
	VPXOR(t, x, x)
	VPSLLW(U8(8), y, t)
	VPXOR(t, y, y)
	VPXOR(y, x, x)
	VPAND(lowBytes, x, x)
	VPXOR(y, x, x)
	return x
}
