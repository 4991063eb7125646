//go:build unix

package load

import (
	"syscall"
	"time"
)

// processor is the time that the process has had of all processors. Unlike a rate it
// hardly depends on what else the machine does.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
