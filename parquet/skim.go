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
	elements int   // that lists may have yet
	err      error // the first
	// tell, if not nil, is told of whole numbers, with yes as 1 and no as 0: the field's number, and before
	// it that of the field of the struct that it is in, 0 where that is the outermost; and where it begins.
	tell func(path [2]int, n int64, from int)
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

// deepest is how deep structs and lists may nest. Those of Parquet nest six deep, and told is how deep
// the numbers lie that are told of.
const (
	deepest = 16
	told    = 2
)

// skim passes over a struct.
func (s *skimmer) skim() error {
	s.fields(1, 0)
	return s.err
}

func (s *skimmer) fields(depth, outer int) {
	if depth > deepest {
		s.fail(fmt.Errorf("it nests more than %d deep", deepest))
	}
	for id := 0; s.err == nil; {
		b := int(s.next())
		kind, delta := b&15, b>>4
		if kind == stop {
			return
		}
		if id += delta; delta == 0 {
			id = int(s.number())
		}
		if kind == yes || kind == no { // which is the value
			s.say(depth, [2]int{outer, id}, int64(no-kind), s.at)
		} else {
			s.value(kind, depth, [2]int{outer, id})
		}
	}
}

func (s *skimmer) say(depth int, path [2]int, n int64, from int) {
	if s.tell != nil && depth <= told && s.err == nil {
		s.tell(path, n, from)
	}
}

// value passes over a value.
func (s *skimmer) value(kind, depth int, path [2]int) {
	switch kind {
	case yes, no, i8:
		s.pass(1)
	case i16, i32, i64:
		from := s.at
		s.say(depth, path, s.number(), from)
	case double:
		s.pass(8)
	case binaries:
		s.pass(s.unsigned())
	case lists, sets:
		s.list(max(depth, told) + 1)
	case structs:
		s.fields(depth+1, path[1])
	default:
		s.fail(fmt.Errorf("byte %d has type %d, which Parquet has no use for", s.at, kind))
	}
}

// list passes over a list.
func (s *skimmer) list(depth int) {
	b := int(s.next())
	n := uint64(b >> 4)
	if n == 15 {
		n = s.unsigned()
	}
	switch {
	case depth > deepest:
		s.fail(fmt.Errorf("it nests more than %d deep", deepest))
	case n > uint64(s.elements):
		s.fail(fmt.Errorf("byte %d begins a list of %d, where all lists have %d at most", s.at, n, mostElements))
	}
	for ; n > 0 && s.err == nil; n-- {
		s.elements--
		s.value(b&15, depth, [2]int{})
	}
}

func (s *skimmer) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *skimmer) next() byte {
	if s.pass(1); s.err != nil {
		return stop
	}
	return s.data[s.at-1]
}

func (s *skimmer) pass(n uint64) {
	if n > uint64(len(s.data)-s.at) {
		s.fail(io.ErrUnexpectedEOF)
		return
	}
	s.at += int(n)
}

func (s *skimmer) unsigned() uint64 {
	n, length := binary.Uvarint(s.data[s.at:])
	switch {
	case length == 0:
		s.fail(io.ErrUnexpectedEOF)
	case length < 0:
		s.fail(errors.New("a number has more than 64 bits"))
		length = 0
	}
	s.at += length
	return n
}

// number is one with a sign.
func (s *skimmer) number() int64 {
	n := s.unsigned()
	return int64(n>>1) ^ -int64(n&1)
}
