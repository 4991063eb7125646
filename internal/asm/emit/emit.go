// Package emit is shared by the generators of kernels: their begin and end, arguments, constants, and mixing of IDs.
package emit

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Packages mix and bloom define these, and cannot be imported here. The kernels' tests compare them.
const (
	MixFirst   = 0xd6e8feb86659fd93
	MixSecond  = 0x9fb21c651e98df25
	MixBetween = 0x9e3779b97f4a7c15
	Multiplier = 0xd1342543de82ef95
)

// Write makes kernels and writes them. The race detector does not see what they touch, so it runs plain Go.
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

// Finish ends a kernel that has used vectors.
func Finish() {
	VZEROUPPER()
	RET()
}

// Arg loads a parameter into a register.
func Arg(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// Address returns a parameter's location. It panics if there is no such parameter.
func Address(name string) Op {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// Everywhere returns a register whose elements of 64 bits are all the same.
func Everywhere(from Op) reg.VecVirtual {
	v := ZMM()
	VPBROADCASTQ(from, v)
	return v
}

// Fixed returns a register whose elements are all the value.
func Fixed(value uint64) reg.VecVirtual {
	name := fmt.Sprintf("c%x", value)
	c := Constants{}
	c.Add(name, 8, U64(value))
	return Everywhere(c[name])
}

// Constants lie in memory, by name.
type Constants map[string]Mem

// Add writes the values, over and over, until they fill a number of bytes.
func (c Constants) Add(name string, bytes int, values ...Constant) {
	c[name] = GLOBL(name, RODATA|NOPTR)
	for at, i := 0, 0; at < bytes; i++ {
		value := values[i%len(values)]
		DATA(at, value)
		at += value.Bytes()
	}
}

// Each returns the values of 0 to n-1.
func Each(n int, value func(i int) Constant) (values []Constant) {
	for i := range n {
		values = append(values, value(i))
	}
	return values
}

// Xor sets to to x xor y, in registers of any width.
func Xor(x Op, y, to reg.VecVirtual) {
	if to.Size() == 64 {
		VPXORQ(x, y, to)
	} else {
		VPXOR(x, y, to)
	}
}

// Fold sets x to x xor x shifted right; t is overwritten.
func Fold(by uint8, x, t reg.VecVirtual) {
	VPSRLQ(U8(by), x, t)
	Xor(t, x, x)
}

// Mix does what package mix does, for eight IDs, with its constants, or a salt, in registers. It overwrites t.
func Mix(x, t, first, second, between reg.VecVirtual) {
	Fold(32, x, t)
	VPMULLQ(first, x, x)
	VPSRLQ(U8(29), x, t)
	VPTERNLOGQ(U8(0x96), between, t, x) // the xor of all three
	VPMULLQ(second, x, x)
	Fold(32, x, t)
}
