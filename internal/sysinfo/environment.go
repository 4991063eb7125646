// Package sysinfo says what the system tells of itself: the machine that times belong to, the memory that a process
// may take and the memory that it has taken. On Linux these are the system's own figures; elsewhere each function
// names its guess.
package sysinfo

import (
	"io/fs"
	"os"
	"runtime"
	"strings"

	"dejavu/bloom"
	"dejavu/results"
)

// Environment describes the machine that this process runs on. What the system does not tell stays empty.
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

// processor is the name in /proc/cpuinfo, whose spelling of the field differs between architectures.
func processor(root fs.FS) string {
	text, _ := fs.ReadFile(root, "proc/cpuinfo")
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
