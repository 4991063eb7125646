package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// An overlay is a file of which some bytes are read otherwise than they are.
//
// The library (0.32.0, its issue 608) unpacks a page of LZ4 into memory of its own where that packs to more than a
// third, and then reads the page from where it should have been, unless the page turns out to have more bytes than its
// header says, levels included. So its header says one less.
type overlay struct {
	io.ReaderAt
	patches []patch // by their places
}

// A patch is bytes in place of those from a place on.
type patch struct {
	at    int64
	bytes []byte
}

// lessen makes the unpacked size of the page whose header is there one less than that of its values, in as many bytes.
// It is an error where they do not unpack to what the header claims: the library would ask for more and more memory.
func (o *overlay) lessen(at int64, header []byte, h *format.PageHeader) error {
	second := &h.DataPageHeaderV2.V
	if second.IsCompressed.Valid && !second.IsCompressed.V {
		return nil
	}
	levels := second.DefinitionLevelsByteLength + second.RepetitionLevelsByteLength
	packed, plain := make([]byte, h.CompressedPageSize-levels), make([]byte, h.UncompressedPageSize-levels)
	if len(packed) == 0 {
		return nil
	}
	if _, err := o.ReaderAt.ReadAt(packed, at+int64(len(header))+int64(levels)); err != nil {
		return err
	}
	length, err := lz4.UncompressBlock(packed, plain)
	if err != nil {
		return fmt.Errorf("it does not unpack to %d bytes, as it claims: %w", len(plain), err)
	}
	if length == 0 {
		return nil
	}
	const size = 3 // is where the unpacked size lies: behind the type and the beginnings of two 32-bit fields
	if header[0] != 0x15 || header[2] != 0x15 {
		return errors.New("its header does not begin with its type and its size")
	}
	_, digits := binary.Uvarint(header[size:])
	p := patch{at + size, make([]byte, digits)}
	n := uint64(length-1) << 1 // as Thrift has a number with a sign
	for i := range p.bytes {
		p.bytes[i] = byte(n&0x7f) | 0x80
		n >>= 7
	}
	p.bytes[digits-1] &= 0x7f
	i, _ := slices.BinarySearchFunc(o.patches, p.at, func(p patch, at int64) int { return int(p.at - at) })
	o.patches = slices.Insert(o.patches, i, p)
	return nil
}

// ReadAt reads what the patches leave.
func (o *overlay) ReadAt(b []byte, at int64) (int, error) {
	n, err := o.ReaderAt.ReadAt(b, at)
	const longest = 10 // a number has no more bytes
	i, _ := slices.BinarySearchFunc(o.patches, at-longest, func(p patch, at int64) int { return int(p.at - at) })
	for _, p := range o.patches[i:] {
		if p.at >= at+int64(n) {
			break
		}
		for j, c := range p.bytes {
			if k := p.at + int64(j) - at; k >= 0 && k < int64(n) {
				b[k] = c
			}
		}
	}
	return n, err
}
