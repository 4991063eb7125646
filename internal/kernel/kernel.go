// Package kernel chooses between the implementations of inner loops: plain Go, which defines the results, and assembly
// for the vector instructions of some processors. All kernels return the same bits.
package kernel

import "slices"

// A Kind names the instructions that kernels may use. Each kind includes those before it.
type Kind int

const (
	Plain   Kind = iota // Go alone
	BMI2                // instructions that deposit and extract bits, as of Haswell and Zen
	AVX2                // 256-bit vectors, as of Haswell and Zen
	AVX512              // 512-bit vectors (F, DQ and BW), as of Skylake-X and Zen 4
	IceLake             // and tables in registers and matrices of bits (VL, VBMI, VBMI2, GFNI), as of Ice Lake and Zen 4
)

// String returns the name that run.json records: the instructions for vectors, or "none".
func (k Kind) String() string {
	return [...]string{"none", "BMI2", "AVX2", "AVX-512", "AVX-512 in registers"}[k]
}

// now is a plain variable because the hottest loops read it.
var now = most

// Now returns the most that kernels may use: what the processor has, unless Use lowered it.
func Now() Kind { return now }

// Kinds lists the kernels that this processor can run, plain Go first.
func Kinds() (all []Kind) {
	for k := Plain; k <= most; k++ {
		all = append(all, k)
	}
	return all
}

var choices []func(Kind) (restore func())

// Chosen registers a variable that a package chose by a trial, say. Use sets it to of(k). Call it at the start.
func Chosen[T any](variable *T, of func(Kind) T) {
	choices = append(choices, func(k Kind) func() {
		was := *variable
		*variable = of(k)
		return func() { *variable = was }
	})
}

// Use makes all packages use the kernels of kind k until restore is called. It is for tests, without other calls.
func Use(k Kind) (restore func()) {
	was := now
	now = min(k, most)
	restores := []func(){func() { now = was }}
	for _, choose := range choices {
		restores = append(restores, choose(now))
	}
	return func() {
		for _, restore := range slices.Backward(restores) {
			restore()
		}
	}
}
