package bloom

import "encoding/binary"

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

// slicePlain is the definition of sliceQuickly. A word of eight bytes overlaps the next
// one's: no load may wait for the store before.
func slicePlain(array, table []byte, m, count, groups int) {
	word := binary.LittleEndian.Uint64(array)
	for p := range groups {
		word |= slice8(table, 8*p, m, count)
		next := binary.LittleEndian.Uint64(array[count:])
		binary.LittleEndian.PutUint64(array, word)
		array, word = array[count:], next
	}
}

// slice8 takes the marks of eight positions, from the p-th on, in lanes that
// lie m positions apart, and slices them: count bits a position.
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
