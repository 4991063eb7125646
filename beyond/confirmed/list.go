package confirmed

import (
	"encoding/binary"

	"dejavu/strategies"
)

const (
	idBytes = 8

	// headerBytes come first: how many articles are listed, and the slot that
	// the next one takes, in 16 bits each, little-endian. The slots follow.
	headerBytes = 4
)

// A list is what the header says of a ring of IDs. While it is not full the
// articles lie in order and next is their number; then next is the oldest.
type list struct{ count, next int }

func load(history []byte) list {
	return list{
		count: int(binary.LittleEndian.Uint16(history)),
		next:  int(binary.LittleEndian.Uint16(history[2:])),
	}
}

// put lists the articles over the oldest of so many slots.
func (l list) put(history []byte, slots int, shown []strategies.ID) {
	if over := len(shown) - slots; over > 0 { // they would be overwritten
		l.count, l.next = slots, (l.next+over)%slots
		shown = shown[over:]
	}
	l.count = min(l.count+len(shown), slots)
	for _, id := range shown {
		binary.LittleEndian.PutUint64(history[headerBytes+l.next*idBytes:], uint64(id))
		if l.next++; l.next == slots {
			l.next = 0
		}
	}
	binary.LittleEndian.PutUint16(history, uint16(l.count))
	binary.LittleEndian.PutUint16(history[2:], uint16(l.next))
}

// oldest sets ids to articles of the list from the at-th oldest on.
func (l list) oldest(history []byte, slots, at int, ids []strategies.ID) {
	if l.count == slots {
		at += l.next
	}
	for i := range ids {
		slot := (at + i) % slots
		ids[i] = strategies.ID(binary.LittleEndian.Uint64(history[headerBytes+slot*idBytes:]))
	}
}

// A table holds up to block candidates, numbered from 1, by their IDs' high
// bits, which are uniform by contract; 0 is a free place. At most a quarter of
// it is taken, so that a search ends soon, as in package queue.
type table [1 << tableBits]uint8

const (
	tableBits = 10
	block     = 1<<tableBits/4 - 1
)

func place(id uint64) uint64 { return id >> (64 - tableBits) }

// check corrects what the inner strategy answered: with both, what it has seen
// stays seen only where the list has it; otherwise, what the list has becomes
// seen too. Only the candidates that this may change are looked for.
func (l list) check(history []byte, candidates []strategies.ID, seen []bool, both bool) {
	held := history[headerBytes : headerBytes+l.count*idBytes]
	for len(candidates) > 0 {
		var t table
		n := min(len(candidates), block)
		entered := 0
		for i, id := range candidates[:n] {
			if seen[i] != both {
				continue
			}
			seen[i] = false
			at := place(uint64(id))
			for t[at%uint64(len(t))] != 0 {
				at++
			}
			t[at%uint64(len(t))] = uint8(i + 1)
			entered++
		}
		if entered > 0 {
			t.run(held, candidates[:n], seen[:n])
		}
		candidates, seen = candidates[n:], seen[n:]
	}
}

// run runs the list past the table, four IDs at a time while none of the four
// meets a place that is taken.
func (t *table) run(held []byte, candidates []strategies.ID, seen []bool) {
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
