package main

import (
	"fmt"
	"strconv"
	"strings"

	"dejavu/experiments/text"
)

// A size is a number of bytes on the command line: "12GiB", "500MB", "4096".
type size int64

var sizeUnits = []struct {
	suffix string
	bytes  float64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"kB", 1e3},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"B", 1},
}

// UnmarshalText reads a number and a unit.
func (s *size) UnmarshalText(given []byte) error {
	number, unit := strings.TrimSpace(string(given)), 1.
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v > 0 && v*unit < 1<<60) {
		return fmt.Errorf("size %q, want a positive number with a unit like MiB, GiB or GB", given)
	}
	*s = size(v * unit)
	return nil
}

func (s size) String() string { return text.Bytes(float64(s)) }
