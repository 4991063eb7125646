package measure

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
)

// Resident is how many bytes of physical memory the process occupies: on Linux
// the system's own figure, elsewhere what the Go runtime holds.
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

// Available is how many bytes of memory the process may still take: on Linux
// what the system says, within the process's own limit, elsewhere 8 GiB.
func Available() int64 {
	available := int64(8 << 30)
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range bytes.Lines(b) {
			fields := bytes.Fields(line)
			if len(fields) < 2 || string(fields[0]) != "MemAvailable:" {
				continue
			}
			if kib, err := strconv.ParseInt(string(fields[1]), 10, 64); err == nil {
				available = kib << 10
			}
		}
	}
	// In a container: what its control group allows, less what it uses.
	if limit, used := number("/sys/fs/cgroup/memory.max"), number("/sys/fs/cgroup/memory.current"); limit > 0 {
		available = min(available, max(limit-used, 0))
	}
	return available
}

// number is a file's only number, 0 where there is none.
func number(path string) int64 {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	return n
}

// settle gives free memory back, so that what Resident says next is in use.
func settle() { debug.FreeOSMemory() }
