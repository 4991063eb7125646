//go:build goexperiment.simd

package bloom

import (
	"simd/archsimd"
	"unsafe"
)

// The vector kernels answer what the plain ones do for the paper's geometries,
// in builds with GOEXPERIMENT=simd and on processors with AVX-512, in a quarter
// to an eighth of the time. Where a plain kernel loads six bytes a candidate,
// these keep the whole array, up to 512 bytes, as a table of eight registers.
// One permutation looks 64 bytes up in two of them, and the bits of the index
// that it does not read choose among four such answers.
//
// A position is half * m >> 32 for either 32-bit half of a product. In words of
// 16 bits, half = 65536u + v, it is the upper word of um + (vm >> 16): a
// multiply-add of pairs, the upper half of a product, an addition. The
// multiply-add takes u as signed. For u of 2^15 and more, the upper half of the
// positions, it yields p - m in place of p; each kernel says what becomes of it.
//
// Two things about the compiler (Go 1.26) shape the code. It has 15 vector
// registers to give out, and where they do not suffice it stores vectors to a
// stack that is aligned to 8 bytes: one such store in a block takes longer than
// all the rest. So constants, and some tables, are loaded where they are used.
// And it merges logic on signed vectors into operations of three operands,
// wrongly: x.AndNot(y) becomes y &^ x, and expressions with a common part come
// out otherwise. Logic on unsigned vectors it leaves alone.

// vectorLeast is from how many candidates on the vector kernels take less time:
// one block, whose loads must not go beyond the list.
const vectorLeast = block

// block is how many candidates the 64-bit elements of a register hold.
const block = 8

// hasVector is whether the processor can, as Ice Lake's, Zen 4's and those after
// them.
var hasVector = archsimd.X86.AVX512() && archsimd.X86.AVX512VBMI() && archsimd.X86.AVX512GFNI()

// vectorMissing says what the processor lacks for the vector kernels.
func vectorMissing() string {
	if hasVector {
		return ""
	}
	return "the processor has not AVX-512 with VBMI and GFNI"
}

// queryVector is Query by a vector kernel for n 64-bit candidates, vectorLeast
// or more, and as many answers; it is false where no kernel fits. Array is what
// base says. Slices would not fit the registers for arguments, which takes as
// long as five candidates.
func queryVector(l Lanes, array unsafe.Pointer, live uint64, candidates, seen unsafe.Pointer, n int) bool {
	if !hasVector || l.hashes != 6 {
		return false
	}
	switch halved := l.bits%8 == 0 && l.bits >= 2048 && l.bits < 4096; {
	case halved && l.count == 1 && live&1 == 1:
		queryVectorOne(l, array, 0, candidates, seen, n)
	case halved && l.count == 2 && (live == 1 || live == 2):
		queryVectorOne(l, array, int(live>>1), candidates, seen, n)
	case l.count < len(vectorLanes) && l.Bytes() > 448 && l.Bytes() < 512:
		queryVectorLanes(l, array, live, candidates, seen, n)
	default:
		return false
	}
	return true
}

// powers holds the first three powers of the multiplier, for a block each.
type powers [3][block]uint64

func newPowers() (p powers) {
	for i := range block {
		p[0][i], p[1][i], p[2][i] = Multiplier, Multiplier2, Multiplier3
	}
	return p
}

// loadBlock loads the candidates from the given one on.
func loadBlock(candidates unsafe.Pointer, first int) archsimd.Uint64x8 {
	return archsimd.LoadUint64x8((*[block]uint64)(unsafe.Add(candidates, 8*first)))
}

// loadTable loads 64 bytes.
func loadTable(from unsafe.Pointer, at int) archsimd.Uint8x64 {
	return archsimd.LoadUint8x64((*[64]uint8)(unsafe.Add(from, at)))
}
