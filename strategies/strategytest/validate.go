package strategytest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"dejavu/strategies"
)

// checkValidate holds Validate to both of its duties: every history that Record returns passes, and whatever
// passes, truncated, extended or corrupted, can be used without a panic. A wrong length never passes.
func checkValidate(s Subject, e effort) error {
	for _, empty := range [][]byte{nil, {}} {
		if err := s.Strategy.Validate(empty); err != nil {
			return fmt.Errorf("the empty history of a newcomer does not pass Validate: %w", err)
		}
	}
	shown := IDs(0x7a11d, s.life())
	// The histories to damage: those around the boundaries, a dozen at most, and those of a few other ages.
	damage := map[int]bool{1: true, 2: true, len(shown) / 3: true, len(shown): true}
	boundaries := s.boundaries()
	for i, at := range boundaries {
		if i%(1+len(boundaries)/6) == 0 {
			damage[at-1], damage[at] = true, true
		}
	}

	var history []byte
	for i := range shown {
		history = s.Strategy.Record(history, shown[i:i+1])
		before := bytes.Clone(history)
		if err := s.Strategy.Validate(history); err != nil {
			return fmt.Errorf("what Record returned after %d articles does not pass Validate: %w", i+1, err)
		}
		if err := difference(history, before); err != nil {
			return fmt.Errorf("the history changed in Validate: %w", err)
		}
		if damage[i+1] {
			if err := checkDamage(s, e, history); err != nil {
				return fmt.Errorf("the history after %d articles, %w", i+1, err)
			}
		}
	}
	return nil
}

// checkDamage damages one history in every way the kit knows.
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

	// Headers lie at one of the ends, so these are damaged bit by bit.
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

// wrongLengths lists lengths to cut or pad a history of the given length to.
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

// errRejected is how tolerates says that Validate did its duty.
var errRejected = errors.New("rejected")

// tolerates uses bytes from outside as a program would, and returns what goes wrong when n articles are asked
// for and shown to that history. Where Validate says no it returns errRejected, unless the history has one of
// Sizes and is made up: even then no call may panic.
func tolerates(s strategies.Strategy, outside []byte, n int) (err error) {
	defer recovered(&err) // its stack says which method it is
	rejected := s.Validate(outside) != nil
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

// Fuzz is the body of a fuzz test: whatever bytes come back as a history, Seen and Record must not panic, and
// where Validate accepts them, what Record returns must pass it again.
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
