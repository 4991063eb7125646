package sysinfo

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time that the process has taken, its own and the system's for it.
func ProcessorTime() (own, system time.Duration) {
	var begun, ended, kernel, user syscall.Filetime
	process, _ := syscall.GetCurrentProcess()                            // never fails, for this process
	_ = syscall.GetProcessTimes(process, &begun, &ended, &kernel, &user) // likewise
	of := func(t syscall.Filetime) time.Duration {
		return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
	}
	return of(user), of(kernel)
}
