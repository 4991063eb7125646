// Package lookup finds a request's candidates in a list inside a history. The list holds each ID's mix, in eight bytes,
// little-endian; the mix's high bits are the ID's place in a table. Block by block, the shorter of the two enters a
// small table on the stack, and the other is looked up in it. Nothing is decoded or allocated, and the answer is exact.
// It costs clearing the table for each block, and less than two nanoseconds for each lookup.
package lookup

import (
	"encoding/binary"

	"dejavu/internal/mix"
	"dejavu/strategies"
)

// IDBytes is the size of an ID in a list.
const IDBytes = 8

const (
	placeBits = 11
	places    = 1 << placeBits

	// MaxEntries is the capacity of a table: a quarter of its places, so that a search ends soon.
	MaxEntries = places / 4

	// MaxEntries8 is how many one of uint8 takes, which counts no further.
	MaxEntries8 = 1<<8 - 1
)

// Put writes IDs to the beginning of a list.
func Put(list []byte, ids ...strategies.ID) {
	var mixed [64]strategies.ID
	for len(ids) > 0 {
		n := min(len(ids), len(mixed))
		mix.All(mixed[:n], ids[:n])
		for i, m := range mixed[:n] {
			binary.LittleEndian.PutUint64(list[i*IDBytes:], uint64(m))
		}
		list, ids = list[n*IDBytes:], ids[n:]
	}
}

// First returns the ID at the beginning of a list.
func First(list []byte) strategies.ID {
	return strategies.ID(mix.Unmix(binary.LittleEndian.Uint64(list)))
}

// A Table holds entries by the high bits of their mixes: numbers, from 1 on, either of candidates or of IDs in a list.
type Table[N uint8 | uint16] [places]N // 0 is a free place

// place returns where the search for a mix begins.
func place(mixed uint64) uint64 { return mixed >> (64 - placeBits) }

// Enter adds the candidate numbered n, from 1 on, up to MaxEntries, or MaxEntries8 for uint8. IDs may repeat.
func (t *Table[N]) Enter(id strategies.ID, n int) { t.enter(mix.Mix(uint64(id)), n) }

// EnterAll adds the IDs of a list, the i-th as i+1.
func (t *Table[N]) EnterAll(list []byte) {
	for i := 0; i < len(list); i += IDBytes {
		t.enter(binary.LittleEndian.Uint64(list[i:]), i/IDBytes+1)
	}
}

func (t *Table[N]) enter(mixed uint64, n int) {
	at := place(mixed)
	for t[at%places] != 0 {
		at++
	}
	t[at%places] = N(n)
}

// Run sets seen[i] if a list has the ID of candidates[i], entered as i+1, and leaves the others. It takes four at a
// time.
func (t *Table[N]) Run(list []byte, candidates []strategies.ID, seen []bool) {
	_ = t[0] // checked here, t is not checked for nil in the loop
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

// four is find for four, without the loop, so that all it needs stays in registers.
func (t *Table[N]) four(ids [4]uint64, candidates []strategies.ID, seen []bool) {
	for _, mixed := range ids {
		t.find(mixed, candidates, seen)
	}
}

// find marks the candidates with that mix.
func (t *Table[N]) find(mixed uint64, candidates []strategies.ID, seen []bool) {
	for at := place(mixed); ; at++ {
		n := t[at%places]
		if n == 0 {
			return
		}
		if mix.Mix(uint64(candidates[n-1])) == mixed {
			seen[n-1] = true
		}
	}
}

// Ask looks up candidates in a list whose IDs were entered, the i-th as i+1, and sets seen[i] if it has candidates[i].
func (t *Table[N]) Ask(list []byte, candidates []strategies.ID, seen []bool) {
	for i, id := range candidates {
		mixed := mix.Mix(uint64(id))
		for at := place(mixed); ; at++ {
			n := int(t[at%places])
			if n == 0 {
				break
			}
			if binary.LittleEndian.Uint64(list[(n-1)*IDBytes:]) == mixed {
				seen[i] = true
				break
			}
		}
	}
}
