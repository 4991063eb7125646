package confirmed

import (
	"encoding/binary"

	"dejavu/internal/lookup"
	"dejavu/strategies"
)

const (
	idBytes = lookup.IDBytes

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

// oldest is the slot of the article that was listed first.
func (l list) oldest(slots int) int {
	if l.count < slots {
		return 0
	}
	return l.next
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
	l.store(history)
}

func (l list) store(history []byte) {
	binary.LittleEndian.PutUint16(history, uint16(l.count))
	binary.LittleEndian.PutUint16(history[2:], uint16(l.next))
}

// check corrects what the inner strategy answered: with both, what it has seen
// stays seen only where the list has it; otherwise, what the list has becomes
// seen too. Only the candidates that this may change are looked for.
func (l list) check(history []byte, candidates []strategies.ID, seen []bool, both bool) {
	held := history[headerBytes : headerBytes+l.count*idBytes]
	for len(candidates) > 0 {
		var t lookup.Table[uint8]
		n := min(len(candidates), lookup.MaxEntries8)
		entered := 0
		for i, id := range candidates[:n] {
			if seen[i] != both {
				continue
			}
			seen[i] = false
			t.Enter(id, i+1)
			entered++
		}
		if entered > 0 {
			t.Run(held, candidates[:n], seen[:n])
		}
		candidates, seen = candidates[n:], seen[n:]
	}
}
