package strategytest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"dejavu/strategies"
)

// checkValidate checks both duties of Validate: every history that Record returns passes, and whatever passes,
// truncated, extended or corrupted, can be used without a panic. A wrong length never passes.
func checkValidate(s Subject, e effort) error {
	for _, empty := range [][]byte{nil, {}} {
		if err := s.Strategy.Validate(empty); err != nil {
			return fmt.Errorf("the empty history of a newcomer does not pass Validate: %w", err)
		}
	}
	shown := IDs(0x7a11d, s.life())
	// The histories to damage: at most a dozen around the boundaries, and a few other ages.
	damage := map[int]bool{2: true, len(shown) / 3: true, len(shown): true}
	boundaries := s.boundaries()
	for i, at := range boundaries {
		if i%(1+len(boundaries)/6) == 0 {
			damage[at-1], damage[at] = true, true
		}
	}

	var history []byte
	damaged := 0
	for i := range shown {
		history = s.Strategy.Record(history, shown[i:i+1])
		before := bytes.Clone(history)
		if err := s.Strategy.Validate(history); err != nil {
			return fmt.Errorf("what Record returned after %d articles does not pass Validate: %w", i+1, err)
		}
		if err := difference(history, before); err != nil {
			return fmt.Errorf("the history changed in Validate: %w", err)
		}
		if damage[i+1] && damaged < e.damaged {
			damaged++
			if err := checkDamage(s, e, history); err != nil {
				return fmt.Errorf("the history after %d articles, %w", i+1, err)
			}
		}
	}
	return nil
}

func checkDamage(s Subject, e effort, history []byte) error {
	sizes := s.Strategy.Sizes()
	for _, length := range wrongLengths(len(history), slices.Max(sizes)) {
		for _, pad := range []byte{0, 0xff} {
			damaged := bytes.Repeat([]byte{pad}, length)
			copy(damaged, history)
			err := tolerates(s.Strategy, damaged, 1)
			if errors.Is(err, errRejected) {
				continue
			}
			if err != nil {
				return fmt.Errorf("cut or padded to %d bytes: %w", length, err)
			}
			if _, ok := slices.BinarySearch(sizes, length); !ok {
				return fmt.Errorf("cut or padded to %d bytes: Validate accepts a length that is not one of Sizes", length)
			}
		}
	}

	// Headers lie at one of the ends, so the ends are damaged bit by bit.
	const end = 24
	stride := 1 + len(history)/e.corruptions
	damaged := make([]byte, len(history))
	for i := range history {
		flips := []byte{0xff, 0x01, 0x80}
		if i < end || i >= len(history)-end {
			flips = []byte{0xff, 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x7f, history[i]}
		} else if i%stride != 0 {
			continue
		}
		for n, flip := range flips {
			copy(damaged, history)
			damaged[i] ^= flip
			length := 1 + 150*(n%2)
			if i == 0 || i == len(history)-1 {
				length = s.life() // far enough to meet every boundary again
			}
			if err := tolerates(s.Strategy, damaged, length); err != nil && !errors.Is(err, errRejected) {
				return fmt.Errorf("byte %d changed from %#02x to %#02x: %w", i, history[i], history[i]^flip, err)
			}
		}
	}
	return nil
}

func wrongLengths(length, full int) []int {
	var lengths []int
	stride := 1 + length/200
	for n := 1; n < length; n++ {
		if n <= 16 || n >= length-16 || n%stride == 0 {
			lengths = append(lengths, n)
		}
	}
	for n := 1; n <= 16; n++ {
		lengths = append(lengths, length+n, full+n)
	}
	return append(lengths, 2*length, 2*full, 1<<16)
}

var errRejected = errors.New("rejected")

// tolerates uses bytes from outside as a program would, with n articles, and returns what goes wrong. If Validate
// rejects the bytes it returns errRejected; if their length is one of Sizes, even then no call may panic.
func tolerates(s strategies.Strategy, outside []byte, n int) (err error) {
	rejected := false
	defer func() {
		if rejected && err != nil && !errors.Is(err, errRejected) {
			err = fmt.Errorf("it fails Validate, but as its length is one of Sizes no method may fail: %w", err)
		}
	}()
	defer recovered(&err) // its stack says which method it is
	rejected = s.Validate(outside) != nil
	if _, ok := slices.BinarySearch(s.Sizes(), len(outside)); rejected && !ok {
		return errRejected
	}
	ids := IDs(uint64(n), n)
	seen := make([]bool, n)
	before := bytes.Clone(outside)

	s.Seen(outside, ids, seen)
	if err := difference(outside, before); err != nil {
		return fmt.Errorf("it changed in Validate or Seen: %w", err)
	}
	after := outside[:len(outside):len(outside)]
	if deleter, ok := s.(strategies.Deleter); ok && rejected {
		after = deleter.Delete(after, ids[:n/2])
	}
	after = s.Record(after, ids)
	if len(after) == 0 && len(outside) == 0 && n == 0 {
		return nil // still a newcomer
	}
	if _, ok := slices.BinarySearch(s.Sizes(), len(after)); !ok {
		return fmt.Errorf("recording %d articles makes it %d bytes long, which is not one of Sizes", n, len(after))
	}
	if rejected {
		return errRejected
	}
	if err := s.Validate(after); err != nil {
		return fmt.Errorf("it passes Validate, but what Record of %d articles makes of it does not: %w", n, err)
	}
	s.Seen(after, ids, seen)
	return nil
}

// Fuzz is the body of a fuzz test: Seen and Record must not panic on any bytes, nor make what Validate accepts invalid.
func Fuzz(f *testing.F, s strategies.Strategy) {
	const most = 2000 // articles shown to one history
	shown := IDs(0xf022, most)
	f.Add([]byte(nil), uint16(1))
	for _, read := range []int{1, 99, 100, 101, 300, 499, 500, 501, 1234} {
		history := s.Record(nil, shown[:read])
		f.Add(history, uint16(0))
		f.Add(history, uint16(1))
		f.Add(history, uint16(600))
		f.Add(history[:len(history)-1], uint16(1))
	}
	for _, size := range s.Sizes() {
		f.Add(make([]byte, size), uint16(1))
	}
	f.Fuzz(func(t *testing.T, history []byte, n uint16) {
		if err := tolerates(s, history, int(n)%most); err != nil && !errors.Is(err, errRejected) {
			t.Error(err)
		}
	})
}

// checkGrowth takes every step at which the history changes its length, and every boundary, in memory with no spare
// room, with just enough, and with room for the longest history: Record's result must not depend on the memory.
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

// mark fills the memory around a history, so that reads and writes outside it show.
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
	return handed{memory[start : start+len(h) : start+len(h)+spare], memory, start}
}

// check reports where Record, having returned got, broke the manners of append. Longest is the length of the longest
// history on the way there, one article at a time: within that capacity Record may not move, nor write beyond it.
func (h handed) check(got []byte, longest int) error {
	if h.memory == nil || len(got) == 0 {
		return nil
	}
	stayed := unsafe.SliceData(got) == unsafe.SliceData(h.history) && cap(h.history) > 0
	if !stayed && cap(h.history) >= longest {
		return fmt.Errorf("Record moved a history of %d bytes, capacity %d, to one of %d bytes. Article by article it needs "+
			"at most %d, so it has to stay in place", len(h.history), cap(h.history), len(got), longest)
	}
	// What lies before the history and beyond its capacity is somebody else's, and so is room that no step needs.
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
