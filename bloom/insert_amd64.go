//go:build amd64 && !purego && !race

package bloom

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// inserts is how articles are entered on this processor, under six hashes.
var inserts = fastestInserts()

type insertKind int

const (
	plainInserts  insertKind = iota
	bmi2Inserts              // by instructions that Go does not use by itself
	avx2Inserts              // by vectors into more than two lanes, else BMI2
	avx512Inserts            // by vectors into any, and BMI2 for few articles
)

func (k insertKind) String() string { return [...]string{"plain", "BMI2", "AVX2", "AVX-512"}[k] }

// hasInserts is the most that the processor has.
func hasInserts() insertKind {
	switch {
	case hasVectors() >= avx512:
		return avx512Inserts
	case cpu.X86.HasBMI2 && hasVectors() >= avx2:
		return avx2Inserts
	case cpu.X86.HasBMI2:
		return bmi2Inserts
	default:
		return plainInserts
	}
}

// How many articles vectors need to be the faster ones, with several lanes and with one.
const (
	fewestByVectors = 9
	fewestInOne     = 11
)

// fastestInserts tries what there is with lists a little longer, on the paper's filters, some 70 us in all.
func fastestInserts() insertKind {
	const lists, articles = 16, fewestByVectors + 2
	var array [508 + Slack]byte
	var ids [lists * articles]uint64
	for i := range ids {
		ids[i] = uint64(i) * Multiplier
	}
	return quickest(hasInserts(), func(kind insertKind) {
		for _, l := range []Lanes{{4064, 6, 1}, {812, 6, 5}} {
			for i := range lists {
				insertBy(kind, &l, array[:], 1, ids[i*articles:][:articles])
			}
		}
	})
}

// insertBy is insertPlain, by kernels where there are any: not for more bits than three
// digits take, and not where another way is faster. What a recording of ten costs beside
// the kernel is mostly what is handed on, so l is a pointer here, and kernels look into it.
func insertBy(kind insertKind, l *Lanes, array []byte, lanes uint64, articles []uint64) {
	if kind == plainInserts || l.bits > mostDigitsBits {
		insertPlain(*l, array, lanes, articles)
		return
	}
	n := uint64(len(articles))
	lanes &= ones(l.count)
	if n-1 >= mostVector || lanes == 0 || lanes != l.together(lanes) {
		insertParts(kind, l, array, lanes, articles)
		return
	}
	a, ids, fields := (*byte)(base(*l, array)), &articles[0], (*[3]int)(unsafe.Pointer(l))
	six := l.hashes == 6
	vectors := six && n >= fewestByVectors && l.bits*l.count <= 1<<16
	if l.count == 1 {
		switch {
		case vectors && kind == avx512Inserts && n >= fewestInOne:
			insertOneAVX512(a, ids, n, fields, lanes)
		case l.long(len(articles)):
			insertLong(*l, array, articles)
		case six:
			insertOneBMI2(a, ids, n, fields, lanes)
		default:
			insertAnyBMI2(a, ids, n, fields, lanes)
		}
		return
	}
	switch {
	case vectors && kind == avx512Inserts:
		insertLanesAVX512(a, ids, n, fields, lanes)
	case vectors && kind == avx2Inserts && l.count > 2:
		insertLanesAVX2(a, ids, n, fields, lanes)
	case !six:
		insertAnyBMI2(a, ids, n, fields, lanes)
	case l.count == 5:
		insertFiveBMI2(a, ids, n, fields, lanes)
	case l.count == 2 && lanes == 3:
		insertBothBMI2(a, ids, n, fields, lanes)
	default:
		insertLanesBMI2(a, ids, n, fields, lanes)
	}
}

// insertParts is insertBy, one lane after the other and no more articles at once than may hold the scheduler up.
func insertParts(kind insertKind, l *Lanes, array []byte, lanes uint64, articles []uint64) {
	for lanes != 0 {
		now := l.together(lanes)
		lanes &^= now
		for left := articles; len(left) > 0; {
			some := left[:min(len(left), mostVector)]
			insertBy(kind, l, array, now, some)
			left = left[len(some):]
		}
	}
}
