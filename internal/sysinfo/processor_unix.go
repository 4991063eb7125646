//go:build unix

package sysinfo

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time that the process has taken, its own and the system's for it.
func ProcessorTime() (own, system time.Duration) {
	var spent syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &spent) // fails for others than this process only
	return time.Duration(spent.Utime.Nano()), time.Duration(spent.Stime.Nano())
}
