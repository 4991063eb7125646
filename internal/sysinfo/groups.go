package sysinfo

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// A group is a control group that limits memory, in bytes.
type group struct {
	limit  int64
	used   int64
	cached int64 // of used: given up when needed
}

// groups are those of the process and all above it that have a limit, in either version. A container may see
// its own group as the root, so that the path it is told leads nowhere; the root is looked at in any case.
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
			if n, ok := number(root, path.Join(dir, limit)); ok { // "max" is none
				g := group{limit: n}
				g.used, _ = number(root, path.Join(dir, used))
				g.cached, _ = entry(root, path.Join(dir, "memory.stat"), cached)
				all = append(all, g)
			}
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
