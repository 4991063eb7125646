package bloom

import (
	"encoding/binary"
	"slices"

	"dejavu/internal/bitarray"
)

// Grow extends a history, lanes and a header, to the first count lanes, in place if its capacity suffices. New lanes
// are empty; old ones are rotated as by AddLane. The caller must write the header.
func (l Lanes) Grow(history []byte, header, count, rotate int) []byte {
	l = l.First(count)
	old, size := len(history), l.Bytes()+header
	if old >= size || l.count == 0 {
		return history
	}
	history = slices.Grow(history, size-old)[:size]
	if old == 0 {
		clear(history)
		return history
	}
	for lanes := (old-header)*8/l.bits + 1; lanes <= l.count; lanes++ {
		AddLane(l.First(lanes), history, rotate)
		rotate = 0
	}
	return history
}

// AddLane adds wide's last lane, empty, to an array of the others, in place. The n old lanes are
// rotated: lane (i+rotate) mod n becomes lane i. The slice must contain the wider array and its Slack.
func AddLane(wide Lanes, array []byte, rotate int) {
	if wide.count == 0 {
		return
	}
	l := wide.First(wide.count - 1)
	array = array[: wide.Bytes()+Slack : len(array)]
	clear(array[l.Bytes():])
	if l.count == 0 {
		return
	}

	// Go down from the last position, as positions become wider and must not overwrite others.
	if rotate == 0 && l.count < len(spreads) {
		spreads[l.count].widen(array, l.bits, l.count)
		return
	}
	for p := l.bits - 1; p >= 0; p-- {
		field := bitarray.Read(array, p*l.count, l.count)
		field = (field>>rotate | field<<(l.count-rotate)) & ones(l.count)
		bitarray.Write(array, p*wide.count, wide.count, field)
	}
}

// Extract reduces the array, in place, to the given lane.
func Extract(l Lanes, array []byte, lane int) {
	array = l.array(array)
	p := 0
	if l.count == 2 {
		// 32 positions at a time
		for ; (p+32)*2/8 <= len(array); p += 32 {
			word := binary.LittleEndian.Uint64(array[p*2/8:]) >> lane
			binary.LittleEndian.PutUint32(array[p/8:], press(word))
		}
	}
	for ; p < l.bits; p++ {
		bit := p*l.count + lane
		value := array[bit>>3] >> (bit & 7) & 1
		array[p>>3] = array[p>>3]&^(1<<(p&7)) | value<<(p&7)
	}
	if used := l.bits % 8; used != 0 {
		array[l.bits/8] &= 1<<used - 1
	}
}

// Used returns the lanes in which a bit is set.
func (l Lanes) Used(array []byte) (lanes uint64) {
	array = l.array(array)
	for p, all := 0, ones(l.count); p < l.bits && lanes != all; p++ {
		bit := p * l.count
		lanes |= bytesAt(array[bit>>3:]) >> (bit & 7) & all
	}
	return lanes
}

// ones returns a word with the lowest n bits set, n being 0 to 63.
func ones(n int) uint64 { return 1<<(n&63) - 1 }

// A spread widens neighbouring fields within one word, from w bits to w+1: field f moves by f bits. It does so in
// powers of two, the largest first: the step of 2^i moves the fields whose number has bit i.
type spread struct {
	group  int       // wide fields in a word, a power of two and whole bytes
	fields uint64    // their bits
	moved  [5]uint64 // moved[i]: the bits that the step of 2^i moves, before it
}

// spreads[w] widens fields of w bits to w+1. Eight wide fields fit a word.
var spreads = func() (table [8]spread) {
	for w := 1; w < len(table); w++ {
		s := &table[w]
		for s.group = 8; s.group*2*(w+1) <= 64; s.group *= 2 {
		}
		for f := range s.group {
			s.fields |= ones(w) << (f * (w + 1))
		}
		for i := range s.moved {
			for f := range s.group {
				if f>>i&1 == 1 {
					s.moved[i] |= ones(w) << (f*w + f&^(2<<i-1))
				}
			}
		}
	}
	return table
}()

// widen widens the n fields of the array, from the last group down. What follows them is 0.
func (s spread) widen(array []byte, n, width int) {
	low := ^uint64(0) // the bits of a narrow group
	if bits := s.group * width; bits < 64 {
		low = ones(bits)
	}
	var above uint64                                 // the group after this one, which this one's word overlaps
	from, to := s.group*width/8, s.group*(width+1)/8 // bytes a group takes
	for g := (n+s.group-1)/s.group - 1; g >= 0; g-- {
		edge := g*to+8 > len(array) // write the last few byte by byte
		if !edge && widenQuickly(array, g+1, from, to, s.fields, above) {
			return
		}
		var w uint64
		if edge {
			w = bytesAt(array[g*from:]) & low
		} else {
			w = binary.LittleEndian.Uint64(array[g*from:]) & low
		}
		if s.group > 8 {
			w = w&^s.moved[4] | w&s.moved[4]<<16
			w = w&^s.moved[3] | w&s.moved[3]<<8
		}
		w = w&^s.moved[2] | w&s.moved[2]<<4
		w = w&^s.moved[1] | w&s.moved[1]<<2
		w = w&^s.moved[0] | w&s.moved[0]<<1
		at := array[g*to:]
		if edge {
			for i := range min(to, len(at)) {
				at[i] = byte(w >> (8 * i))
			}
		} else {
			binary.LittleEndian.PutUint64(at, w|above<<(8*to))
		}
		above = w
	}
}

func bytesAt(array []byte) (word uint64) {
	for i, b := range array[:min(8, len(array))] {
		word |= uint64(b) << (8 * i)
	}
	return word
}

// press returns every other bit of a word, side by side.
func press(w uint64) uint32 {
	w &= 0x5555555555555555
	w = (w | w>>1) & 0x3333333333333333
	w = (w | w>>2) & 0x0f0f0f0f0f0f0f0f
	w = (w | w>>4) & 0x00ff00ff00ff00ff
	w = (w | w>>8) & 0x0000ffff0000ffff
	return uint32(w | w>>16)
}
