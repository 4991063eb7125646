package strategytest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"unsafe"
)

// checkGrowth takes every step at which the history changes its length, and every boundary, in memory with no room to
// spare, with just enough, and with room for the longest history, full of marks: what Record makes of it must not
// depend on where it lies or on what was there. The whole life in one request has to come to the same.
func checkGrowth(s Subject, _ effort) error {
	shown := IDs(0x920, s.life())
	full := slices.Max(s.Strategy.Sizes())
	boundaries := s.boundaries()
	var history, before []byte
	longest := 0
	for i := range shown {
		before = append(before[:0], history...)
		history = s.Strategy.Record(history, shown[i:i+1])
		longest = max(longest, len(history))
		if _, ok := slices.BinarySearch(boundaries, i+1); !ok && len(history) == len(before) {
			continue
		}
		for _, capacity := range []int{len(before), len(history), full} {
			given := placed(before, i%8, max(0, capacity-len(before)))
			got := s.Strategy.Record(given.history, shown[i:i+1])
			if err := difference(got, history); err != nil {
				return fmt.Errorf("article %d with capacity %d grows another history than it does elsewhere: %w", i+1, capacity,
					err)
			}
			if err := given.check(got, max(len(before), len(history))); err != nil {
				return fmt.Errorf("article %d: %w", i+1, err)
			}
		}
	}
	for _, capacity := range []int{0, full} {
		given := placed(nil, 0, capacity)
		got := s.Strategy.Record(given.history, shown)
		if err := difference(got, history); err != nil {
			return fmt.Errorf("%d articles in one request, capacity %d, make another history than one by one: %w", len(shown),
				capacity, err)
		}
		if err := given.check(got, longest); err != nil {
			return fmt.Errorf("%d articles in one request: %w", len(shown), err)
		}
	}
	return nil
}

// mark fills the memory around a history, so that what is read from it or written to it shows.
const mark = 0xff

// A handed is a history as some caller might hand it to Record: at any alignment, with capacity to spare or none.
type handed struct {
	history []byte // what Record gets
	memory  []byte // all of it, history and the marks around it; nil if unknown
	start   int    // where history begins in memory
}

// hand copies h into memory of a random shape. Full is the length of the longest history the strategy makes.
func hand(r *rand.Rand, h []byte, full int) handed {
	spare := 0
	switch r.IntN(4) {
	case 0:
		return handed{history: h} // just as the last Record returned it
	case 1:
		if len(h) == 0 {
			return handed{} // nil, where case 2 and 3 hand over an empty slice
		}
	case 2:
		spare = 1 + r.IntN(64)
	case 3:
		spare = max(full-len(h), 0) + r.IntN(32)
	}
	return placed(h, r.IntN(8), spare)
}

// placed copies h into memory of its own, from byte start on, with spare capacity, marks around it.
func placed(h []byte, start, spare int) handed {
	const guard = 16 // bytes beyond the capacity
	memory := bytes.Repeat([]byte{mark}, start+len(h)+spare+guard)
	copy(memory[start:], h)
	return handed{
		history: memory[start : start+len(h) : start+len(h)+spare],
		memory:  memory,
		start:   start,
	}
}

// check reports where Record, having returned got, broke the manners of append. Longest is the length of the longest
// history on the way there, one article at a time: within that capacity Record may not move, nor write beyond it.
func (h handed) check(got []byte, longest int) error {
	if h.memory == nil || len(got) == 0 {
		return nil
	}
	stayed := unsafe.SliceData(got) == unsafe.SliceData(h.history) && cap(h.history) > 0
	if !stayed && cap(h.history) >= longest {
		return fmt.Errorf("a history of %d bytes, capacity %d, was moved for one of %d bytes: Record has to stay in place",
			len(h.history), cap(h.history), len(got))
	}
	// What lies before the history and beyond its capacity is somebody else's; so is, to a caller that keeps
	// histories in slabs, what lies within the capacity beyond every length on the way.
	from := h.start + cap(h.history)
	if stayed {
		from = h.start + max(len(h.history), longest)
	}
	for i, b := range h.memory {
		if b != mark && (i < h.start || i >= from) {
			return fmt.Errorf("a history of %d bytes, capacity %d, is returned with %d bytes, and Record wrote %#02x at byte %d",
				len(h.history), cap(h.history), len(got), b, i-h.start)
		}
	}
	return nil
}
