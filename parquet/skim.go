package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A skimmer passes over a struct of Thrift's compact protocol, in which Parquet writes
// what describes a file, and finds out whether its lengths are those of bytes that are there
// (Thrift compact protocol encoding, Apache Thrift specification).
type skimmer struct {
	data     []byte
	at       int
	from     int // where the last whole number began
	elements int // that lists may have yet
	depth    int
}

// The types of the protocol.
const (
	stop = iota
	yes
	no
	i8
	i16
	i32
	i64
	double
	binaries
	lists
	sets
	maps
	structs
)

// deepest is how deep structs may nest. Those of Parquet nest six deep.
const deepest = 16

// skim passes over a struct. Its whole numbers, and yes as 1 and no as 0, are told with the field's number, and
// before it that of the field of the struct that it is in, 0 where that is the outermost.
func (s *skimmer) skim(tell func(path [2]int, n int64)) error { return s.fields(0, tell) }

func (s *skimmer) fields(outer int, tell func(path [2]int, n int64)) error {
	if s.depth++; s.depth > deepest {
		return fmt.Errorf("it nests more than %d deep", deepest)
	}
	defer func() { s.depth-- }()
	for id := 0; ; {
		b, err := s.next()
		if err != nil {
			return err
		}
		kind := int(b & 15)
		if kind == stop {
			return nil
		}
		if delta := int(b >> 4); delta > 0 {
			id += delta
		} else {
			n, err := s.number()
			if err != nil {
				return err
			}
			id = int(n)
		}
		if kind == yes || kind == no { // which is the value
			if tell != nil && s.depth <= 2 {
				tell([2]int{outer, id}, int64(no-kind))
			}
			continue
		}
		if err := s.value(kind, outer, id, tell); err != nil {
			return err
		}
	}
}

// value passes over a value.
func (s *skimmer) value(kind, outer, id int, tell func(path [2]int, n int64)) error {
	switch kind {
	case yes, no, i8:
		return s.pass(1)
	case i16, i32, i64:
		s.from = s.at
		n, err := s.number()
		if err == nil && tell != nil && s.depth <= 2 {
			tell([2]int{outer, id}, n)
		}
		return err
	case double:
		return s.pass(8)
	case binaries:
		n, err := s.unsigned()
		if err != nil {
			return err
		}
		return s.pass(n)
	case lists, sets:
		return s.list()
	case structs:
		if s.depth > 1 {
			tell = nil
		}
		return s.fields(id, tell)
	}
	return fmt.Errorf("byte %d has type %d, which Parquet has no use for", s.at, kind)
}

// list passes over a list.
func (s *skimmer) list() error {
	b, err := s.next()
	if err != nil {
		return err
	}
	n := uint64(b >> 4)
	if n == 15 {
		if n, err = s.unsigned(); err != nil {
			return err
		}
	}
	if n > uint64(s.elements) {
		return fmt.Errorf("byte %d begins a list of %d, where all lists have %d at most", s.at, n, mostElements)
	}
	s.elements -= int(n)
	for range n {
		if err := s.value(int(b&15), -1, -1, nil); err != nil {
			return err
		}
	}
	return nil
}

func (s *skimmer) next() (byte, error) {
	if s.at == len(s.data) {
		return 0, io.ErrUnexpectedEOF
	}
	s.at++
	return s.data[s.at-1], nil
}

func (s *skimmer) pass(n uint64) error {
	if n > uint64(len(s.data)-s.at) {
		return io.ErrUnexpectedEOF
	}
	s.at += int(n)
	return nil
}

func (s *skimmer) unsigned() (uint64, error) {
	n, length := binary.Uvarint(s.data[s.at:])
	switch {
	case length == 0:
		return 0, io.ErrUnexpectedEOF
	case length < 0:
		return 0, errors.New("a number has more than 64 bits")
	}
	s.at += length
	return n, nil
}

// number is one with a sign.
func (s *skimmer) number() (int64, error) {
	n, err := s.unsigned()
	return int64(n>>1) ^ -int64(n&1), err
}
