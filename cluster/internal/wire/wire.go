// Package wire reads what lies in some bytes, part by part, until one is not whole.
package wire

import "encoding/binary"

// A Reader reads parts of bytes. After one that is not whole it is Broken, and what it reads is nothing.
type Reader struct {
	Rest   []byte
	Broken bool
}

// Bytes is the next n bytes, a part of Rest.
func (r *Reader) Bytes(n uint64) []byte {
	if r.Broken = r.Broken || n > uint64(len(r.Rest)); r.Broken {
		return nil
	}
	part := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return part
}

// Uvarint is the next number, as a varint.
func (r *Reader) Uvarint() uint64 {
	v, n := binary.Uvarint(r.Rest)
	r.Broken = r.Broken || n <= 0
	r.Bytes(uint64(max(n, 0)))
	return v
}

// Uint64 is the next number, as eight bytes.
func (r *Reader) Uint64() uint64 {
	if b := r.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}
