package results

import (
	"fmt"
	"reflect"
	"strings"
)

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
	got, want := reflect.ValueOf(e), reflect.ValueOf(other)
	for i := range got.NumField() {
		name, _, _ := strings.Cut(got.Type().Field(i).Tag.Get("json"), ",")
		if !got.Field(i).Equal(want.Field(i)) {
			lines = append(lines, fmt.Sprintf("%s is %q, reference %q", name, fmt.Sprint(got.Field(i)), fmt.Sprint(want.Field(i))))
		}
	}
	return lines
}

// Same reports whether times measured in both can be compared. How much memory
// there is does not matter to them.
func (e Environment) Same(other Environment) bool {
	e.MemoryBytes, other.MemoryBytes = 0, 0
	return e == other
}

// String names the machine in a few words.
func (e Environment) String() string {
	vectors := "no vectors"
	if e.Vectors != "" && e.Vectors != "none" {
		vectors = e.Vectors
	}
	return fmt.Sprintf("%q (%s, %d of %d processors, %s, %s/%s)", e.CPU, vectors, e.GOMAXPROCS, e.CPUs, e.Go, e.OS, e.Arch)
}
