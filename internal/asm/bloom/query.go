package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"dejavu/internal/asm/emit"
)

type kernel string

const (
	ofBytes kernel = "queryBytes" // of one lane, in four bytes at least
	ofLanes kernel = "queryLanes" // of up to 25, which slack follows
	ofLong  kernel = "queryLong"  // of up to 57, with eight bytes from every position on
)

// query makes a kernel that sets seen to whether a live lane holds each of n IDs, a block or more.
func query(w width, c emit.Constants, k kernel) {
	begin(w.name(string(k)), "array *byte, ids *uint64, seen *bool, n, m, count, hashes, live, last uint64")
	array, ids, seen, n := arg("array"), arg("ids"), arg("seen"), arg("n")
	b := newBlock(w, c, param("m"))
	if w == avx512 {
		even := GP32()
		b.even = K()
		MOVL(U32(0x5555), even)
		KMOVW(even, b.even)
	}
	each := func(name string) reg.VecVirtual {
		v := w.vector()
		VPBROADCASTD(param(name), v)
		return v
	}
	var count, last, seven, live Op
	switch seven = c["sevens"]; k {
	case ofBytes:
		last = each("last")
	case ofLanes, ofLong:
		if count = each("count"); w == avx512 {
			seven = ZMM()
			VPBROADCASTD(c["sevens"], seven)
		}
	}
	if w == avx512 {
		live = each("live")
	}

	Label("block")
	b.load(Mem{Base: ids})
	if k == ofLong {
		b.askLong(array, count, seven, Mem{Base: seen})
	} else {
		found := w.vector()
		if w == avx512 {
			VMOVDQA64(live, found)
		} else {
			VPBROADCASTD(param("live"), found)
		}
		b.digits(func() { k.ask(w, array, b.positions(), found, count, last, seven, c) })
		w.answer(c["answerBytes"], c, found, Mem{Base: seen})
	}

	// The last block may begin inside the one before it.
	w.next(ids, seen, n)
	halved := w == avx512 && k != ofLong
	if halved {
		CMPQ(n, Imm(uint64(w)))
		JLS(LabelRef("half"))
	}
	w.again(ids, seen, n)
	if halved { // half a block goes by half the vectors
		Label("half")
		back(int(w), ids, seen, n)
		half := *b
		half.halves = b.halves[:1]
		half.load(Mem{Base: ids})
		found := YMM()
		VPBROADCASTD(param("live"), found)
		if count != nil {
			count = count.(reg.VecVirtual).AsY()
		}
		if last != nil {
			last = last.(reg.VecVirtual).AsY()
		}
		half.digits(func() { k.ask(avx2, array, half.positions(), found, count, last, c["sevens"], c) })
		avx2.answer(c["answersInOrder"], c, found, Mem{Base: seen})
	}
	Label("done")
	finish()
}

// next goes on to the next whole block, or to the end if nothing is left.
func (w width) next(ids, seen, n reg.Register) {
	ADDQ(Imm(uint64(8*w.block())), ids)
	ADDQ(Imm(uint64(w.block())), seen)
	SUBQ(Imm(uint64(w.block())), n)
	JZ(LabelRef("done"))
	CMPQ(n, Imm(uint64(w.block())))
	JCC(LabelRef("block"))
}

// again makes a whole block of what is left and some before it.
func (w width) again(ids, seen, n reg.Register) {
	back(w.block(), ids, seen, n)
	MOVQ(U32(w.block()), n)
	JMP(LabelRef("block"))
}

// back goes back, so that a block ends with the n that are left.
func back(block int, ids, seen, n reg.Register) {
	SUBQ(Imm(uint64(block)), n)
	LEAQ(Mem{Base: ids, Index: n, Scale: 8}, ids)
	ADDQ(n, seen)
}

func (k kernel) ask(w width, array reg.Register, p, found reg.VecVirtual, count, last, seven Op, c emit.Constants) {
	at, word := w.vector(), w.vector()
	switch k {
	case ofBytes:
		VPSRLD(U8(3), p, at) // the last words begin earlier, inside the array, and shift further
		VPMINUD(last, at, at)
		w.gather(false, Mem{Base: array, Index: at, Scale: 1}, word)
		VPSLLD(U8(3), at, at)
		VPSUBD(at, p, p)
		VPSRLVD(p, word, word)
	case ofLanes:
		VPMULLD(count, p, p)
		VPSRLD(U8(3), p, at)
		w.gather(false, Mem{Base: array, Index: at, Scale: 1}, word)
		w.and(seven, p, p)
		VPSRLVD(p, word, word)
	}
	w.and(word, found, found)
}

// askLong answers a block from lanes in words of 64 bits, each half by itself.
func (b *block) askLong(array reg.Register, count, seven Op, to Mem) {
	var found []reg.VecVirtual
	for range b.halves {
		f := b.vector()
		VPBROADCASTQ(param("live"), f)
		found = append(found, f)
	}
	b.digits(func() {
		for i, h := range b.halves {
			p, at, word := b.vector(), b.vector(), b.vector()
			VPSRLQ(U8(32), h.high, p)
			VPMULUDQ(count, p, p)
			VPSRLQ(U8(3), p, at)
			b.gather(true, Mem{Base: array, Index: at, Scale: 1}, word)
			b.and(seven, p, p)
			VPSRLVQ(p, word, word)
			b.and(word, found[i], found[i])
		}
	})
	if b.width == avx512 {
		each := GP64()
		MOVQ(U64(0x0101010101010101), each)
		for i, f := range found {
			set, answers := K(), GP64()
			VPTESTMQ(f, f, set)
			KMOVW(set, answers.As32())
			PDEPQ(each, answers, answers)
			MOVQ(answers, to.Offset(8*i))
		}
		return
	}
	for _, f := range found {
		other := YMM()
		VPSHUFD(U8(0xb1), f, other) // the halves changed
		VPOR(other, f, f)
	}
	VSHUFPS(U8(0x88), found[1], found[0], found[0])
	b.answer(b.Constants["answersInPairs"], b.Constants, found[0], to)
}

func (w width) gather(long bool, from Mem, to reg.VecVirtual) {
	words := VPGATHERDD
	if long {
		words = VPGATHERQQ
	}
	if w == avx512 {
		all := K()
		KXNORW(all, all, all)
		VPXORD(to, to, to)
		words(from, all, to)
		return
	}
	all := YMM()
	VPCMPEQD(all, all, all)
	VPXOR(to, to, to)
	words(all, from, to)
}

// bytesOf returns whether any bit of each of sixteen elements is set, a byte each, in the order of the IDs.
func bytesOf(found reg.VecVirtual) (first, second reg.GPVirtual) {
	set, bits, even, each := K(), GP64(), GP64(), GP64()
	first, second = GP64(), GP64()
	VPTESTMD(found, found, set)
	KMOVW(set, bits.As32())
	MOVL(U32(0x5555), even.As32())
	MOVQ(U64(0x0101010101010101), each)
	PEXTL(even.As32(), bits.As32(), first.As32())
	PDEPQ(each, first, first)
	SHRL(U8(1), bits.As32())
	PEXTL(even.As32(), bits.As32(), second.As32())
	PDEPQ(each, second, second)
	return first, second
}

// answer stores whether any bit of each element is set, in the order of the IDs.
func (w width) answer(bytes Mem, c emit.Constants, found reg.VecVirtual, to Mem) {
	if w == avx512 {
		first, second := bytesOf(found)
		MOVQ(first, to)
		MOVQ(second, to.Offset(8))
		return
	}
	zero, high := YMM(), XMM()
	VPXOR(zero, zero, zero)
	VPCMPEQD(zero, found, found) // -1 where there is none
	VPADDD(c["ones32"], found, found)
	VPSHUFB(bytes, found, found)
	VEXTRACTI128(U8(1), found, high)
	VPOR(high, found.AsX(), high)
	VMOVQ(high, to)
}

func (b *block) mix() {
	fold := func(by uint8) {
		for _, h := range b.halves {
			emit.Fold(by, h.id, b.vector())
		}
	}
	fold(32)
	b.timesTo("mixFirst", b)
	fold(29)
	for _, h := range b.halves {
		emit.Xor(b.Constants["mixBetween"], h.id, h.id)
	}
	b.timesTo("mixSecond", b)
	fold(32)
}

// mix mixes IDs in registers of their own.
func mix(ids []reg.GPVirtual) {
	fold := func(by uint64) {
		for _, id := range ids {
			t := GP64()
			MOVQ(id, t)
			SHRQ(Imm(by), t)
			XORQ(t, id)
		}
	}
	each := func(do func(by, id Op), with uint64) {
		by := GP64()
		MOVQ(U64(with), by)
		for _, id := range ids {
			do(by, id)
		}
	}
	times := func(by, id Op) { IMULQ(by, id) }
	fold(32)
	each(times, emit.MixFirst)
	fold(29)
	each(XORQ, emit.MixBetween)
	each(times, emit.MixSecond)
	fold(32)
}
