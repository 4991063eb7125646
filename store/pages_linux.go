//go:build linux && !heapslabs

package store

import "syscall"

const (
	mostSmall = 3 << 10 // bytes of the longest chunk outside a source; a source's has memory as far as it is populated
	stepShare = 32      // a pool of n blocks gets memory for n/stepShare more
)

// reserve takes address space. It returns nil if there is none.
func reserve(bytes int) []byte {
	memory, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return memory
}

// populate makes a chunk resident in one call, faster than page faults. A kernel before 5.14 ignores it.
func populate(chunk []byte) {
	const madvPopulateWrite = 23
	_ = syscall.Madvise(chunk, madvPopulateWrite)
}

// release gives the memory of a chunk back, and reports whether its addresses remain. A kernel may refuse.
func release(chunk []byte) bool {
	_ = syscall.Madvise(chunk, syscall.MADV_DONTNEED)
	return true
}

func unmap(memory []byte) { _ = syscall.Munmap(memory) }
