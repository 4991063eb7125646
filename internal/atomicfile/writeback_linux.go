package atomicfile

import (
	"os"
	"syscall"
)

// writeBack sets n bytes at offset on their way to the disk. A file system that cannot waits for Sync.
func writeBack(f *os.File, offset, n int64) {
	const syncFileRangeWrite = 2
	_ = syscall.SyncFileRange(int(f.Fd()), offset, n, syncFileRangeWrite)
}
