package results

import "fmt"

// An Environment is the machine that a run's times belong to; package sysinfo
// finds it out.
type Environment struct {
	Go          string `json:"go"` // "go1.26.0"
	OS          string `json:"os"`
	Arch        string `json:"arch"`
	CPU         string `json:"cpu"`               // the processor's name; empty where the system does not tell
	Vectors     string `json:"vectors,omitempty"` // instructions that queries use (bloom.Vectors); empty in runs from before they had any
	CPUs        int    `json:"cpus"`              // logical processors usable by the process
	GOMAXPROCS  int    `json:"gomaxprocs"`        // how many of them Go uses at once
	MemoryBytes int64  `json:"memory_bytes"`      // what the process may use; 0 where the system does not tell
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
		{"vectors", e.Vectors, other.Vectors},
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
