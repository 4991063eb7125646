package sysinfo

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
)

// Resident is how many bytes of physical memory the process occupies: on Linux the system's own figure,
// elsewhere what the Go runtime holds.
func Resident() int64 {
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		if fields := bytes.Fields(b); len(fields) > 1 {
			if pages, err := strconv.ParseInt(string(fields[1]), 10, 64); err == nil {
				return pages * int64(os.Getpagesize())
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}

// Settle gives free memory back, so that what Resident says next is in use. It takes a garbage collection.
func Settle() { debug.FreeOSMemory() }
