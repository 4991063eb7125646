// Package lookup finds which of a request's candidates stand in a list of IDs that lies in a history as it
// is, eight bytes each, little-endian. Whichever of the two is shorter is entered into a small table on the
// stack, block by block, and the other is run past it: nothing is decoded, nothing allocated, and the answer
// is exact. The cost is the table to clear for each block, and less than a nanosecond for an ID run past it.
package lookup

import (
	"encoding/binary"

	"dejavu/strategies"
)

// IDBytes is what an ID of a list takes.
const IDBytes = 8

const (
	placeBits = 11
	places    = 1 << placeBits

	// MaxEntries is how many entries a table takes: a quarter of its places, so that a search ends soon.
	MaxEntries = places / 4

	// MaxEntries8 is how many one of uint8 takes, which counts no further.
	MaxEntries8 = 1<<8 - 1
)

// A Table holds entries by their IDs' high bits, which are uniform by contract. An entry is a number, from 1
// on, of a candidate or of an ID in a list: a table holds one kind of them.
type Table[N uint8 | uint16] [places]N // 0 is a free place

// place is where the search for an ID begins.
func place(id uint64) uint64 { return id >> (64 - placeBits) }

// Enter adds the entry numbered n, from 1 on, up to MaxEntries, or MaxEntries8 for uint8. IDs may repeat.
func (t *Table[N]) Enter(id strategies.ID, n int) {
	at := place(uint64(id))
	for t[at%places] != 0 {
		at++
	}
	t[at%places] = N(n)
}

// Run runs a list past the candidates that were entered, candidates[i] as i+1, and sets seen[i] where the
// list has it; the rest of seen stays. It takes four IDs at a time while all meet free places.
func (t *Table[N]) Run(list []byte, candidates []strategies.ID, seen []bool) {
	_ = t[0] // not nil: the loop need not ask
	for ; len(list) >= 4*IDBytes; list = list[4*IDBytes:] {
		a := binary.LittleEndian.Uint64(list)
		b := binary.LittleEndian.Uint64(list[IDBytes:])
		c := binary.LittleEndian.Uint64(list[2*IDBytes:])
		d := binary.LittleEndian.Uint64(list[3*IDBytes:])
		if t[place(a)]|t[place(b)]|t[place(c)]|t[place(d)] != 0 {
			t.four([4]uint64{a, b, c, d}, candidates, seen)
		}
	}
	for ; len(list) >= IDBytes; list = list[IDBytes:] {
		t.find(binary.LittleEndian.Uint64(list), candidates, seen)
	}
}

// four is find for four, apart from the loop, which so keeps all it needs in registers.
func (t *Table[N]) four(ids [4]uint64, candidates []strategies.ID, seen []bool) {
	for _, id := range ids {
		t.find(id, candidates, seen)
	}
}

// find marks the candidates that are the ID.
func (t *Table[N]) find(id uint64, candidates []strategies.ID, seen []bool) {
	for at := place(id); ; at++ {
		n := t[at%places]
		if n == 0 {
			return
		}
		if uint64(candidates[n-1]) == id {
			seen[n-1] = true
		}
	}
}

// Ask runs candidates past a list whose IDs were entered, the i-th as i+1, and sets seen[i] where it has candidates[i].
func (t *Table[N]) Ask(list []byte, candidates []strategies.ID, seen []bool) {
	for i, id := range candidates {
		for at := place(uint64(id)); ; at++ {
			n := int(t[at%places])
			if n == 0 {
				break
			}
			if binary.LittleEndian.Uint64(list[(n-1)*IDBytes:]) == uint64(id) {
				seen[i] = true
				break
			}
		}
	}
}
