package wire_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"dejavu/cluster/internal/wire"
)

// What was written comes back; of what is cut anywhere, the reader is broken.
func TestReader(t *testing.T) {
	whole := binary.AppendUvarint(nil, 300)
	whole = binary.LittleEndian.AppendUint64(whole, 1<<63+7)
	whole = append(whole, "abc"...)
	for n := range len(whole) + 1 {
		r := wire.Reader{Rest: whole[:n]}
		v, u, b := r.Uvarint(), r.Uint64(), r.Bytes(3)
		right := v == 300 && u == 1<<63+7 && bytes.Equal(b, []byte("abc")) && len(r.Rest) == 0
		if whole := n == len(whole); r.Broken == whole || whole && !right {
			t.Errorf("%d bytes: %d, %d, %q, broken: %v", n, v, u, b, r.Broken)
		}
		if r.Bytes(uint64(n)+1) != nil || r.Uint64() != 0 || !r.Broken {
			t.Errorf("%d bytes: there is more than there is", n)
		}
	}
	for what, rest := range map[string][]byte{"nothing": nil, "a number of 70 bits": bytes.Repeat([]byte{0xff}, 11)} {
		r := wire.Reader{Rest: rest}
		if r.Uvarint(); !r.Broken {
			t.Errorf("%s is a number", what)
		}
	}
}
