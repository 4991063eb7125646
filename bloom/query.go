package bloom

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"dejavu/internal/kernel"
	"dejavu/internal/mix"
)

// Query sets seen[i] to whether at least one of the live lanes holds candidates[i]. The array holds l.Bytes() bytes,
// followed by more bytes of the same slice if l has two or more lanes (Slack); Query panics if they are missing. An
// empty array, a newcomer's, holds nothing. A candidate costs a load for each hash, whatever the number of lanes.
func Query[ID ~uint64](l Lanes, array []byte, live uint64, candidates []ID, seen []bool) {
	queryBy(vectors, &l, array, live, numbers(candidates), seen)
}

// QuerySalted sets seen[i] if a filter, one lane, holds candidates[i] under that salt (Salted), and leaves the others.
// It looks up all digits of a product before a branch, which is then nearly always predicted.
func QuerySalted[ID ~uint64](l Lanes, array []byte, salt uint64, candidates []ID, seen []bool) {
	a := unsafe.Pointer(unsafe.SliceData(array[:l.Bytes()])) // long enough for every position: reads are not checked
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

// queryBy is Query by the given kernels, as far as they go. l is a pointer: passing arguments takes the most time.
func queryBy(kind kernel.Kind, l *Lanes, array []byte, live uint64, candidates []uint64, seen []bool) {
	if live &= ones(l.count); live == 0 || len(array) == 0 {
		clear(seen[:len(candidates)])
		return
	}
	if len(candidates) >= fewestAsked {
		var done int
		if holds(kind, l) { // inlined here, as one more call costs time
			done = queryHeld(l, array, live, candidates, seen)
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

// queryPlain is Query in Go, which defines the kernels; some lanes are live.
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

// The kernels read and write the array without bounds checks, which would take a sixth of their time. That is safe,
// whatever it holds: only NewLanes makes Lanes, so a position is below bits, and its bit in a lane below bits*count,
// which does not overflow. Query and Insert ignore lanes that do not exist. base panics if the slice is too short for
// the last bit, for the load that begins in its byte, or for its 32-bit word: an array of one lane is read and written
// in words if it is whole words. TestLanesStayInside and TestDrawnCalls check it, between two guard pages.

// base returns the address of the array. It panics if the slice is too short.
func base(l Lanes, array []byte) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(array[: l.Bytes()+l.slack() : len(array)]))
}

// byteAt returns the byte that holds the given bit, shifted so that the bit is lowest.
func byteAt(array unsafe.Pointer, bit uint64) byte {
	return *(*byte)(unsafe.Add(array, bit>>3)) >> (bit & 7)
}

// wordAt returns at least wordLanes bits of the array, from the given one on.
func wordAt(array unsafe.Pointer, bit uint64) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(array, bit>>3))[:]) >> (bit & 7)
}

// The kernels for six hashes, three digits of the ID and three of the next product, are unrolled.

// queryOne6 is queryOne for six hashes and an array of whole words: a shift of 32 bits needs no mask.
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

// oneAt returns the word that holds the given bit, shifted so that the bit is lowest.
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

// queryWord answers from up to wordLanes lanes: the AND of an article's words is the set of lanes that hold it.
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
