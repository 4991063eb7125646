package sysinfo

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	// unknownMemory is what is taken for available where the system does not tell.
	unknownMemory = 8 << 30

	// unlimited is more than any memory, and less than what a group of version 1 says that has no limit.
	unlimited = 1 << 62
)

// Available is how many bytes of memory the process may still take: on Linux what the system says, and no more
// than its control groups leave; elsewhere 8 GiB.
func Available() int64 { return available(os.DirFS("/")) }

func available(root fs.FS) int64 {
	least := int64(unknownMemory)
	if kib, ok := number(root, "proc/meminfo", "MemAvailable:"); ok {
		least = kib << 10
	}
	for _, group := range groups(root) {
		least = min(least, max(group.limit-group.used+group.cached, 0))
	}
	return least
}

// memory is the machine's memory or, in a container, the smaller share that its control groups allow; 0 where
// the system does not tell.
func memory(root fs.FS) int64 {
	least := int64(unlimited)
	if kib, ok := number(root, "proc/meminfo", "MemTotal:"); ok && kib > 0 {
		least = kib << 10
	}
	for _, group := range groups(root) {
		least = min(least, group.limit)
	}
	if least >= unlimited {
		return 0
	}
	return least
}

// A group is a control group that limits memory, in bytes, of which those cached are given up when needed.
type group struct{ limit, used, cached int64 }

// groups are those of the process and all above it that have a limit, in either version. A container may see its
// own group as the root, so that the path it is told leads nowhere; the root is looked at in any case.
func groups(root fs.FS) (all []group) {
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		// hierarchy:controllers:path
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		base, limit, used, cached := "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if fields[1] != "" { // version 1
			if fields[1] != "memory" {
				continue
			}
			base, limit = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
			used, cached = "memory.usage_in_bytes", "total_inactive_file"
		}
		for at := path.Clean("/" + fields[2]); ; at = path.Dir(at) {
			dir := path.Join(base, at)
			if n, ok := number(root, path.Join(dir, limit), ""); ok { // "max" is none
				g := group{limit: n}
				g.used, _ = number(root, path.Join(dir, used), "")
				g.cached, _ = number(root, path.Join(dir, "memory.stat"), cached)
				all = append(all, g)
			}
			if at == "/" {
				break
			}
		}
	}
	return all
}

// number is that behind a name, in a file of names and numbers, or with no name that which the file begins with.
func number(root fs.FS, file, name string) (int64, bool) {
	text, _ := fs.ReadFile(root, file)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if name != "" && len(fields) > 0 && fields[0] == name {
			fields = fields[1:]
		} else if name != "" {
			continue
		}
		if len(fields) > 0 {
			n, err := strconv.ParseInt(fields[0], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// Resident is how many bytes of physical memory the process occupies; not on Linux, what the runtime holds.
func Resident() int64 {
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		var all, pages int64
		if _, err := fmt.Sscan(string(text), &all, &pages); err == nil {
			return pages * int64(os.Getpagesize())
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys - m.HeapReleased)
}

// Settle gives free memory back, so that what Resident says next is in use. It takes a garbage collection.
func Settle() { debug.FreeOSMemory() }
