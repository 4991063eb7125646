package sysinfo

import (
	"io/fs"
	"os"
	"runtime"
	"strings"

	"dejavu/bloom"
	"dejavu/results"
)

// Environment describes the machine that this process runs on. What a system
// other than Linux does not tell stays empty.
func Environment() results.Environment {
	root := os.DirFS("/")
	return results.Environment{
		Go:          runtime.Version(),
		OS:          runtime.GOOS,
		Arch:        runtime.GOARCH,
		CPU:         processor(root),
		Vectors:     bloom.Vectors(),
		CPUs:        runtime.NumCPU(),
		GOMAXPROCS:  runtime.GOMAXPROCS(0),
		MemoryBytes: memory(root),
	}
}

// unlimited is more than any memory: what a control group of version 1 says
// where it has no limit lies above it.
const unlimited = 1 << 62

// memory is the machine's memory or, in a container, the smaller share that its
// control groups allow; 0 where the system does not tell.
func memory(root fs.FS) int64 {
	least := int64(unlimited)
	if kib, ok := entry(root, "proc/meminfo", "MemTotal:"); ok && kib > 0 {
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

// processor is the processor's name in /proc/cpuinfo, whose spelling of the
// field differs between architectures.
func processor(root fs.FS) string {
	text, err := fs.ReadFile(root, "proc/cpuinfo")
	if err != nil {
		return ""
	}
	for _, field := range []string{"model name", "cpu model", "Model", "Hardware", "uarch", "cpu"} {
		for line := range strings.Lines(string(text)) {
			name, value, found := strings.Cut(line, ":")
			if found && strings.TrimSpace(name) == field {
				return strings.TrimSpace(value)
			}
		}
	}
	return ""
}
