//go:build amd64 && !purego && !race

package bloom

import (
	"math/bits"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// inserts is how articles are entered on this processor, under six hashes.
var inserts = fastestInserts()

type insertKind int

const (
	plainInserts  insertKind = iota
	bmi2Inserts              // by instructions that Go does not use by itself
	vectorInserts            // by AVX-512, and BMI2 for few
)

func (k insertKind) String() string { return [...]string{"plain", "BMI2", "AVX-512"}[k] }

// hasInserts is the most that the processor has.
func hasInserts() insertKind {
	switch {
	case hasVectors() >= avx512:
		return vectorInserts
	case cpu.X86.HasBMI2:
		return bmi2Inserts
	default:
		return plainInserts
	}
}

// fewestByVectors is how many articles vectors need to be the faster ones: they make
// the places of sixteen in the time of ten.
const fewestByVectors = 10

// fastestInserts tries what there is with lists of twice as many, some 70 us in all.
func fastestInserts() insertKind {
	const lists, articles = 16, 2 * fewestByVectors
	l := Lanes{4064, 6, 1}
	var array [508]byte
	var ids [lists * articles]uint64
	for i := range ids {
		ids[i] = uint64(i) * Multiplier
	}
	return quickest(hasInserts(), func(kind insertKind) {
		for i := range lists {
			some := ids[i*articles:][:articles]
			if !insertQuickly(kind, l, unsafe.Pointer(&array), 1, some) {
				insertPlain(l, array[:], 1, some)
			}
		}
	})
}

// insertQuickly enters articles under six hashes into a lane, or both of two, and
// reports whether it did: not where there is no kernel for them.
func insertQuickly(kind insertKind, l Lanes, a unsafe.Pointer, lanes uint64, articles []uint64) bool {
	byVectors := kind == vectorInserts && len(articles) >= fewestByVectors && l.hashes == 6 && l.bits*l.count <= 1<<16
	if !byVectors && (kind == plainInserts || !l.sixInWords() || l.long(len(articles))) {
		return false
	}
	array, m, count, lane := (*byte)(a), uint64(l.bits), uint64(l.count), uint64(bits.TrailingZeros64(lanes))
	pattern := lanes >> lane
	for len(articles) > 0 {
		now := min(len(articles), mostVector)
		ids, n := &articles[0], uint64(now)
		switch {
		case byVectors:
			insertAVX512(array, ids, n, m, count, lane, pattern)
		case count == 1:
			insertOneBMI2(array, ids, n, m, count, lane, 5, pattern)
		case pattern != 1:
			insertBothBMI2(array, ids, n, m, count, lane, 5, pattern)
		case count == 5:
			insertFiveBMI2(array, ids, n, m, count, lane, 5, pattern)
		default:
			insertLanesBMI2(array, ids, n, m, count, lane, 5, pattern)
		}
		articles = articles[now:]
	}
	return true
}
