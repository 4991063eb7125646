package strategytest

import (
	"syscall"
	"testing"
)

// Guarded returns bytes or a little more of zeroed memory, between two pages of which every access is a fault.
func Guarded(t testing.TB, bytes int) []byte {
	t.Helper()
	page := syscall.Getpagesize()
	bytes = (bytes + page - 1) / page * page
	all, err := syscall.Mmap(-1, 0, bytes+2*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no memory to guard: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	for _, guard := range [][]byte{all[:page], all[page+bytes:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Skipf("no guard: %v", err)
		}
	}
	return all[page : page+bytes : page+bytes]
}
