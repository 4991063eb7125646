package strategytest

import (
	"runtime/debug"
	"testing"
	"unsafe"
)

// Guarded memory can be used to its ends, and a byte beyond either is a fault; else what
// stays inside it proves nothing, and no more does a test that it skips.
func TestGuarded(t *testing.T) {
	guarded := false
	t.Run("memory", func(t *testing.T) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		memory := Guarded(t, 5000)
		guarded = true
		n := len(memory)
		if n < 5000 || cap(memory) != n {
			t.Fatalf("%d bytes, of capacity %d, want 5000 or more", n, cap(memory))
		}
		memory[0], memory[n-1] = 1, 1
		for _, at := range []int{-1, n} {
			if !faults(unsafe.Add(unsafe.Pointer(unsafe.SliceData(memory)), at)) {
				t.Errorf("byte %d of %d can be touched", at, n)
			}
		}
	})
	if !guarded {
		t.Error("no test has guarded memory")
	}
}

// faults reports whether to read a byte is a fault.
func faults(at unsafe.Pointer) (fault bool) {
	defer func() { fault = recover() != nil }()
	escape = *(*byte)(at)
	return false
}
