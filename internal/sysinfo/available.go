// Package sysinfo says what the system tells of itself: the machine that times belong to, the memory that a
// process may take and the memory that it has taken. On Linux these are the system's own figures; elsewhere
// each function names its guess.
package sysinfo

import (
	"io/fs"
	"os"
)

// unknownMemory is what is taken for available where the system does not tell.
const unknownMemory = 8 << 30

// Available is how many bytes of memory the process may still take: on Linux what the system says, and no
// more than its control groups leave; elsewhere 8 GiB.
func Available() int64 { return available(os.DirFS("/")) }

// available reads the files of a system whose root is given.
func available(root fs.FS) int64 {
	least := int64(unknownMemory)
	if kib, ok := entry(root, "proc/meminfo", "MemAvailable:"); ok {
		least = kib << 10
	}
	for _, group := range groups(root) {
		least = min(least, max(group.limit-group.used+group.cached, 0))
	}
	return least
}
