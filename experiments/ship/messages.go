package ship

import (
	"encoding/binary"

	"dejavu/strategies"
)

// The messages of both ways, whatever carries them; numbers are little-endian:
//
//	request  4 user, 2 number of candidates, 2 kind (a history, or answers);
//	         8 for each candidate
//	answer   4 length of what follows; the history, or a bit for each candidate,
//	         candidate 0 the lowest of the first byte
const (
	requestBytes = 8
	answerBytes  = 4
	idBytes      = 8
)

// shippedBytes is the length of request and answer where a history of so many bytes is shipped.
func shippedBytes(history int) int { return requestBytes + answerBytes + history }

// askedBytes is the length of request and answer where so many candidates are asked for.
func askedBytes(candidates int) int {
	return requestBytes + idBytes*candidates + answerBytes + bitBytes(candidates)
}

// breakEven is the least number of candidates with which shipping a history of so many bytes takes fewer than
// asking.
func breakEven(history int) int {
	candidates := 0
	for askedBytes(candidates) <= shippedBytes(history) {
		candidates++
	}
	return candidates
}

func bitBytes(bits int) int { return (bits + 7) / 8 }

func appendIDs(dst []byte, ids []strategies.ID) []byte {
	for _, id := range ids {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(id))
	}
	return dst
}

func readIDs(body []byte) []strategies.ID {
	ids := make([]strategies.ID, len(body)/idBytes)
	for i := range ids {
		ids[i] = strategies.ID(binary.LittleEndian.Uint64(body[i*idBytes:]))
	}
	return ids
}

// packBits makes a bit of each answer.
func packBits(seen []bool) []byte {
	bits := make([]byte, bitBytes(len(seen)))
	for i, s := range seen {
		if s {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}

func unpackBits(bits []byte, seen []bool) {
	for i := range seen {
		seen[i] = bits[i/8]>>(i%8)&1 == 1
	}
}
