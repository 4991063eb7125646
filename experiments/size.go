package main

import (
	"dejavu/experiments/quantity"
	"dejavu/experiments/text"
)

// A size is a number of bytes on the command line: "12GiB", "500MB".
type size int64

// UnmarshalText reads a number and a unit.
func (s *size) UnmarshalText(given []byte) error {
	v, err := quantity.Bytes(string(given))
	*s = size(v)
	return err
}

func (s size) String() string { return text.Bytes(float64(s)) }
