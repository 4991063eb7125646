package atomicfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeBack sets n bytes at offset on their way to the disk. A file system that cannot waits for Sync.
func writeBack(f *os.File, offset, n int64) {
	_ = unix.SyncFileRange(int(f.Fd()), offset, n, unix.SYNC_FILE_RANGE_WRITE)
}
