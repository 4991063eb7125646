package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/pierrec/lz4/v4"
)

// An overlay is a file of which some bytes are read otherwise than they are.
//
// The library (0.32.0, its issue 608) unpacks a page of LZ4 into memory of its own where that packs
// to more than a third, and then reads the page from where it should have been, unless the page
// turns out to have more bytes than its header says, levels included. So its header says one less.
type overlay struct {
	io.ReaderAt
	patches       []patch // by their places
	packed, plain []byte
}

// A patch is bytes in place of those from a place on.
type patch struct {
	at    int64
	bytes []byte
}

// lessen makes the unpacked size of the page whose header is there one less than that of
// its values, in as many bytes. It is an error where they do not unpack to what the header
// claims: the library would ask for more and more memory then.
func (o *overlay) lessen(at int64, h pageHeader) error {
	packed, unpacked := h.packed-h.levels, h.unpacked-h.levels
	if packed == 0 {
		return nil
	}
	o.packed = slices.Grow(o.packed[:0], int(packed))[:packed]
	o.plain = slices.Grow(o.plain[:0], int(unpacked))[:unpacked]
	if _, err := o.ReaderAt.ReadAt(o.packed, at+h.length+h.levels); err != nil {
		return err
	}
	length, err := lz4.UncompressBlock(o.packed, o.plain)
	if err != nil {
		return fmt.Errorf("it does not unpack to %d bytes, as it claims: %w", unpacked, err)
	}
	if length == 0 {
		return nil
	}
	n := uint64(length-1) << 1
	p := patch{at + int64(h.size[0]), make([]byte, h.size[1]-h.size[0])}
	for i := range p.bytes {
		p.bytes[i] = byte(n&0x7f) | 0x80
		n >>= 7
	}
	p.bytes[len(p.bytes)-1] &= 0x7f
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
