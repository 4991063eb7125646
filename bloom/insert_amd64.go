//go:build amd64 && !purego && !race

package bloom

import (
	"unsafe"

	"dejavu/internal/kernel"
)

// The fewest articles for which vectors are faster: more with AVX-512 and one lane.
const (
	fewestByVectors = 9
	fewestInOne     = 11
)

// inserts selects the kernels that record short lists fastest into the paper's filters. The trial takes 70 us.
var inserts = func() kernel.Kind {
	const lists, articles = 16, fewestByVectors + 2
	var array [508 + Slack]byte
	var ids [lists * articles]uint64
	for i := range ids {
		ids[i] = uint64(i) * Multiplier
	}
	return quickest(func(kind kernel.Kind) {
		for _, l := range []Lanes{{4064, 6, 1}, {812, 6, 5}} {
			for i := range lists {
				insertBy(kind, &l, array[:], 1, ids[i*articles:][:articles])
			}
		}
	})
}()

// insertBy is insertPlain by kernels, if a product gives three digits. l is a pointer because a short list spends most
// of its time passing arguments, and kernels read it.
func insertBy(kind kernel.Kind, l *Lanes, array []byte, lanes uint64, articles []uint64) {
	if kind < kernel.BMI2 || l.bits > mostDigitsBits {
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
		case vectors && kind >= kernel.AVX512 && n >= fewestInOne:
			insertOneAVX512(a, ids, n, fields, lanes)
		case vectors && kind == kernel.AVX2:
			insertOneAVX2(a, ids, n, fields, lanes)
		case six:
			insertOneBMI2(a, ids, n, fields, lanes)
		default:
			insertAnyBMI2(a, ids, n, fields, lanes)
		}
		return
	}
	switch {
	case vectors && kind >= kernel.AVX512:
		insertLanesAVX512(a, ids, n, fields, lanes)
	case vectors && kind == kernel.AVX2 && l.count > 2:
		insertLanesAVX2(a, ids, n, fields, lanes)
	case six && lanes == 3: // of two
		insertBothBMI2(a, ids, n, fields, lanes)
	default:
		insertAnyBMI2(a, ids, n, fields, lanes)
	}
}

// insertParts is insertBy for each lane in turn, and mostVector articles at once.
func insertParts(kind kernel.Kind, l *Lanes, array []byte, lanes uint64, articles []uint64) {
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
