package queue

import (
	"encoding/binary"

	"dejavu/internal/lookup"
	"dejavu/strategies"
)

// Seen looks the candidates up in the ring: whichever of the two is shorter is
// entered into a small table, block by block, and the other is run past it.
func (q *Queue) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	clear(seen)
	held := load(history).held()
	if len(candidates) <= len(held)/idBytes {
		for from := 0; from < len(candidates); from += lookup.MaxEntries {
			to := min(from+lookup.MaxEntries, len(candidates))
			seenInRing(held, candidates[from:to], seen[from:to])
		}
		return
	}
	for len(held) > 0 {
		n := min(lookup.MaxEntries*idBytes, len(held))
		seenInBlock(held[:n], candidates, seen)
		held = held[n:]
	}
}

// seenInRing enters a block of candidates and runs the ring past them.
func seenInRing(held []byte, candidates []strategies.ID, seen []bool) {
	var t lookup.Table[uint16]
	for i, id := range candidates {
		t.Enter(id, i+1)
	}
	t.Run(held, candidates, seen)
}

// seenInBlock enters a block of the ring and runs the candidates past it.
func seenInBlock(held []byte, candidates []strategies.ID, seen []bool) {
	var t lookup.Table[uint16]
	for i := 0; i < len(held); i += idBytes {
		t.Enter(strategies.ID(binary.LittleEndian.Uint64(held[i:])), i/idBytes+1)
	}
	t.Ask(held, candidates, seen)
}

// A Decoder is a Queue that answers the way the paper describes: every request decodes the whole ring into a
// hash set first. It gives the same answers from the same histories, and allocates.
type Decoder struct{ *Queue }

// NewDecoder returns the strategy, or an error that names the field out of range.
func NewDecoder(c Config) (Decoder, error) {
	q, err := New(c)
	return Decoder{q}, err
}

// Seen builds a map of the ring and looks the candidates up in it.
func (d Decoder) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	held := load(history).held()
	set := make(map[strategies.ID]struct{}, len(held)/idBytes)
	for ; len(held) >= idBytes; held = held[idBytes:] {
		set[strategies.ID(binary.LittleEndian.Uint64(held))] = struct{}{}
	}
	for i, id := range candidates {
		_, seen[i] = set[id]
	}
}
