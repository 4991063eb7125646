package apbf

import (
	"encoding/binary"
	"math/bits"

	"dejavu/strategies"
)

// state is what the header says, and the length.
type state struct {
	count int // articles of the youngest generation
	head  int // the youngest slice; those behind it are younger than those before it
	lanes int // in use
}

func (f *Filter) header(history []byte) state {
	end := len(history) - headerBytes
	return state{
		count: int(binary.LittleEndian.Uint16(history[end:])),
		head:  int(history[end+2]),
		lanes: f.Index(history) + 1,
	}
}

// load is the state that a history can be in, whatever its header says.
func (f *Filter) load(history []byte) state {
	s := f.header(history)
	s.count, s.head = min(s.count, f.Generation), min(s.head, s.lanes*f.rows-1)
	return s
}

func (s state) store(history []byte) {
	end := len(history) - headerBytes
	binary.LittleEndian.PutUint16(history[end:], uint16(s.count))
	history[end+2] = byte(s.head)
}

// Record enters the articles, and shifts when a generation is full and the next article needs room.
func (f *Filter) Record(history []byte, shown []strategies.ID) []byte {
	if len(shown) == 0 {
		return history
	}
	s := state{head: f.Hashes - 1} // k slices from 0 on, all of them blank
	if len(history) > 0 {
		s = f.load(history)
	}
	// Of a list of more than two cycles of the ring whole cycles are left out: the last clears every slice.
	turn := f.slices() * f.Generation
	if over := len(shown) - (f.Generation - s.count) - turn; over > turn {
		shown = shown[over/turn*turn:]
	}
	blank := s.lanes < f.lanes                          // from the head to the end of the ring
	shifts := (s.count + len(shown) - 1) / f.Generation // that the list needs
	if lanes := min(f.lanes, (s.head+shifts)/f.rows+1); lanes > s.lanes {
		history, s.lanes = f.array.Grow(history, headerBytes, lanes, 0), lanes
	}
	for {
		n := min(len(shown), f.Generation-s.count)
		f.insert(history, s, shown[:n])
		s.count += n
		if shown = shown[n:]; len(shown) == 0 {
			break
		}
		s.count = 0
		if s.head++; s.head == f.slices() {
			s.head, blank = 0, false
		}
		if !blank {
			f.sweep(history, s.lanes, s.head, true)
		}
	}
	s.store(history)
	return history
}

// insert sets the articles' bits in the k youngest slices.
func (f *Filter) insert(history []byte, s state, ids []strategies.ID) {
	var targets [maxHashes]target
	for i := range f.Hashes {
		p := s.head - i
		if p < 0 {
			p += s.lanes * f.rows
		}
		hash := p % f.rows
		targets[i] = target{powers[hash/2], uint64(32 - hash%2*32), uint64(hash*f.Bits*s.lanes + p/f.rows)}
	}
	m, stride := uint64(f.Bits), uint64(s.lanes)
	for _, id := range ids {
		for _, t := range targets[:f.Hashes] {
			half := uint64(uint32(uint64(id) * t.power >> t.shift))
			bit := (half*m>>32)*stride + t.first
			history[bit>>3] |= 1 << (bit & 7)
		}
	}
}

// A target is a slice to enter an article into.
type target struct {
	power, shift uint64 // of its hash
	first        uint64 // the bit of its position 0
}

// sweep counts the set bits of slice p, and unsets them where it is to be cleared.
func (f *Filter) sweep(history []byte, lanes, p int, unset bool) (ones int) {
	bit, left := p%f.rows*f.Bits*lanes+p/f.rows, f.Bits
	var every uint64 // bits 0, lanes, 2*lanes, ... of a word
	for i := 0; i < 64; i += lanes {
		every |= 1 << i
	}
	for left > 0 {
		at, shift := bit>>3, bit&7
		n, mask := 1, uint64(1) // bits at a time: one where the history ends, or as a word has
		var word uint64
		if at+8 > len(history) {
			word = uint64(history[at])
		} else {
			word = binary.LittleEndian.Uint64(history[at:])
			n = min((63-shift)/lanes+1, left)
			mask = every & (1<<(n*lanes) - 1) // all of them, where that is a shift by 64 or more
		}
		ones += bits.OnesCount64(word & (mask << shift))
		if word &^= mask << shift; !unset {
			// nothing to write
		} else if at+8 > len(history) {
			history[at] = byte(word)
		} else {
			binary.LittleEndian.PutUint64(history[at:], word)
		}
		bit, left = bit+n*lanes, left-n
	}
	return ones
}
