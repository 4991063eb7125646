//go:build amd64 && !purego && !race

package bloom

import (
	"time"

	"golang.org/x/sys/cpu"
)

//go:generate go -C asm run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg bloom

// Kernels for vectors, made by bloom/asm: eight candidates at a time with AVX2,
// sixteen with AVX-512. They answer what the plain ones do, which are their definition,
// and take whole blocks: what is left over is for those.
//
// GODEBUG turns them off when a program starts: cpu.avx512f=off leaves AVX2, and
// cpu.avx2=off the plain kernels. The build tag purego leaves them out.

// vectors is what this processor has, and gains by.
var vectors = fastestVectors()

type vectorKind int

const (
	noVectors vectorKind = iota
	avx2
	avx512
)

// Blocks of IDs; mostVector is how many a kernel gets at once, as the scheduler
// cannot interrupt it.
const (
	blockAVX2   = 8
	blockAVX512 = 16
	mostVector  = 4096
)

func (k vectorKind) String() string { return [...]string{"none", "AVX2", "AVX-512"}[k] }

// hasVectors is the most that the processor has: AVX2 as of Haswell and Zen,
// AVX-512 as of Skylake-X and Zen 4.
func hasVectors() vectorKind {
	x := &cpu.X86
	switch {
	case !x.HasAVX2:
		return noVectors
	case x.HasAVX512F && x.HasAVX512DQ && x.HasBMI2:
		return avx512
	default:
		return avx2
	}
}

// fastestVectors tries what there is, some 50 us in all. A query by vectors
// gathers words, and that some processors do slowly: where their microcode keeps
// one program's gathers from another (Intel's answer to Downfall, 2023) the plain
// kernels may be faster.
func fastestVectors() vectorKind {
	const tries, candidates = 5, 512
	l := Lanes{4064, 6, 1}
	var (
		array [508]byte
		ids   [candidates]uint64
		seen  [candidates]bool
	)
	for i := range ids {
		ids[i] = uint64(i) * Multiplier
	}
	best, least := noVectors, time.Duration(1<<62)
	for kind := noVectors; kind <= hasVectors(); kind++ {
		for range tries {
			began := time.Now()
			done := queryVectors(kind, l, array[:], 1, ids[:], seen[:])
			queryPlain(l, array[:], 1, ids[done:], seen[done:])
			if took := time.Since(began); took < least {
				best, least = kind, took
			}
		}
	}
	return best
}

// fitsVectors reports whether the kernels compute the positions, and may touch
// the array in words of 32 bits at multiples of four bytes.
func (l Lanes) fitsVectors() bool {
	return l.digits() == MostDigits && (l.count > 1 || l.Bytes()%4 == 0)
}

// queryVectors is Query for as many candidates as vectors can answer, from the
// first on, and returns how many.
func queryVectors(kind vectorKind, l Lanes, array []byte, live uint64, candidates []uint64, seen []bool) (done int) {
	n := len(candidates)
	if kind == noVectors || n < blockAVX2 || l.count > wordLanes || !l.fitsVectors() {
		return 0
	}
	a, answers := (*byte)(base(l, array)), seen[:n]
	m, count, hashes := uint64(l.bits), uint64(l.count), uint64(l.hashes)
	for kind == avx512 && n-done >= blockAVX512 {
		now := min((n-done)&^(blockAVX512-1), mostVector)
		if count == 1 {
			queryOneAVX512(a, &candidates[done], &answers[done], uint64(now), m, count, hashes, live)
		} else {
			queryWordsAVX512(a, &candidates[done], &answers[done], uint64(now), m, count, hashes, live)
		}
		done += now
	}
	for n-done >= blockAVX2 {
		now := min((n-done)&^(blockAVX2-1), mostVector)
		if count == 1 {
			queryOneAVX2(a, &candidates[done], &answers[done], uint64(now), m, count, hashes, live)
		} else {
			queryWordsAVX2(a, &candidates[done], &answers[done], uint64(now), m, count, hashes, live)
		}
		done += now
	}
	return done
}
