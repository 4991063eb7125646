//go:build linux && !heapslabs

package store

import "syscall"

const (
	mostSmall = 3 << 10 // bytes of the longest chunk on the heap; longer ones come from a source
	stepShare = 128     // a pool of n blocks gets memory for n/stepShare more
)

// reserve takes address space, or returns nil if there is none.
func reserve(bytes int) []byte {
	memory, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return memory
}

// populate gives a chunk memory in one call, faster than page faults. Kernels before 5.14 ignore it.
func populate(chunk []byte) {
	const madvPopulateWrite = 23
	_ = syscall.Madvise(chunk, madvPopulateWrite)
}

// release returns a chunk's memory to the system. It reports whether the chunk can be populated again.
func release(chunk []byte) bool {
	_ = syscall.Madvise(chunk, syscall.MADV_DONTNEED)
	return true
}

// enlarge asks for huge pages.
func enlarge(memory []byte) { _ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE) }

func unmap(memory []byte) { _ = syscall.Munmap(memory) }
