//go:build amd64 && !purego && !race

package bloom

import (
	"time"

	"golang.org/x/sys/cpu"
)

//go:generate go -C ../internal/asm/bloom run . -out ../../../bloom/kernels_amd64.s -stubs ../../../bloom/kernels_amd64.go -pkg bloom

// Kernels for vectors, made by asm/bloom: eight candidates at a time with AVX2, up to sixteen with AVX-512.
// The plain ones are their definition. GODEBUG turns them off when a program starts: cpu.avx512f=off leaves
// AVX2, and cpu.avx2=off the plain kernels. The build tag purego leaves them out.

// vectors is what this processor has, and gains by.
var vectors = fastestVectors()

type vectorKind int

const (
	noVectors vectorKind = iota
	avx2
	avx512
	avx512Held // with the array in registers, where they can take it
)

func (k vectorKind) String() string {
	return [...]string{"none", "AVX2", "AVX-512", "AVX-512 in registers"}[k]
}

// block is how many candidates a kernel takes at a time.
func (k vectorKind) block() int { return min(4<<k, 16) }

// What eight registers take of one lane, sixteen of two, and eight and twelve of several: there a position lies in
// two neighbouring bytes, and so every four registers but the first begin with the last byte of those before.
const (
	heldBytes     = 512
	heldBothBytes = 1024
	heldLaneBytes = 512 - 1
	heldAnyBytes  = 768 - 2
	mostHeldLanes = 9
)

// mostVector is about how many a kernel gets at once, as the scheduler cannot interrupt it.
const mostVector = 4096

// hasVectors is the most that the processor has: AVX2 as of Haswell, AVX-512 as of Skylake-X and Zen 4.
func hasVectors() vectorKind {
	x := &cpu.X86
	switch {
	case !x.HasAVX2:
		return noVectors
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512VBMI && x.HasBMI2:
		return avx512Held
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512BW && x.HasBMI2:
		return avx512
	default:
		return avx2
	}
}

// fastestVectors tries what there is on the paper's filters, some 150 us in all, in turns, so that what else the
// machine does slows all of them. On processors that gather slowly (Downfall, 2023) the plain kernels may be faster.
func fastestVectors() vectorKind {
	const candidates = 512
	var (
		array [508 + Slack]byte
		ids   [candidates]uint64
		seen  [candidates]bool
	)
	for i := range ids {
		ids[i] = uint64(i) * Multiplier
	}
	return quickest(hasVectors(), func(kind vectorKind) {
		for _, l := range []Lanes{{4064, 6, 1}, {812, 6, 5}} {
			queryBy(kind, &l, array[:], 1, ids[:], seen[:])
		}
	})
}

// quickest is the kind, from 0 to the most, that does something in the shortest time of nine turns.
func quickest[Kind ~int](most Kind, do func(Kind)) (best Kind) {
	least := time.Duration(1 << 62)
	for range 9 {
		for kind := Kind(0); kind <= most; kind++ {
			began := time.Now()
			do(kind)
			if took := time.Since(began); took < least {
				best, least = kind, took
			}
		}
	}
	return best
}

// queryVectors is Query for as many candidates as vectors can answer, from the first on, and returns how many. The
// kernels take three digits of a product, and words of 32 bits, or of 64 where more than wordLanes lanes have them.
func queryVectors(kind vectorKind, l *Lanes, array []byte, live uint64, candidates []uint64, seen []bool) (done int) {
	n := len(candidates)
	if kind == noVectors || n < avx2.block() || l.digits() != MostDigits || l.Bytes() < 4 {
		return 0
	}
	if n < kind.block() {
		kind = avx2
	}
	// A kernel takes as long for one that is left over as for eight: one or two are for the plain kernels.
	block := kind.block()
	if left := n & (block - 1); left < 3 {
		n -= left
	}
	a, answers := (*byte)(base(*l, array)), seen[:n]
	for done < n {
		now := n - done
		if now > mostVector+block {
			now = mostVector
		}
		kind.query(*l, a, live, &candidates[done], &answers[done], uint64(now))
		done += now
	}
	return done
}

// holds is whether the kernels for arrays in registers take such lanes.
func (k vectorKind) holds(l *Lanes) bool {
	return k == avx512Held && (l.count <= mostHeldLanes && l.Bytes() <= heldAnyBytes ||
		l.count == 2 && l.hashes == 6 && l.Bytes() <= heldBothBytes)
}

// queryHeld is queryVectors with the array in registers, for any number of candidates.
func queryHeld(l *Lanes, array []byte, live uint64, candidates []uint64, seen []bool) (done int) {
	a, n := (*byte)(base(*l, array)), len(candidates)
	m, count, hashes := uint64(l.bits), uint64(l.count), uint64(l.hashes)
	six, size := hashes == 6, m*count
	if left := n % 16; left < 3 {
		n -= left
	}
	seen = seen[:n]
	for done < n {
		now := n - done
		if now > mostVector {
			now = mostVector
		}
		switch ids, answers := &candidates[done], &seen[done]; {
		case six && count > 2 && size <= 8*heldLaneBytes:
			queryLanesHeld(a, ids, answers, uint64(now), m, count, hashes, live, size)
		case six && count == 2:
			queryBothHeld(a, ids, answers, uint64(now), m, count, hashes, live, size)
		case six && count == 1 && size <= 8*heldBytes:
			queryOneHeld(a, ids, answers, uint64(now), m, count, hashes, live, size)
		default:
			queryAnyHeld(a, ids, answers, uint64(now), m, count, hashes, live, size)
		}
		done += now
	}
	return done
}

// query answers n candidates, a block or more. Nothing escapes from kernels, as it would from a table of them.
func (k vectorKind) query(l Lanes, array *byte, live uint64, ids *uint64, seen *bool, n uint64) {
	m, count, hashes, last := uint64(l.bits), uint64(l.count), uint64(l.hashes), uint64(l.Bytes()-4)
	switch one, words := count == 1, l.Bytes()%4 == 0; {
	case k == avx2 && count > wordLanes:
		queryLongAVX2(array, ids, seen, n, m, count, hashes, live, last)
	case count > wordLanes:
		queryLongAVX512(array, ids, seen, n, m, count, hashes, live, last)
	case k == avx2 && one && words:
		queryOneAVX2(array, ids, seen, n, m, count, hashes, live, last)
	case k == avx2 && one:
		queryBytesAVX2(array, ids, seen, n, m, count, hashes, live, last)
	case k == avx2:
		queryLanesAVX2(array, ids, seen, n, m, count, hashes, live, last)
	case one && words:
		queryOneAVX512(array, ids, seen, n, m, count, hashes, live, last)
	case one:
		queryBytesAVX512(array, ids, seen, n, m, count, hashes, live, last)
	default:
		queryLanesAVX512(array, ids, seen, n, m, count, hashes, live, last)
	}
}

// sliceQuickly adds the marks of the first groups of an array of five lanes, and reports whether it did.
func sliceQuickly(array, table []byte, m, count, groups int) bool {
	if !hasFastBMI2 || count != 5 || groups == 0 {
		return false
	}
	sliceFiveBMI2(&array[0], &table[0], uint64(m), uint64(groups))
	return true
}

// widenQuickly rewrites the first groups of an array, and reports whether it did.
func widenQuickly(array []byte, groups, from, to int, fields, above uint64) bool {
	if !hasFastBMI2 {
		return false
	}
	widenBMI2(&array[0], uint64(groups), uint64(from), uint64(to), fields, above)
	return true
}

// hasFastBMI2 leaves out processors of AMD before Zen 3, which take long to spread bits and to press them;
// the first of them with AVX-512 is of Zen 4. GODEBUG=cpu.bmi2=off turns it off.
var hasFastBMI2 = cpu.X86.HasBMI2 && cpu.X86.HasAVX512F
