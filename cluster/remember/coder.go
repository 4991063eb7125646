package remember

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"dejavu/strategies"
)

// Requests and answers travel as the lengths of their parts, as varints, and the
// IDs as eight bytes each: a third of what a generic coder makes of them.
func init() {
	beam.RegisterCoder(reflect.TypeFor[Request](), encodeRequest, decodeRequest)
	beam.RegisterCoder(reflect.TypeFor[Answer](), encodeAnswer, decodeAnswer)
}

func encodeRequest(r Request) []byte {
	b := make([]byte, 0, len(r.ID)+8*(len(r.Shown)+len(r.Candidates))+3*binary.MaxVarintLen32+1)
	b = appendIDs(appendIDs(appendText(b, r.ID), r.Shown), r.Candidates)
	var flags byte
	if r.Vector {
		flags = 1
	}
	if r.Forget {
		flags |= 2
	}
	return append(b, flags)
}

func decodeRequest(b []byte) (r Request, err error) {
	in := reader{rest: b}
	r.ID, r.Shown, r.Candidates = string(part(&in, 1)), ids(&in), ids(&in)
	if flag := in.bytes(1); len(flag) > 0 {
		r.Vector, r.Forget = flag[0]&1 > 0, flag[0]&2 > 0
		in.broken = flag[0] > 3
	}
	return r, end(in, "request", len(b))
}

func encodeAnswer(a Answer) []byte {
	b := make([]byte, 0, len(a.ID)+8*len(a.Fresh)+len(a.Vector)+3*binary.MaxVarintLen32)
	return appendText(appendIDs(appendText(b, a.ID), a.Fresh), a.Vector)
}

func decodeAnswer(b []byte) (a Answer, err error) {
	in := reader{rest: b}
	a.ID, a.Fresh = string(part(&in, 1)), ids(&in)
	if vector := part(&in, 1); len(vector) > 0 {
		a.Vector = bytes.Clone(vector)
	}
	return a, end(in, "answer", len(b))
}

func appendText[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendIDs(b []byte, ids []strategies.ID) []byte {
	b = binary.AppendUvarint(b, uint64(len(ids)))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint64(b, uint64(id))
	}
	return b
}

// A reader reads parts of bytes. After an incomplete part it is broken, and reads nothing.
type reader struct {
	rest   []byte
	broken bool
}

func (r *reader) bytes(n uint64) []byte {
	if r.broken = r.broken || n > uint64(len(r.rest)); r.broken {
		return nil
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.broken = r.broken || n <= 0
	r.bytes(uint64(max(n, 0)))
	return v
}

// part returns the elements that follow, size bytes each; their number comes first.
func part(in *reader, size uint64) []byte {
	n := in.uvarint()
	in.broken = in.broken || n > uint64(len(in.rest)) // and n * size does not overflow
	return in.bytes(n * size)
}

func ids(in *reader) (ids []strategies.ID) {
	for b := range slices.Chunk(part(in, 8), 8) {
		ids = append(ids, strategies.ID(binary.LittleEndian.Uint64(b)))
	}
	return ids
}

// end returns an error if the bytes are broken or some are left.
func end(in reader, what string, of int) error {
	if in.broken || len(in.rest) > 0 {
		return fmt.Errorf("remember: no %s in %d bytes: something is wrong %d before the end", what, of, len(in.rest))
	}
	return nil
}

// A memory is a user's state, in one value: each part of the state that is read or written takes a message to the
// runner and one back. Times are in milliseconds of Unix time.
type memory struct {
	newest  int64 // the time of the newest exposure, of the events' clock
	came    int64 // when the last exposure came, by the worker's clock, if it clears
	ends    int64 // the time that the timer is set to
	history []byte
}

const memoryHeader = 3 * 8

func (m memory) encode() []byte {
	b := make([]byte, 0, memoryHeader+len(m.history))
	for _, t := range []int64{m.newest, m.came, m.ends} {
		b = binary.LittleEndian.AppendUint64(b, uint64(t))
	}
	return append(b, m.history...)
}

func decodeMemory(b []byte) (memory, error) {
	if len(b) < memoryHeader {
		return memory{}, fmt.Errorf("%d bytes, want %d and a history", len(b), memoryHeader)
	}
	at := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
	return memory{at(0), at(1), at(2), b[memoryHeader:]}, nil
}
