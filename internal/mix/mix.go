// Package mix mixes the bits of a number: every bit of the result depends on all bits of the number. It is two rounds
// of a multiplication and a shift, each one-to-one. Strategies take positions and fingerprints from IDs, which may be
// row numbers. Mixing takes a nanosecond or two a number, a quarter of that with vectors. It keeps no secret.
package mix

import "unsafe"

// The factors are Pelle Evensen's for such rounds ("rrmxmx", 2018), both odd.
const (
	first, second               = 0xd6e8feb86659fd93, 0x9fb21c651e98df25
	firstInverse, secondInverse = 0xcfee444d8b59a89b, 0x02ab9c720d1024ad // modulo 2^64: TestUnmix
)

// between keeps 0, a likely row number, from being mixed into 0: the golden ratio.
const between = 0x9e3779b97f4a7c15

// Mix returns the number mixed.
func Mix(x uint64) uint64 { return Salt(x, 0, between) }

// All sets dst[i] to the Mix of src[i], as SaltAll.
func All[T ~uint64](dst, src []T) { SaltAll(dst, src, 0, between) }

// Unmix returns the number whose Mix is x.
func Unmix(x uint64) uint64 {
	x = (x ^ x>>32) * secondInverse
	x ^= between
	x ^= x>>29 ^ x>>58
	x *= firstInverse
	return x ^ x>>32
}

// Salt returns the number mixed with two words. Every bit depends on all bits of the number and of the first word.
func Salt(x, before, between uint64) uint64 {
	x ^= before
	x = (x ^ x>>32) * first
	x = (x ^ x>>29 ^ between) * second
	return x ^ x>>32
}

// SaltAll sets dst[i] to the Salt of src[i]. The slices have one length, and are the same or do not overlap.
func SaltAll[T ~uint64](dst, src []T, before, between uint64) {
	done := saltByVectors(numbers(dst), numbers(src), before, between)
	src = src[done:]
	dst = dst[done:][:len(src)] // as long: no bounds to check below
	for i, x := range src {
		dst[i] = T(Salt(uint64(x), before, between))
	}
}

func numbers[T ~uint64](all []T) []uint64 { return *(*[]uint64)(unsafe.Pointer(&all)) }
