//go:build amd64 && !purego && !race

package bloom

import (
	"time"
	"unsafe"

	"dejavu/internal/kernel"
)

//go:generate go -C ../internal/asm/bloom run . -out ../../../bloom/kernels_amd64.s -stubs ../../../bloom/kernels_amd64.go -pkg bloom

// Kernels take eight candidates at a time with AVX2, sixteen with AVX-512. IceLake's keep a short array in registers.

func block(kind kernel.Kind) int {
	if kind >= kernel.AVX512 {
		return 16
	}
	return 8
}

// The longest arrays that kernels keep in registers of 64 bytes: one lane, two lanes, several, and any number of
// hashes. With several, a position may be in two bytes, so registers overlap in one.
const (
	heldBytes     = 512
	heldBothBytes = 1024
	heldLaneBytes = 512 - 1
	heldAnyBytes  = 768 - 2
	mostHeldLanes = 9
)

// mostVector limits the IDs of one kernel call, which the scheduler cannot interrupt.
const mostVector = 4096

func init() {
	kernel.Chosen(&vectors, func(k kernel.Kind) kernel.Kind { return k })
	kernel.Chosen(&inserts, func(k kernel.Kind) kernel.Kind { return k })
	kernel.Chosen(&fastBMI2, func(k kernel.Kind) bool { return k >= kernel.BMI2 })
}

// vectors are the kernels that answer queries. If gathers are slow (Downfall, 2023), plain Go may be faster, so each
// kind is tried with the paper's filters, in 150 us in all.
var vectors = func() kernel.Kind {
	const candidates = 512
	var array [508 + Slack]byte
	var ids [candidates]uint64
	var seen [candidates]bool
	for i := range ids {
		ids[i] = uint64(i) * Multiplier
	}
	return quickest(func(kind kernel.Kind) {
		for _, l := range []Lanes{{4064, 6, 1}, {812, 6, 5}} {
			queryBy(kind, &l, array[:], 1, ids[:], seen[:])
		}
	})
}()

// quickest returns the kind for which the fastest of nine runs is shortest. The kinds take turns.
func quickest(do func(kernel.Kind)) (best kernel.Kind) {
	least := time.Duration(1 << 62)
	for range 9 {
		for _, kind := range kernel.Kinds() {
			began := time.Now()
			do(kind)
			if took := time.Since(began); took < least {
				best, least = kind, took
			}
		}
	}
	return best
}

// queryVectors answers the first candidates, as Query does, and returns how many: 0 if Digits is not MostDigits.
func queryVectors(kind kernel.Kind, l *Lanes, array []byte, live uint64, candidates []uint64, seen []bool) (done int) {
	n := len(candidates)
	if kind < kernel.AVX2 || n < block(kernel.AVX2) || l.digits() != MostDigits || l.Bytes() < 4 {
		return 0
	}
	if n < block(kind) {
		kind = kernel.AVX2
	}
	// Leave one or two to plain Go: a kernel takes as long for one as for eight.
	block := block(kind)
	if left := n & (block - 1); left < 3 {
		n -= left
	}
	a, answers := (*byte)(base(*l, array)), seen[:n]
	for done < n {
		now := n - done
		if now > mostVector+block {
			now = mostVector
		}
		queryBlocks(kind, *l, a, live, &candidates[done], &answers[done], uint64(now))
		done += now
	}
	return done
}

func fitsRegisters(k kernel.Kind, l *Lanes) bool {
	return k >= kernel.IceLake && (l.count <= mostHeldLanes && l.Bytes() <= heldAnyBytes ||
		l.count == 2 && l.hashes == 6 && l.Bytes() <= heldBothBytes)
}

func queryInRegisters(l *Lanes, array []byte, live uint64, candidates []uint64, seen []bool) (done int) {
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

// queryBlocks answers n candidates, at least a block. (With a table of kernels its arguments would escape.)
func queryBlocks(k kernel.Kind, l Lanes, array *byte, live uint64, ids *uint64, seen *bool, n uint64) {
	m, count, hashes, last := uint64(l.bits), uint64(l.count), uint64(l.hashes), uint64(l.Bytes()-4)
	switch {
	case k == kernel.AVX2 && count > wordLanes:
		queryLongAVX2(array, ids, seen, n, m, count, hashes, live, last)
	case count > wordLanes:
		queryLongAVX512(array, ids, seen, n, m, count, hashes, live, last)
	case k == kernel.AVX2 && count == 1:
		queryBytesAVX2(array, ids, seen, n, m, count, hashes, live, last)
	case k == kernel.AVX2:
		queryLanesAVX2(array, ids, seen, n, m, count, hashes, live, last)
	case count == 1:
		queryBytesAVX512(array, ids, seen, n, m, count, hashes, live, last)
	default:
		queryLanesAVX512(array, ids, seen, n, m, count, hashes, live, last)
	}
}

// widenQuickly widens the first groups of an array, and reports whether it did.
func widenQuickly(array []byte, groups, from, to int, fields, above uint64) bool {
	if !fastBMI2 {
		return false
	}
	widenBMI2(&array[0], uint64(groups), uint64(from), uint64(to), fields, above)
	return true
}

// fastBMI2 leaves out AMD before Zen 3, whose BMI2 is slow: Zen 4 is AMD's first with AVX-512.
var fastBMI2 = kernel.Now() >= kernel.AVX512

// The fewest articles for which vectors are faster; AVX-512 and one lane need more.
const (
	fewestByVectors = 9
	fewestInOne     = 11
)

// inserts selects the kernels that insert short lists fastest into the paper's filters. The trial takes 70 us.
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

// insertBy calls kernels as insertPlain does. l is a pointer, as passing arguments takes the most time of a short list.
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
	case six && lanes == 3: // both of two
		insertBothBMI2(a, ids, n, fields, lanes)
	default:
		insertAnyBMI2(a, ids, n, fields, lanes)
	}
}

// insertParts calls insertBy for each lane in turn, and at most mostVector articles.
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
