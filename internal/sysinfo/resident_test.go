package sysinfo

import (
	"runtime"
	"testing"
)

// Memory that is written to is resident, and no longer when it is given back: within
// some megabytes for what else the process does.
func TestResident(t *testing.T) {
	const bytes, noise = 64 << 20, 8 << 20
	Settle()
	before := Resident()
	memory := make([]byte, bytes)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	if grown := Resident() - before; grown < bytes-noise || grown > bytes+noise {
		t.Errorf("%d bytes more are resident, want %d", grown, bytes)
	}
	runtime.KeepAlive(memory)
	Settle()
	if left := Resident() - before; left < -noise || left > noise {
		t.Errorf("%d bytes are left", left)
	}
}
