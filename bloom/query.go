package bloom

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"dejavu/internal/kernel"
	"dejavu/internal/mix"
)

// Query sets seen[i] to whether at least one of the live lanes contains candidates[i]. The array has l.Bytes() bytes,
// followed by more bytes of the same slice if l has two or more lanes (Slack). An empty array contains nothing. A
// candidate costs a load for each hash, whatever the number of lanes.
func Query[ID ~uint64](l Lanes, array []byte, live uint64, candidates []ID, seen []bool) {
	queryBy(vectors, &l, array, live, numbers(candidates), seen)
}

// QuerySalted sets seen[i] if a filter, one lane, contains candidates[i] as Salted, and leaves the others. It looks up
// all digits of a product before it branches, so that branches are predictable.
func QuerySalted[ID ~uint64](l Lanes, array []byte, salt uint64, candidates []ID, seen []bool) {
	a := unsafe.Pointer(unsafe.SliceData(array[:l.Bytes()])) // no bounds checks below
	m, digits := uint64(l.bits), l.digits()
	seen = seen[:len(candidates)]
	for i, id := range candidates {
		if seen[i] {
			continue
		}
		product, found := mix.Mix(uint64(id))*salt, byte(1)
		for left := l.hashes; left > 0 && found != 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				found &= *(*byte)(unsafe.Add(a, p>>3)) >> (p & 7)
			}
			product *= Multiplier
		}
		seen[i] = found != 0
	}
}

// queryBy lets kernels of this kind answer what they can, and Go the rest. l is a pointer, which is quicker to pass.
func queryBy(kind kernel.Kind, l *Lanes, array []byte, live uint64, candidates []uint64, seen []bool) {
	if live &= ones(l.count); live == 0 || len(array) == 0 {
		clear(seen[:len(candidates)])
		return
	}
	if len(candidates) >= fewestAsked {
		var done int
		if fitsRegisters(kind, l) { // a call would cost time
			done = queryInRegisters(l, array, live, candidates, seen)
		} else {
			done = queryVectors(kind, l, array, live, candidates, seen)
		}
		candidates, seen = candidates[done:], seen[done:]
	}
	if len(candidates) > 0 {
		queryPlain(l, array, live, candidates, seen)
	}
}

const fewestAsked = 5

func numbers[ID ~uint64](ids []ID) []uint64 {
	return *(*[]uint64)(unsafe.Pointer(&ids))
}

// queryPlain is Query in Go, which defines what kernels do. At least one lane is live.
func queryPlain(l *Lanes, array []byte, live uint64, candidates []uint64, seen []bool) {
	a, m, six := base(*l, array), uint64(l.bits), l.sixDigits()
	switch {
	case l.count == 1 && six && l.Bytes()%4 == 0:
		queryOne6(a, m, candidates, seen)
	case l.count == 1:
		queryOne(*l, array, candidates, seen)
	case l.count <= wordLanes && six:
		queryWord6(a, m, uint64(l.count), uint32(live), candidates, seen)
	case l.count <= wordLanes:
		queryWord(*l, array, uint32(live), candidates, seen)
	default:
		queryLong(*l, array, live, candidates, seen)
	}
}

// Vectors returns the name of the instructions that Query uses: "AVX-512 in registers", "AVX-512", "AVX2" or "none".
func Vectors() string {
	if vectors < kernel.AVX2 {
		return kernel.Plain.String()
	}
	return vectors.String()
}

// The kernels read and write the array without bounds checks, which would take a sixth of their time. That is safe:
// only NewLanes makes Lanes, so a position is below bits, and its bit in a lane below bits*count, which does not
// overflow. Query and Insert ignore lanes that do not exist. base panics if the slice is too short for the last bit and
// the load that begins in its byte. A single lane is read in words only if it is whole words. TestLanesStayInside and
// TestDrawnCalls check it, between two guard pages.

// base returns the address of the array. It panics if the slice is too short.
func base(l Lanes, array []byte) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(array[: l.Bytes()+l.slack() : len(array)]))
}

// byteAt returns a byte whose lowest bit is the given bit of the array.
func byteAt(array unsafe.Pointer, bit uint64) byte {
	return *(*byte)(unsafe.Add(array, bit>>3)) >> (bit & 7)
}

// wordAt returns at least wordLanes bits of the array, from the given one on.
func wordAt(array unsafe.Pointer, bit uint64) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(array, bit>>3))[:]) >> (bit & 7)
}

func queryOne6(a unsafe.Pointer, m uint64, candidates []uint64, seen []bool) {
	seen = seen[:len(candidates)]
	for i, id := range candidates {
		id = mix.Mix(id)
		p, q, r := digits(id, m)
		found := oneAt(a, p) & oneAt(a, q) & oneAt(a, r)
		p, q, r = digits(id*Multiplier, m)
		found &= oneAt(a, p) & oneAt(a, q) & oneAt(a, r)
		seen[i] = found&1 != 0
	}
}

// oneAt returns a word whose lowest bit is the given bit of the array. Shifts by up to 31 need no mask.
func oneAt(array unsafe.Pointer, bit uint64) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(array, bit>>5*4))[:]) >> (bit & 31)
}

func queryOne(l Lanes, array []byte, candidates []uint64, seen []bool) {
	seen = seen[:len(candidates)]
	a, m, digits := base(l, array), uint64(l.bits), l.digits()
	for i, id := range candidates {
		id = mix.Mix(id)
		product, found := id, byte(1)
		for left := l.hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				found &= byteAt(a, p)
			}
			product *= Multiplier
		}
		seen[i] = found != 0
	}
}

func queryWord6(a unsafe.Pointer, m, count uint64, live uint32, candidates []uint64, seen []bool) {
	seen = seen[:len(candidates)]
	for i, id := range candidates {
		id = mix.Mix(id)
		p, q, r := digits(id, m)
		found := wordAt(a, p*count) & wordAt(a, q*count) & wordAt(a, r*count)
		p, q, r = digits(id*Multiplier, m)
		found &= wordAt(a, p*count) & wordAt(a, q*count) & wordAt(a, r*count)
		seen[i] = found&live != 0
	}
}

// queryWord queries up to wordLanes lanes: the AND of a candidate's words is the set of lanes that contain it.
func queryWord(l Lanes, array []byte, live uint32, candidates []uint64, seen []bool) {
	seen = seen[:len(candidates)]
	a, m, count, digits := base(l, array), uint64(l.bits), uint64(l.count), l.digits()
	for i, id := range candidates {
		id = mix.Mix(id)
		product, found := id, live
		for left := l.hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				found &= wordAt(a, p*count)
			}
			product *= Multiplier
		}
		seen[i] = found != 0
	}
}

// longAt returns at least MaxLanes bits of the array, from the given one on.
func longAt(array unsafe.Pointer, bit uint64) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(array, bit>>3))[:]) >> (bit & 7)
}

func queryLong(l Lanes, array []byte, live uint64, candidates []uint64, seen []bool) {
	seen = seen[:len(candidates)]
	a, m, count, digits := base(l, array), uint64(l.bits), uint64(l.count), l.digits()
	for i, id := range candidates {
		id = mix.Mix(id)
		product, found := id, live
		for left := l.hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				found &= longAt(a, p*count)
			}
			product *= Multiplier
		}
		seen[i] = found != 0
	}
}
