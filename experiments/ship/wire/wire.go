// Package wire is the two ways in which a recall server can ask what a user was
// shown, where the histories lie with another server, the exposure service.
//
// The problem: the recall server has thousands of candidates, the exposure service
// the history, and the two must meet. Shipped, the history travels and is tested
// where the candidates are, as the lecture has it; asked, the candidates travel, eight
// bytes each, and a bit comes back for each.
//
// The guarantee: both give the same answers, at any time when nothing is recorded
// between them. A history that was shipped comes from outside: the caller
// passes it through the strategy's Validate before anything else.
//
// The cost, in bytes of the connection's two streams: RequestBytes and AnswerBytes of
// nothing, and a history, or 65 bits a candidate. Requests on a connection are
// answered one after the other.
//
// The format, all numbers little-endian:
//
//	request  4 user, 2 number of candidates, 2 kind: 1 ship, 2 ask;
//	         8 for each candidate
//	answer   4 length of what follows; the history, or the bits, candidate 0 the
//	         lowest of the first byte
//
// A request that cannot be answered gets a text instead, whose length has its
// highest bit set, and the connection ends.
package wire

import (
	"encoding/binary"
	"fmt"
)

// The bytes that every exchange has, whatever it is about.
const (
	RequestBytes = 8
	AnswerBytes  = 4
)

// MostCandidates is how many candidates a request can have, and MostHistory how many
// bytes an answer.
const (
	MostCandidates = 1<<16 - 1
	MostHistory    = 1 << 20
)

// The kinds of requests.
const (
	kindShip = 1
	kindAsk  = 2
)

const (
	idBytes  = 8
	refused  = 1 << 31 // in an answer's length: a text
	mostText = 1024
)

// ShippedBytes is the length of request and answer where a history of so many bytes
// is shipped.
func ShippedBytes(history int) int { return RequestBytes + AnswerBytes + history }

// AskedBytes is the length of request and answer where so many candidates are asked
// for.
func AskedBytes(candidates int) int {
	return RequestBytes + idBytes*candidates + AnswerBytes + bitBytes(candidates)
}

// BreakEven is the least number of candidates with which shipping a history of so
// many bytes takes fewer than asking.
func BreakEven(history int) int {
	r := history * 8 / (idBytes*8 + 1)
	for AskedBytes(r) <= ShippedBytes(history) {
		r++
	}
	return r
}

// bitBytes is how many bytes so many bits take.
func bitBytes(bits int) int { return (bits + 7) / 8 }

// head is a request's first part.
type head struct {
	user       uint32
	candidates uint16
	kind       uint16
}

func (h head) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, h.user)
	b = binary.LittleEndian.AppendUint16(b, h.candidates)
	return binary.LittleEndian.AppendUint16(b, h.kind)
}

func headOf(b []byte) head {
	le := binary.LittleEndian
	return head{le.Uint32(b), le.Uint16(b[4:]), le.Uint16(b[6:])}
}

// check reports why a request cannot be answered.
func (h head) check(users int) error {
	switch {
	case int64(h.user) >= int64(users):
		return fmt.Errorf("user %d, want 0 to %d", h.user, users-1)
	case h.kind != kindShip && h.kind != kindAsk:
		return fmt.Errorf("request of kind %d, want %d (ship) or %d (ask)", h.kind, kindShip, kindAsk)
	case h.kind == kindShip && h.candidates != 0:
		return fmt.Errorf("%d candidates in a request to ship, want none", h.candidates)
	}
	return nil
}
