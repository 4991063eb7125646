package results

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// An Environment is the machine that a run's times belong to.
type Environment struct {
	Go          string `json:"go"` // "go1.26.0"
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	CPU         string `json:"cpu"`          // the processor's name; empty where the system does not tell
	CPUs        int    `json:"cpus"`         // logical processors usable by the process
	GOMAXPROCS  int    `json:"gomaxprocs"`   // how many of them Go uses at once
	MemoryBytes int64  `json:"memory_bytes"` // what the process may use; 0 where the system does not tell
}

// CurrentEnvironment describes the machine that this process runs on. What a
// system other than Linux does not tell stays empty.
func CurrentEnvironment() Environment {
	return Environment{
		Go:          runtime.Version(),
		OS:          runtime.GOOS,
		Arch:        runtime.GOARCH,
		CPU:         cpuModel(readText("/proc/cpuinfo")),
		CPUs:        runtime.NumCPU(),
		GOMAXPROCS:  runtime.GOMAXPROCS(0),
		MemoryBytes: memoryBytes(),
	}
}

// Differences says, a line each, in what e is not as other: field, value and the
// other's value. How much memory there is counts here, for it decides how many
// parts a run takes.
func (e Environment) Differences(other Environment) (lines []string) {
	for _, f := range []struct {
		name    string
		got, is any
	}{
		{"go", e.Go, other.Go},
		{"os", e.OS, other.OS},
		{"arch", e.Arch, other.Arch},
		{"cpu", e.CPU, other.CPU},
		{"cpus", e.CPUs, other.CPUs},
		{"gomaxprocs", e.GOMAXPROCS, other.GOMAXPROCS},
		{"memory_bytes", e.MemoryBytes, other.MemoryBytes},
	} {
		if f.got != f.is {
			lines = append(lines, fmt.Sprintf("%s is %q, reference %q", f.name, fmt.Sprint(f.got), fmt.Sprint(f.is)))
		}
	}
	return lines
}

// Commit returns the revision that this program was built from, with "+modified"
// behind it where the working tree had changes. It is empty where the build did
// not record it: go build does, go run only with -buildvcs=true, go test never.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	revision, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+modified"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + modified
}

// memoryBytes is the machine's memory or, in a container, the smaller share that
// its control group (version 2, then 1) allows.
func memoryBytes() int64 {
	memory := meminfoTotal(readText("/proc/meminfo"))
	for _, path := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		limit, err := strconv.ParseInt(strings.TrimSpace(readText(path)), 10, 64)
		if err == nil && limit > 0 && (memory == 0 || limit < memory) {
			memory = limit // no limit reads "max" in version 2, about 2^63 in version 1
		}
	}
	if memory > 1<<62 {
		return 0
	}
	return memory
}

// cpuModel finds the processor's name in the text of /proc/cpuinfo, whose
// spelling of the field differs between architectures.
func cpuModel(cpuinfo string) string {
	for _, field := range []string{"model name", "cpu model", "Model", "Hardware", "uarch", "cpu"} {
		for line := range strings.Lines(cpuinfo) {
			name, value, found := strings.Cut(line, ":")
			if found && strings.TrimSpace(name) == field {
				return strings.TrimSpace(value)
			}
		}
	}
	return ""
}

// meminfoTotal finds the memory in bytes in the text of /proc/meminfo, or 0.
func meminfoTotal(meminfo string) int64 {
	for line := range strings.Lines(meminfo) {
		f := strings.Fields(line)
		if len(f) == 3 && f[0] == "MemTotal:" && f[2] == "kB" {
			if kb, err := strconv.ParseInt(f[1], 10, 64); err == nil && kb > 0 && kb < 1<<52 {
				return kb << 10
			}
		}
	}
	return 0
}

// readText returns a file's text, or "" where it cannot be read.
func readText(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(data)
}
