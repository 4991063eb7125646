package bloom

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"dejavu/internal/mix"
)

// A long list is entered in two passes. The first writes a byte for every probe into a table of a byte a position: a
// store and nothing else, where setting a bit has to wait for the store before. The second presses the table
// together, eight positions at a time, and adds it to the array. That takes half the time from about one probe to
// every three positions on (measured at 812 and 4060 bits), as long as the nearest cache holds the table.
const longBits = 4096

// long reports whether a list of n IDs is long for a filter of its own.
func (l Lanes) long(n int) bool {
	return l.count == 1 && l.bits <= longBits && (n+1)*3*l.hashes > l.bits
}

// insertLong is Insert for a filter of its own and a list that is long.
func insertLong(l Lanes, array []byte, ids []uint64) {
	var table [longBits]byte
	if l.sixDigits() {
		mark6(table[:], uint64(l.bits), ids)
	} else {
		mark(table[:], l, ids)
	}
	array, rest := l.array(array), table[:]
	for ; len(array) >= 8; array, rest = array[8:], rest[64:] {
		t := rest[:64]
		word := press8(t) | press8(t[8:])<<8 | press8(t[16:])<<16 | press8(t[24:])<<24 |
			press8(t[32:])<<32 | press8(t[40:])<<40 | press8(t[48:])<<48 | press8(t[56:])<<56
		binary.LittleEndian.PutUint64(array, binary.LittleEndian.Uint64(array)|word)
	}
	for i := range array {
		array[i] |= byte(press8(rest[8*i:]))
	}
}

// mark writes 1 at the positions of every ID.
func mark(table []byte, l Lanes, ids []uint64) {
	table, m, digits := table[:l.bits], uint64(l.bits), l.digits()
	for _, id := range ids {
		id = mix.Mix(id)
		product := id
		for left := l.hashes; left > 0; left -= digits {
			x := product
			for range min(left, digits) {
				var p uint64
				p, x = bits.Mul64(x, m)
				table[p] = 1
			}
			product *= Multiplier
		}
	}
}

// mark6 is mark for six hashes, without bounds checks (see base).
func mark6(table []byte, m uint64, ids []uint64) {
	t := unsafe.Pointer(unsafe.SliceData(table[:m]))
	for _, id := range ids {
		id = mix.Mix(id)
		p, q, r := digits(id, m)
		*(*byte)(unsafe.Add(t, p)) = 1
		*(*byte)(unsafe.Add(t, q)) = 1
		*(*byte)(unsafe.Add(t, r)) = 1
		p, q, r = digits(id*Multiplier, m)
		*(*byte)(unsafe.Add(t, p)) = 1
		*(*byte)(unsafe.Add(t, q)) = 1
		*(*byte)(unsafe.Add(t, r)) = 1
	}
}

// press8 presses eight bytes of a table, each 0 or 1, into eight bits: the
// product's top byte is the sum of the eight, byte i moved to bit i.
func press8(table []byte) uint64 {
	return binary.LittleEndian.Uint64(table) * 0x0102040810204080 >> 56
}

// InsertLists adds lists[i] to lane i, where there is one. The array is as for Query. Where the lists
// together are long it costs a third less than one Insert after the other.
func InsertLists[ID ~uint64](l Lanes, array []byte, lists [][]ID) {
	lists = lists[:min(len(lists), l.count)]
	n := 0
	for _, ids := range lists {
		n += len(ids)
	}
	if l.count > 1 && l.longLists(n) {
		insertLongLists(l, array, lists)
		return
	}
	for lane, ids := range lists {
		Insert(l, array, 1<<lane, ids)
	}
}

// longLists reports whether lists of n IDs in all are long, as lists for a filter of its own are (see long).
// With two or three lanes, or more than eight, the second pass would not pay.
func (l Lanes) longLists(n int) bool {
	positions := l.bits * l.count
	return l.count >= 4 && l.count <= 8 && positions+8 <= longBits && n >= positions/(3*l.hashes)
}

// insertLongLists is insertLong for lanes that lie side by side in the table, and bit-sliced in the array.
func insertLongLists[ID ~uint64](l Lanes, array []byte, lists [][]ID) {
	var table [longBits]byte
	for lane, ids := range lists {
		if l.sixDigits() {
			mark6(table[lane*l.bits:], uint64(l.bits), numbers(ids))
		} else {
			mark(table[lane*l.bits:], l, numbers(ids))
		}
	}
	array = l.array(array)
	count := l.count
	// Eight positions are as many bytes as there are lanes.
	groups := max(len(array)-8, 0) / count
	if !sliceQuickly(array, table[:], l.bits, count, groups) {
		slicePlain(array, table[:], l.bits, count, groups)
	}
	array = array[groups*count:]
	for p := groups * 8; len(array) > 0; p += 8 {
		word := slice8(table[:], p, l.bits, count)
		if past := l.bits - p; past < 8 {
			word &= ones(past * count) // the next lane's marks
		}
		n := min(count, len(array))
		for i := range n {
			array[i] |= byte(word >> (8 * i))
		}
		array = array[n:]
	}
}

// slicePlain is the definition of sliceQuickly. Words overlap: no load may wait for the store before.
func slicePlain(array, table []byte, m, count, groups int) {
	word := binary.LittleEndian.Uint64(array)
	for p := range groups {
		word |= slice8(table, 8*p, m, count)
		next := binary.LittleEndian.Uint64(array[count:])
		binary.LittleEndian.PutUint64(array, word)
		array, word = array[count:], next
	}
}

// slice8 takes the marks of eight positions from the p-th on, in lanes m apart: count bits a position.
func slice8(table []byte, p, m, count int) uint64 {
	var w uint64 // eight bytes of a bit a lane
	if table = table[p:]; count == 5 {
		w = binary.LittleEndian.Uint64(table) |
			binary.LittleEndian.Uint64(table[m:])<<1 |
			binary.LittleEndian.Uint64(table[2*m:])<<2 |
			binary.LittleEndian.Uint64(table[3*m:])<<3 |
			binary.LittleEndian.Uint64(table[4*m:])<<4
	} else {
		for lane := range count {
			w |= binary.LittleEndian.Uint64(table[lane*m:]) << lane
		}
	}
	// Two fields come together, then four, then eight.
	w = w&0x00ff00ff00ff00ff | w>>8&0x00ff00ff00ff00ff<<(count&63)
	w = w&0x0000ffff0000ffff | w>>16&0x0000ffff0000ffff<<(2*count&63)
	return w&0x00000000ffffffff | w>>32<<(4*count&63)
}
