package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"dejavu/internal/asm/emit"
)

// What the eight bytes of a candidate's word have in common with eight columns is, for each byte, a matrix of eight
// times eight bits. An instruction multiplies eight bytes with one matrix. So the bytes of eight candidates are sorted
// by their place, multiplied, and a candidate's products added up, without carries: it agrees if nothing is left.

// The fields of package matrix's plan, in bytes.
const (
	articles   = 8 * iota     // of a link
	columns                   // of a link
	short                     // links that have a column less
	kindsField                // the bits of a spread key that are zero in one of the second kind
	words                     // of a row
	drawn                     // two tables of what factors are made of
	atField                   // the bits of a link at which eight columns begin, from the first one's on
	rows       = atField + 64 // the bits of each word that are of the row
	marks      = rows + 64    // of all columns
	// Of eight columns, by the bit of a byte with which the first begins: the bytes of each, and its first bit.
	eights = marks + 256
)

const asked = "plan, history, seeds *byte, slot, at, links uint64, spreads *uint64, agreed *byte, blocks uint64, " +
	"scratch, end *byte"

// An asking has what both kernels share.
type asking struct {
	emit.Constants
	plan, history   reg.GPVirtual
	scratch         Mem // matrices of eight links, or words, and factors of keys of either kind
	transpose       reg.VecVirtual
	kinds           reg.VecVirtual
	slot, at, links reg.GPVirtual // at is the bit at which the link in a slot begins
	live, some      reg.OpmaskVirtual
	labels          int
}

// In the scratch, behind the matrices.
const (
	nextMatrices = 8 * 64
	factorsAt    = 16 * 64
)

func ask(name string, c emit.Constants) *asking {
	begin(name, asked)
	a := &asking{Constants: c, plan: arg("plan"), history: arg("history"), scratch: Mem{Base: arg("scratch")}}
	a.transpose, a.kinds = load(c["transpose"]), everywhere(a.field(kindsField))
	a.slot, a.at, a.links = arg("slot"), arg("at"), GP64()
	a.live, a.some = K(), K()
	XORQ(a.links, a.links)
	return a
}

func (a *asking) field(at int) Mem     { return Mem{Base: a.plan, Disp: at} }
func (a *asking) factors(kind int) Mem { return a.scratch.Offset(factorsAt + 64*kind) }

// makeFactors makes the factors of a kind, from what is drawn, for the slots or words that are numbered.
func (a *asking) makeFactors(kind int, drawn, number reg.VecVirtual) {
	VPADDQ(number, drawn, drawn)
	VPMULLQ_BCST(a.Constants["multiplier"], drawn, drawn)
	VPORQ(a.Constants["ones"], drawn, drawn)
	VMOVDQU64(drawn, a.factors(kind))
}

func (a *asking) columns() (n reg.GPVirtual) {
	n = GP64()
	MOVQ(a.field(columns), n)
	CMPQ(a.slot, a.field(short))
	SBBQ(Imm(0), n)
	return n
}

func (a *asking) first(n reg.GPVirtual) {
	eight := GP64()
	MOVL(U32(0xff), eight.As32())
	BZHIQ(n, eight, eight)
	KMOVB(eight.As32(), a.live)
}

// sortMatrix makes of words, one of each column, a matrix for each byte, with the columns' marks.
func (a *asking) sortMatrix(matrix reg.VecVirtual, rows, marks Mem) {
	VPANDQ_BCST_Z(rows, matrix, a.live, matrix)
	VPORQ(marks, matrix, a.live, matrix)
	VPERMB(matrix, a.transpose, matrix)
}

func (a *asking) gather(bit, matrix reg.VecVirtual) {
	from, shift := ZMM(), ZMM()
	KMOVQ(a.live, a.some)
	VPSRLQ(U8(3), bit, from)
	VPSLLQ(U8(3), from, shift)
	VPSUBQ(shift, bit, shift)
	VPXORQ(matrix, matrix, matrix)
	VPGATHERQQ(Mem{Base: a.history, Index: from, Scale: 1}, a.some, matrix)
	VPSRLVQ(shift, matrix, matrix)
}

// sorted returns the words of eight candidates, sorted by bytes; other is the factor of the second kind of key.
func (a *asking) sorted(spread reg.VecVirtual, second reg.OpmaskVirtual, factor, other Mem) reg.VecVirtual {
	word, t := ZMM(), ZMM()
	VPBROADCASTQ(factor, word)
	VPBROADCASTQ(other, second, word)
	VPMULLQ(word, spread, word)
	emit.Fold(32, word, t)
	VPERMB(word, a.transpose, word)
	return word
}

// agreeOne writes which candidates agree with the first sixteen columns of up to eight links, if rows have one word.
func agreeOne(c emit.Constants) {
	a := ask("agreeOneAVX512", c)
	seeds, number, from := ZMM(), everywhere(a.slot), GP64()
	VPADDQ(c["numbers"], number, number)
	VPSLLQ(U8(8), number, number)
	MOVQ(param("seeds"), from)
	MOVQ(param("links"), a.links)
	masked(a.links, a.live)
	bytes := XMM()
	VMOVDQU8_Z(Mem{Base: from}, a.live, bytes)
	VPMOVZXBQ(bytes, seeds)
	MOVQ(a.field(drawn), from)
	for kind := range 2 {
		factor := ZMM()
		KXNORB(a.some, a.some, a.some)
		VPXORQ(factor, factor, factor)
		VPGATHERQQ(Mem{Base: from, Disp: kind * tableBytes, Index: seeds, Scale: 8}, a.some, factor)
		a.makeFactors(kind, factor, number)
	}
	to, matrix := a.scratch, ZMM()
	to.Base = GP64()
	MOVQ(a.scratch.Base, to.Base)
	Label("link")
	n := a.columns()
	a.first(n)
	a.readEight(a.at, matrix)
	a.sortMatrix(matrix, a.field(rows), a.field(marks))
	VMOVDQU64(matrix, to)
	VPXORQ(matrix, matrix, matrix) // all agree with no columns
	SUBQ(Imm(8), n)
	JBE(LabelRef("nextRead"))
	a.first(n)
	next := GP64()
	MOVQ(a.field(articles), next)
	LEAQ(Mem{Base: a.at}.Idx(next, 8), next)
	CMPQ(n, Imm(1))
	JNE(LabelRef("moreColumns"))
	a.readNinth(next, matrix)
	JMP(LabelRef("nextRead"))
	Label("moreColumns")
	a.readEight(next, matrix)
	a.sortMatrix(matrix, a.field(rows), a.field(marks+64))
	Label("nextRead")
	VMOVDQU64(matrix, to.Offset(nextMatrices))
	ADDQ(Imm(8), n)
	ADDQ(Imm(64), to.Base)
	IMULQ(a.field(articles), n)
	ADDQ(n, a.at)
	INCQ(a.slot)
	DECQ(a.links)
	JNZ(LabelRef("link"))

	answers := arg("links") // a bit of each
	SHLQ(Imm(3), answers)
	key, agreed, left := arg("spreads"), arg("agreed"), arg("blocks")
	spread, second := ZMM(), K()
	Label("block")
	VMOVDQU64(Mem{Base: key}, spread)
	VPTESTNMQ(a.kinds, spread, second)
	var sorted []reg.VecVirtual
	for i := range 8 {
		sorted = append(sorted, a.sorted(spread, second, a.factors(0).Offset(8*i), a.factors(1).Offset(8*i)))
	}
	zero, mask := K(), GP64()
	multiply := func(matrices Mem, agree func(sum reg.VecVirtual)) {
		var sums []reg.VecVirtual
		for i, x := range sorted {
			sums = append(sums, ZMM())
			VGF2P8AFFINEQB(U8(0), matrices.Offset(64*i), x, sums[i])
		}
		agree(addUp(sums))
		KMOVQ(zero, mask)
	}
	multiply(a.scratch, func(sum reg.VecVirtual) { VPTESTNMB(sum, sum, zero) })
	BZHIQ(answers, mask, mask)
	JZ(LabelRef("answer"))
	CMPQ(a.field(columns), Imm(8))
	JBE(LabelRef("answer"))
	multiply(a.scratch.Offset(nextMatrices), func(sum reg.VecVirtual) { VPTESTNMB(sum, sum, zero, zero) })
	BZHIQ(answers, mask, mask)
	Label("answer")
	MOVQ(mask, Mem{Base: agreed})
	ADDQ(Imm(64), key)
	ADDQ(Imm(8), agreed)
	DECQ(left)
	JNZ(LabelRef("block"))
	finish()
}

// readEight reads the words of eight columns that lie in 64 bytes, from a bit on.
func (a *asking) readEight(at reg.GPVirtual, matrix reg.VecVirtual) {
	from, shift, left := GP64(), GP64(), GP64()
	MOVQ(at, from)
	SHRQ(Imm(3), from)
	ADDQ(a.history, from)
	MOVQ(param("end"), left)
	SUBQ(from, left)
	whole, read := fmt.Sprint("whole", a.labels), fmt.Sprint("read", a.labels)
	a.labels++
	CMPQ(left, Imm(64))
	JCC(LabelRef(whole))
	all := GP64()
	MOVQ(I64(-1), all)
	BZHIQ(left, all, all)
	KMOVQ(all, a.some)
	VMOVDQU8_Z(Mem{Base: from}, a.some, matrix)
	JMP(LabelRef(read))
	Label(whole)
	VMOVDQU64(Mem{Base: from}, matrix)
	Label(read)
	MOVQ(at, shift)
	ANDQ(Imm(7), shift)
	SHLQ(Imm(7), shift) // of an eight's bytes and shifts
	eight := a.field(eights)
	bytes := load(eight.Idx(shift, 1))
	VPERMB(matrix, bytes, matrix)
	VPSRLVQ(eight.Offset(64).Idx(shift, 1), matrix, matrix)
}

// readNinth makes a matrix of each byte of a single column, from a bit on.
func (a *asking) readNinth(at reg.GPVirtual, matrix reg.VecVirtual) {
	from, shift, bytes := GP64(), GP64(), XMM()
	MOVQ(at, from)
	SHRQ(Imm(3), from)
	MOVQ(Mem{Base: a.history}.Idx(from, 1), from)
	MOVQ(at, shift)
	ANDQ(Imm(7), shift)
	SHRXQ(shift, from, from)
	ANDQ(a.field(rows), from)
	ORQ(a.field(marks+64), from)
	VMOVQ(from, bytes)
	VPMOVZXBQ(bytes, matrix)
}

// addUp adds up the eight words of each of eight registers.
func addUp(sums []reg.VecVirtual) reg.VecVirtual {
	type choice func(x, y, to reg.VecVirtual)
	both := func(x, y reg.VecVirtual, odd, even choice) reg.VecVirtual {
		t, u := ZMM(), ZMM()
		even(x, y, t)
		odd(x, y, u)
		VPXORQ(t, u, u)
		return u
	}
	low := func(x, y, to reg.VecVirtual) { VPUNPCKLQDQ(y, x, to) }
	high := func(x, y, to reg.VecVirtual) { VPUNPCKHQDQ(y, x, to) }
	evenLanes := func(x, y, to reg.VecVirtual) { VSHUFI64X2(U8(0x88), y, x, to) }
	oddLanes := func(x, y, to reg.VecVirtual) { VSHUFI64X2(U8(0xdd), y, x, to) }
	var pairs []reg.VecVirtual
	for i := 0; i < len(sums); i += 2 {
		pairs = append(pairs, both(sums[i], sums[i+1], low, high))
	}
	for len(pairs) > 1 {
		pairs = append(pairs[2:], both(pairs[0], pairs[1], evenLanes, oddLanes))
	}
	return pairs[0]
}

// agreeSeveral is agreeOne for rows of several words, link by link.
func agreeSeveral(c emit.Constants) {
	a := ask("agreeSeveralAVX512", c)
	link := GP64()
	XORQ(link, link)
	Label("link")
	seed, number, t, bit, matrix := GP64(), GP64(), GP64(), ZMM(), ZMM()
	MOVQ(param("seeds"), seed)
	MOVBQZX(Mem{Base: seed}.Idx(link, 1), seed)
	MOVQ(a.slot, number)
	SHLQ(Imm(8), number)
	for kind := range 2 {
		MOVQ(a.field(drawn), t)
		MOVQ(Mem{Base: t, Disp: kind * tableBytes}.Idx(seed, 8), t)
		ADDQ(number, t)
		by := ZMM()
		VPBROADCASTQ(t, by)
		a.makeFactors(kind, by, load(c["numbers"]))
	}
	n := a.columns()
	a.first(n)
	VPBROADCASTQ(a.at, bit)
	VPADDQ(a.field(atField), bit, bit)
	a.gather(bit, matrix)
	a.sortMatrix(matrix, a.field(rows), a.field(marks))
	IMULQ(a.field(articles), n)
	ADDQ(n, a.at)
	w, at := GP64(), GP64() // of a word the number, and the bytes at which its matrices are
	MOVQ(U32(0), w)
	MOVQ(U32(0), at)
	JMP(LabelRef("first"))
	Label("matrix")
	VPADDQ_BCST(c["wordBits"], bit, bit)
	a.gather(bit, matrix)
	VPANDQ_BCST(a.field(rows).Idx(w, 8), matrix, matrix)
	VPERMB(matrix, a.transpose, matrix)
	Label("first")
	VMOVDQU64(matrix, a.scratch.Idx(at, 1))
	ADDQ(Imm(64), at)
	INCQ(w)
	CMPQ(w, a.field(words))
	JCS(LabelRef("matrix"))

	key, agreed, left := arg("spreads"), arg("agreed"), arg("blocks")
	ADDQ(link, agreed)
	spread, second, sum := ZMM(), K(), ZMM()
	Label("block")
	VMOVDQU64(Mem{Base: key}, spread)
	VPTESTNMQ(a.kinds, spread, second)
	VPXORQ(sum, sum, sum)
	MOVQ(U32(0), w)
	MOVQ(U32(0), at)
	Label("word")
	x := a.sorted(spread, second, a.factors(0).Idx(w, 8), a.factors(1).Idx(w, 8))
	VPROLQ(U8(8), spread, spread)
	VMOVDQU64(a.scratch.Idx(at, 1), matrix)
	VGF2P8AFFINEQB(U8(0), matrix, x, x)
	VPXORQ(x, sum, sum)
	ADDQ(Imm(64), at)
	INCQ(w)
	CMPQ(w, a.field(words))
	JCS(LabelRef("word"))
	zero := K()
	fold(sum)
	VPTESTNMB(sum.AsX(), sum.AsX(), zero)
	KMOVB(zero, Mem{Base: agreed})
	ADDQ(Imm(64), key)
	ADDQ(Imm(8), agreed)
	DECQ(left)
	JNZ(LabelRef("block"))
	INCQ(a.slot)
	INCQ(link)
	CMPQ(link, param("links"))
	JCS(LabelRef("link"))
	finish()
}

// fold adds up the eight words of a register, without carries.
func fold(sum reg.VecVirtual) {
	t := ZMM()
	VEXTRACTI64X4(U8(1), sum, t.AsY())
	VPXOR(t.AsY(), sum.AsY(), sum.AsY())
	VEXTRACTI128(U8(1), sum.AsY(), t.AsX())
	VPXOR(t.AsX(), sum.AsX(), sum.AsX())
	VPSHUFD(U8(0x4e), sum.AsX(), t.AsX())
	VPXOR(t.AsX(), sum.AsX(), sum.AsX())
}
