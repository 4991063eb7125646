// Command bloom writes the machine code of package bloom's kernels for amd64, and their declarations:
//
//	go run . -out ../../../bloom/kernels_amd64.s -stubs ../../../bloom/kernels_amd64.go -pkg bloom
//
// A kernel takes a block of IDs at once, eight with AVX2 and sixteen with AVX-512, as two vectors of 64-bit
// fractions. A digit of all of them is then
//
//	low  = low half * m             (of 64 bits)
//	high = high half * m + low >> 32
//
// for the two 32-bit halves of each fraction: the digit stands in the upper half of high, and the rest of the
// fraction in the lower halves of high and low, where the next multiplication takes them from. No shift, no mask. The
// digits of both vectors go side by side into one of 32-bit positions. A query gathers the words that hold their
// bits, shifts them, and keeps the AND, or looks them up in registers that take the whole array (held.go).
//
// An insertion of more than eight articles takes the places from such vectors (enter.go). Fewer are entered
// two at a time, with instructions that Go does not use by itself (BMI2), as they spare the registers; so do
// those that press bits together and spread them. What the kernels may touch is said where they are called.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What bloom/probes.go defines, which cannot be imported here; the kernels' tests compare them with it.
const (
	multiplier = 0xd1342543de82ef95
	mostDigits = 3
)

func main() {
	// The race detector sees what Go code touches, and this not.
	ConstraintExpr("amd64,!purego,!race")
	c := newConstants()
	for _, w := range []width{avx2, avx512} {
		for _, k := range []kernel{ofOne, ofBytes, ofLanes, ofLong} {
			query(w, c, k)
		}
	}
	for _, k := range []held{oneHeld, bothHeld, lanesHeld, anyHeld} {
		k.query(c)
	}
	for _, in := range []lane{inOne, inBoth, inFive, inLanes, inAny} {
		insert(in, c)
	}
	enter(avx2, inLanes, c)
	enter(avx512, inLanes, c)
	enter(avx512, inOne, c)
	slice()
	widen()
	Generate()
}

func begin(name, signature string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
}

func arg(name string) reg.Register { return Load(Param(name), GP64()) }

func param(name string) Op {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}
