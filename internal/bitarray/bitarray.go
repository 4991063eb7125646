// Package bitarray reads and writes bits of a history, numbered from the low bit of the first byte. A history
// has at least eight bytes, so that a word can be read anywhere in it. Bounds are not checked.
package bitarray

import (
	"encoding/binary"
	"math/bits"
)

// Most is the largest number of bits of one read or write, at any position.
const Most = 57

// Read returns n bits from the given one on, up to Most, all inside the history.
func Read(history []byte, bit, n int) uint64 {
	at := min(bit>>3, len(history)-8)
	return binary.LittleEndian.Uint64(history[at:]) >> ((bit - at<<3) & 63) & (1<<n - 1)
}

// Write overwrites n bits from the given one on, up to Most.
func Write(history []byte, bit, n int, value uint64) {
	at := min(bit>>3, len(history)-8)
	shift := (bit - at<<3) & 63
	mask := uint64(1<<n-1) << shift
	word := binary.LittleEndian.Uint64(history[at:])
	binary.LittleEndian.PutUint64(history[at:], word&^mask|value<<shift&mask)
}

// Ones counts the bits that are set from one on and before another.
func Ones(history []byte, from, end int) (n int) {
	for ; from < end; from += Most {
		n += bits.OnesCount64(Read(history, from, min(end-from, Most)))
	}
	return n
}
