package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"dejavu/internal/asm/emit"
)

// list writes the keys of a head: first the places of ones in the unary bits, behind the keys; then sixteen at a time.
func list(c emit.Constants) {
	begin("listAVX512", "keys *uint32, count uint64, unary, open, end *byte, low, mask uint64")
	keys, count, unary, open, table := arg("keys"), arg("count"), arg("unary"), arg("open"), GP64()
	LEAQ(Mem{Base: keys, Disp: 64}.Idx(count, 2), table) // no key overwrites a place before it is read
	places, next, t, set := load(c["numbers16"]), ZMM(), ZMM(), K()
	VPBROADCASTW(c["step16"], next)
	n, ones := GP64(), GP64()
	XORQ(n, n)
	Label("bits")
	MOVL(Mem{Base: unary}, ones.As32())
	KMOVD(ones.As32(), set)
	VPCOMPRESSW_Z(places, set, t)
	VMOVDQU16(t, Mem{Base: table}.Idx(n, 2))
	VPADDW(next, places, places)
	POPCNTL(ones.As32(), ones.As32())
	ADDQ(ones, n)
	ADDQ(Imm(4), unary)
	CMPQ(n, count)
	JCC(LabelRef("placed"))
	CMPQ(unary, open)
	JCS(LabelRef("bits"))
	VPXORQ(t, t, t) // a forged head has fewer
	Label("forged")
	VMOVDQU16(t, Mem{Base: table}.Idx(n, 2))
	ADDQ(Imm(32), n)
	CMPQ(n, count)
	JCS(LabelRef("forged"))
	Label("placed")
	low, end, rank, step := arg("low"), arg("end"), load(c["numbers32"]), everywhere32(c["sixteen32"])
	lows, most := everywhere32(param("low")), everywhere32(param("mask"))
	from, shift := ZMM(), ZMM() // the bytes of each key's low bits in sixteen keys, and where they begin
	VPMULLD(lows, rank, shift)
	VPSRLD(U8(3), shift, from)
	VPSHUFB(c["lowest32"], from, from)
	VPADDB(c["bytes32"], from, from)
	VPANDD_BCST(c["seven32"], shift, shift)
	above := ZMM()
	VPTERNLOGD(U8(0xff), above, above, above)
	VPSLLVD(lows, above, above)
	at, key, some := GP64(), ZMM(), K()
	XORQ(at, at)
	Label("sixteen")
	inside(open, end, some)
	VMOVDQU8_Z(Mem{Base: open}, some, key)
	VPERMB(key, from, key)
	VPSRLVD(shift, key, key)
	VPANDND(key, above, key)
	VPMOVZXWD(Mem{Base: table}.Idx(at, 2), t)
	VPSUBD(rank, t, t)
	VPSLLVD(lows, t, t)
	VPTERNLOGD(U8(0xa8), most, t, key) // one of the two, and in the mask: a forged head has others
	VMOVDQU32(key, Mem{Base: keys}.Idx(at, 4))
	VPADDD(step, rank, rank)
	LEAQ(Mem{Base: open}.Idx(low, 2), open)
	ADDQ(Imm(16), at)
	CMPQ(at, count)
	JCS(LabelRef("sixteen"))
	finish()
}

// spread makes of IDs keys, and spreads these.
func spread(c emit.Constants) {
	begin("spreadAVX512", "keys *uint32, spreads, ids *uint64, n, shift uint64")
	keys, spreads, ids, n := arg("keys"), arg("spreads"), arg("ids"), arg("n")
	first, second, between := everywhere(c["mixFirst"]), everywhere(c["mixSecond"]), everywhere(c["mixBetween"])
	shift, x, t, some := everywhere(param("shift")), ZMM(), ZMM(), K()
	mix := func() { emit.Mix(x, t, first, second, between) }
	Label("eight")
	masked(n, some)
	VMOVDQU64_Z(Mem{Base: ids}, some, x)
	mix()
	VPSRLVQ(shift, x, x)
	VPMOVQD(x, t.AsY())
	VMOVDQU(t.AsY(), Mem{Base: keys})
	mix()
	VMOVDQU64(x, Mem{Base: spreads})
	ADDQ(Imm(64), ids)
	ADDQ(Imm(64), spreads)
	ADDQ(Imm(32), keys)
	SUBQ(Imm(8), n)
	JHI(LabelRef("eight"))
	finish()
}

// find sets the answers of candidates, sixteen a block, whose key is listed, four keys at a time.
func find(c emit.Constants) {
	begin("findAVX512", "seen *bool, candidates *uint32, blocks uint64, keys *uint32, count uint64")
	seen, candidates, blocks, count := arg("seen"), arg("candidates"), arg("blocks"), arg("count")
	truth := XMM()
	VMOVDQU8(c["trueBytes"], truth)
	others := []reg.OpmaskVirtual{K(), K(), K(), K()} // not one of these keys
	const unequal = 4
	Label("block")
	wanted, keys, left := ZMM(), arg("keys"), GP64()
	MOVQ(count, left)
	VMOVDQU32(Mem{Base: candidates}, wanted)
	for _, k := range others {
		KXNORW(k, k, k)
	}
	Label("keys")
	for i, k := range others {
		VPCMPUD_BCST(U8(unequal), Mem{Base: keys, Disp: 4 * i}, wanted, k, k)
	}
	ADDQ(Imm(16), keys)
	SUBQ(Imm(4), left)
	JHI(LabelRef("keys"))
	listed, answers := others[0], XMM()
	KANDW(others[0], others[1], listed)
	KANDW(others[2], others[3], others[3])
	KANDW(listed, others[3], listed)
	KNOTW(listed, listed)
	VMOVDQU8_Z(truth, listed, answers)
	VPOR(Mem{Base: seen}, answers, answers)
	VMOVDQU(answers, Mem{Base: seen})
	ADDQ(Imm(64), candidates)
	ADDQ(Imm(16), seen)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	finish()
}

// search finds candidates, 32 a block, in the encoded head: up to 64 keys and buckets, with up to sixteen low bits.
func search(c emit.Constants) {
	begin("searchAVX512", "seen *bool, candidates *uint32, blocks uint64, unary, open, end *byte, low uint64")
	// The zeros of the unary bits: before the one of a bucket are its number of zeros, and the keys up to its last.
	unary, end, some := arg("unary"), arg("end"), K()
	ones, places, numbers := GP64(), ZMM(), load(c["numbers8"])
	inside(unary, end, some)
	head := XMM()
	VMOVDQU8_Z(Mem{Base: unary}, some, head)
	zeros, next, more := K(), K(), ZMM()
	VMOVQ(head, ones)
	NOTQ(ones)
	KMOVQ(ones, zeros)
	VPCOMPRESSB_Z(numbers, zeros, places)
	POPCNTQ(ones, ones)
	VPEXTRQ(U8(1), head, unary)
	NOTQ(unary)
	KMOVQ(unary, zeros)
	VPADDB(c["sixtyFours"], numbers, more)
	VPCOMPRESSB_Z(more, zeros, more)
	MOVQ(I64(-1), unary)
	SHLXQ(ones, unary, unary)
	CMPQ(ones, Imm(64))
	JCS(LabelRef("both"))
	XORQ(unary, unary)
	Label("both")
	KMOVQ(unary, next)
	VPEXPANDB_Z(more, next, more)
	ends, starts := ZMM(), ZMM()
	VPORQ(more, places, ends)
	VPSUBB(numbers, ends, ends)
	MOVQ(I64(-2), unary)
	KMOVQ(unary, next)
	VPTERNLOGD(U8(0xff), starts, starts, starts)
	VPADDB(starts, numbers, starts)
	VPERMB_Z(ends, starts, next, starts)

	// The low bits of 64 keys, in words of sixteen bits.
	open, low := arg("open"), arg("low")
	lows, from, shift := ZMM(), ZMM(), ZMM()
	VPBROADCASTW(low.As32(), lows)
	VPMULLW(c["numbers16"], lows, shift)
	VPSRLW(U8(3), shift, from)
	VPSHUFB(c["lowest16"], from, from)
	VPADDB(c["bytes16"], from, from)
	VPANDD(c["sevens16"], shift, shift)
	above := ZMM()
	VPTERNLOGD(U8(0xff), above, above, above)
	VPSLLVW(lows, above, above)
	var keys [2]reg.VecVirtual
	upper := ZMM()
	VPADDB(c["twos"], from, upper)
	for i := range keys {
		x := ZMM()
		keys[i] = ZMM()
		inside(open, end, some)
		VMOVDQU8_Z(Mem{Base: open}, some, x)
		VPERMB(x, from, keys[i])
		VPERMB(x, upper, x)
		VPSHRDVW(shift, x, keys[i])
		VPANDND(keys[i], above, keys[i])
		LEAQ(Mem{Base: open}.Idx(low, 4), open)
	}

	seen, candidates, blocks, few := arg("seen"), arg("candidates"), arg("blocks"), ZMM()
	lows32 := everywhere32(low.As32())
	truth, ones16, bytes := YMM(), ZMM(), ZMM()
	VMOVDQU(c["trueBytes"], truth)
	VPBROADCASTW(c["one16"], ones16)
	VPBROADCASTW(c["byte16"], bytes)
	Label("block")
	bucket, wanted := ZMM(), ZMM()
	for i, to := range []reg.VecVirtual{ZMM(), ZMM()} {
		high := ZMM()
		VMOVDQU32(Mem{Base: candidates, Disp: 64 * i}, to)
		VPSRLVD(lows32, to, high)
		VPMOVDW(to, to.AsY())
		VPMOVDW(high, high.AsY())
		if i == 0 {
			VMOVDQA64(to, wanted)
			VMOVDQA64(high, bucket)
		} else {
			VINSERTI64X4(U8(1), to.AsY(), wanted, wanted)
			VINSERTI64X4(U8(1), high.AsY(), bucket, bucket)
		}
	}
	VPANDND(wanted, above, wanted)
	key, last := ZMM(), ZMM()
	VPERMB(starts, bucket, key)
	VPANDD(bytes, key, key)
	VPERMB(ends, bucket, last)
	VPANDD(bytes, last, last)
	left, same, found := K(), K(), K()
	const less = 1
	KXORD(found, found, found)
	VPCMPUW(U8(less), last, key, left)
	JMP(LabelRef("keys"))
	Label("key")
	VMOVDQA64(key, few)
	VPERMI2W(keys[1], keys[0], few)
	VPCMPEQW(wanted, few, left, same)
	KORD(same, found, found)
	VPADDW(ones16, key, key)
	VPCMPUW(U8(less), last, key, left, left)
	Label("keys")
	KORTESTD(left, left)
	JNZ(LabelRef("key"))
	answers := YMM()
	VMOVDQU8_Z(truth, found, answers)
	VPOR(Mem{Base: seen}, answers, answers)
	VMOVDQU(answers, Mem{Base: seen})
	ADDQ(Imm(128), candidates)
	ADDQ(Imm(32), seen)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	finish()
}

// inside sets a mask of up to 64 bytes that lie before the end.
func inside(from, end reg.GPVirtual, mask reg.OpmaskVirtual) {
	left, all, none := GP64(), GP64(), GP64()
	XORQ(none, none)
	MOVQ(end, left)
	SUBQ(from, left)
	CMOVQCS(none, left)
	MOVQ(U32(64), all)
	CMPQ(left, all)
	CMOVQHI(all, left)
	MOVQ(I64(-1), all)
	BZHIQ(left, all, all)
	KMOVQ(all, mask)
}
