package journal

import (
	"fmt"
	"os"
	"syscall"
)

// syncData makes what was written to a file durable, and its length, and not its times.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err == nil {
			return nil
		} else if err != syscall.EINTR {
			return fmt.Errorf("fdatasync %s: %w", f.Name(), err)
		}
	}
}
