//go:build !(amd64 && goexperiment.simd)

package bloom

import "unsafe"

// vectorLeast is 0: this build has the plain kernels alone.
const vectorLeast = 0

// vectorMissing says what the vector kernels lack.
func vectorMissing() string { return "not built with GOEXPERIMENT=simd for amd64" }

func queryVector(Lanes, unsafe.Pointer, uint64, unsafe.Pointer, unsafe.Pointer, int) bool {
	return false
}
