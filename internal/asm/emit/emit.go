// Package emit is what the generators of kernels share: how a kernel begins and ends, where its arguments are, and
// how AVX-512 mixes IDs.
package emit

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// What packages mix and bloom define, which cannot be imported here; the kernels' tests compare them with it.
const (
	MixFirst   = 0xd6e8feb86659fd93
	MixSecond  = 0x9fb21c651e98df25
	MixBetween = 0x9e3779b97f4a7c15
	Multiplier = 0xd1342543de82ef95
)

// Write has kernels made, and writes them: not for the race detector, which sees what Go code touches, and this not.
func Write(make func()) {
	ConstraintExpr("amd64,!purego,!race")
	make()
	Generate()
}

// Begin begins a kernel with these parameters.
func Begin(name, parameters string) {
	TEXT(name, NOSPLIT, "func("+parameters+")")
	Pragma("noescape")
}

// Finish ends one that has used vectors.
func Finish() {
	VZEROUPPER()
	RET()
}

// Arg loads a parameter into a register.
func Arg(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// Address is where a parameter lies. It panics where there is no such parameter.
func Address(name string) Op {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// Everywhere is a register whose elements of 64 bits are all the same.
func Everywhere(from Op) reg.VecVirtual {
	v := ZMM()
	VPBROADCASTQ(from, v)
	return v
}

// Fixed is a register of a constant.
func Fixed(value uint64) reg.VecVirtual {
	at := GLOBL(fmt.Sprintf("c%x", value), RODATA|NOPTR)
	DATA(0, U64(value))
	return Everywhere(at)
}

// Mix is package mix's Mix of eight IDs, with its constants, or a salt, in registers; t is overwritten.
func Mix(x, t, first, second, between reg.VecVirtual) {
	VPSRLQ(U8(32), x, t)
	VPXORQ(t, x, x)
	VPMULLQ(first, x, x)
	VPSRLQ(U8(29), x, t)
	VPTERNLOGQ(U8(0x96), between, t, x) // of all three, whether one or three are set
	VPMULLQ(second, x, x)
	VPSRLQ(U8(32), x, t)
	VPXORQ(t, x, x)
}
