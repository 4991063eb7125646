//go:build amd64 && !purego && !race

package kernel

import "golang.org/x/sys/cpu"

// most is the best kernel of this processor. GODEBUG lowers it when a program starts: cpu.avx512f=off leaves AVX2,
// cpu.avx2=off leaves BMI2, and cpu.bmi2=off leaves plain Go. So do the build tag purego and the race detector.
var most = func() Kind {
	x := &cpu.X86
	switch {
	case !x.HasBMI2:
		return Plain
	case !x.HasAVX2 || !x.HasBMI1 || !x.HasPOPCNT:
		return BMI2
	case !x.HasAVX512F || !x.HasAVX512DQ || !x.HasAVX512BW:
		return AVX2
	case !x.HasAVX512VL || !x.HasAVX512VBMI || !x.HasAVX512VBMI2 || !x.HasAVX512GFNI:
		return AVX512
	default:
		return IceLake
	}
}()
