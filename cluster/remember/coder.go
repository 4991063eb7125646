package remember

import (
	"encoding/binary"
	"fmt"
	"reflect"

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
	b := make([]byte, 0, len(r.ID)+8*(len(r.Shown)+len(r.Candidates))+3*binary.MaxVarintLen32)
	b = appendText(b, r.ID)
	b = appendIDs(b, r.Shown)
	return appendIDs(b, r.Candidates)
}

func decodeRequest(b []byte) (r Request, err error) {
	in := user{rest: b}
	r.ID, r.Shown, r.Candidates = in.text(), in.ids(), in.ids()
	return r, in.end("request", len(b))
}

func encodeAnswer(a Answer) []byte {
	b := make([]byte, 0, len(a.ID)+8*len(a.Fresh)+2*binary.MaxVarintLen32)
	return appendIDs(appendText(b, a.ID), a.Fresh)
}

func decodeAnswer(b []byte) (a Answer, err error) {
	in := user{rest: b}
	a.ID, a.Fresh = in.text(), in.ids()
	return a, in.end("answer", len(b))
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendIDs(b []byte, ids []strategies.ID) []byte {
	b = binary.AppendUvarint(b, uint64(len(ids)))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint64(b, uint64(id))
	}
	return b
}

// A user takes parts from bytes, until one is not whole.
type user struct {
	rest   []byte
	broken bool
}

// take is the next n parts of so many bytes each.
func (r *user) take(size int) []byte {
	n, read := binary.Uvarint(r.rest)
	if r.broken = r.broken || read <= 0 || n > uint64((len(r.rest)-read)/size); r.broken {
		return nil
	}
	part := r.rest[read:][:int(n)*size]
	r.rest = r.rest[read+len(part):]
	return part
}

func (r *user) text() string { return string(r.take(1)) }

func (r *user) ids() []strategies.ID {
	part := r.take(8)
	if len(part) == 0 {
		return nil
	}
	ids := make([]strategies.ID, len(part)/8)
	for i := range ids {
		ids[i] = strategies.ID(binary.LittleEndian.Uint64(part[8*i:]))
	}
	return ids
}

// end is the error of bytes that were not what they should be.
func (r *user) end(what string, of int) error {
	if r.broken || len(r.rest) > 0 {
		return fmt.Errorf("remember: no %s in %d bytes: something is wrong %d before the end", what, of, len(r.rest))
	}
	return nil
}
