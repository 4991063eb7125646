package queue

import (
	"encoding/binary"

	"dejavu/strategies"
)

// Seen looks the candidates up in the ring: whichever of the two is shorter is
// entered into a small table, block by block, and the other is run past it.
func (q *Queue) Seen(history []byte, candidates []strategies.ID, seen []bool) {
	clear(seen)
	held := load(history).held()
	if len(held) == 0 {
		return
	}
	if len(candidates) <= len(held)/idBytes {
		for from := 0; from < len(candidates); from += block {
			to := min(from+block, len(candidates))
			seenInRing(held, candidates[from:to], seen[from:to])
		}
		return
	}
	for len(held) > 0 {
		n := min(block*idBytes, len(held))
		seenInBlock(held[:n], candidates, seen)
		held = held[n:]
	}
}

// A table holds up to block entries, numbered from 1, by their IDs' hash; 0 is
// a free place. At most a quarter of it is taken, so that a search ends soon.
type table [1 << tableBits]uint16

const (
	tableBits = 11
	block     = 1 << tableBits / 4
)

// place is where the search for an ID begins: its high bits, which are uniform
// by contract.
func place(id uint64) uint64 { return id >> (64 - tableBits) }

// enter adds the entry numbered n.
func (t *table) enter(id uint64, n int) {
	at := place(id)
	for t[at%uint64(len(t))] != 0 {
		at++
	}
	t[at%uint64(len(t))] = uint16(n)
}

// seenInRing enters the candidates and runs the ring past them, four IDs at a
// time while none of the four meets a place that is taken.
func seenInRing(held []byte, candidates []strategies.ID, seen []bool) {
	var t table
	for i, id := range candidates {
		t.enter(uint64(id), i+1)
	}
	for ; len(held) >= 4*idBytes; held = held[4*idBytes:] {
		a := binary.LittleEndian.Uint64(held)
		b := binary.LittleEndian.Uint64(held[idBytes:])
		c := binary.LittleEndian.Uint64(held[2*idBytes:])
		d := binary.LittleEndian.Uint64(held[3*idBytes:])
		if t[place(a)]|t[place(b)]|t[place(c)]|t[place(d)] == 0 {
			continue
		}
		for _, id := range [...]uint64{a, b, c, d} {
			t.find(id, candidates, seen)
		}
	}
	for ; len(held) >= idBytes; held = held[idBytes:] {
		t.find(binary.LittleEndian.Uint64(held), candidates, seen)
	}
}

// find marks the candidates entered that are the ID.
func (t *table) find(id uint64, candidates []strategies.ID, seen []bool) {
	for at := place(id); ; at++ {
		n := t[at%uint64(len(t))]
		if n == 0 {
			return
		}
		if uint64(candidates[n-1]) == id {
			seen[n-1] = true
		}
	}
}

// seenInBlock enters a block of the ring and runs the candidates past it.
func seenInBlock(held []byte, candidates []strategies.ID, seen []bool) {
	var t table
	for i := 0; i < len(held); i += idBytes {
		t.enter(binary.LittleEndian.Uint64(held[i:]), i/idBytes+1)
	}
	for i, id := range candidates {
		for at := place(uint64(id)); ; at++ {
			n := int(t[at%uint64(len(t))])
			if n == 0 {
				break
			}
			if binary.LittleEndian.Uint64(held[(n-1)*idBytes:]) == uint64(id) {
				seen[i] = true
				break
			}
		}
	}
}

// A Decoder is a Queue that answers the way the paper describes: every request
// decodes the whole ring into a hash set first. It gives the same answers from
// the same histories, and allocates.
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
