package measure

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// unknownMemory is what is taken for available where the system does not tell.
const unknownMemory = 8 << 30

// Available is how many bytes of memory the process may still take: on Linux
// what the system says, and no more than its control groups leave; elsewhere
// 8 GiB.
func Available() int64 { return available(os.DirFS("/")) }

// available reads the files of a system whose root is given.
func available(root fs.FS) int64 {
	least := int64(unknownMemory)
	if kib, ok := entry(root, "proc/meminfo", "MemAvailable:"); ok {
		least = kib << 10
	}
	for _, group := range groups(root) {
		limit, ok := number(root, path.Join(group.dir, group.limit))
		if !ok {
			continue // "max": there is none
		}
		used, _ := number(root, path.Join(group.dir, group.usage))
		cached, _ := entry(root, path.Join(group.dir, "memory.stat"), group.cached) // given up when needed
		least = min(least, max(limit-used+cached, 0))
	}
	return least
}

// A group is a control group that limits memory, and what its files are called.
type group struct{ dir, limit, usage, cached string }

// groups are those of the process and all above it, in either version.
func groups(root fs.FS) (all []group) {
	text, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		// hierarchy:controllers:path
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		g := group{limit: "memory.max", usage: "memory.current", cached: "inactive_file"}
		base := "sys/fs/cgroup"
		if fields[1] != "" {
			if fields[1] != "memory" {
				continue
			}
			g = group{limit: "memory.limit_in_bytes", usage: "memory.usage_in_bytes", cached: "total_inactive_file"}
			base = "sys/fs/cgroup/memory"
		}
		for at := path.Clean("/" + fields[2]); ; at = path.Dir(at) {
			g.dir = path.Join(base, at)
			all = append(all, g)
			if at == "/" {
				break
			}
		}
	}
	return all
}

// number is a file's only number.
func number(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// entry is the number behind a name in a file of names and numbers.
func entry(root fs.FS, file, name string) (int64, bool) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == name {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
