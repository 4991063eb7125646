package atomicfile

import (
	"os"
	"syscall"
)

// writeBack sets n bytes at offset of a file on their way to the disk and does
// not wait. A file system that cannot does so at the end, in Sync.
func writeBack(f *os.File, offset, n int64) {
	const syncFileRangeWrite = 2
	_ = syscall.SyncFileRange(int(f.Fd()), offset, n, syncFileRangeWrite)
}
