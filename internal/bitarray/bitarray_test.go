package bitarray_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"dejavu/internal/bitarray"
)

// Every operation against the same on a list of bits, at both ends of arrays of every
// length from eight bytes on; no other bit changes.
func TestModel(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 6))
	for round := range 30000 {
		array := make([]byte, 8+round%30)
		for i := range array {
			array[i] = byte(r.Uint32())
		}
		bits := make([]byte, 8*len(array))
		for i := range bits {
			bits[i] = array[i>>3] >> (i & 7) & 1
		}
		from := r.IntN(len(bits) + 1)
		n := r.IntN(len(bits) - from + 1)
		few := min(n, bitarray.Most)
		switch round % 2 {
		case 0:
			var want uint64
			for i := range few {
				want |= uint64(bits[from+i]) << i
			}
			if got := bitarray.Read(array, from, few); few > 0 && got != want {
				t.Fatalf("Read of %d bits at %d of %d bytes is %#x, want %#x", few, from, len(array), got, want)
			}
			ones := bytes.Count(bits[from:from+n], []byte{1})
			if got := bitarray.Ones(array, from, from+n); got != ones {
				t.Fatalf("Ones of %d bits at %d is %d, want %d", n, from, got, ones)
			}
		case 1:
			value := r.Uint64()
			bitarray.Write(array, from, few, value)
			for i := range few {
				bits[from+i] = byte(value >> i & 1)
			}
		}
		for i, bit := range bits {
			if got := array[i>>3] >> (i & 7) & 1; got != bit {
				t.Fatalf("round %d: bit %d of %d is %d, want %d (%d bits from %d)", round, i, len(bits), got, bit, n, from)
			}
		}
	}
}
