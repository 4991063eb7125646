package confirmed

import (
	"fmt"
	"slices"
)

// Sizes is every list with every inner history that can follow it.
func (s *Strategy) Sizes() []int { return s.sizes }

// Validate accepts nothing, or a list whose header fits its length, and behind
// it what the inner strategy accepts.
func (s *Strategy) Validate(history []byte) error {
	if len(history) == 0 {
		return nil
	}
	if _, found := slices.BinarySearch(s.sizes, len(history)); !found {
		return fmt.Errorf("confirmed: history of %d bytes, want 0 or one of %d", len(history), s.sizes)
	}
	l := load(history)
	switch {
	case l.count < 1 || l.count > s.Last:
		return fmt.Errorf("confirmed: %d articles are listed, want 1 to %d", l.count, s.Last)
	case l.count < s.Last && l.next != l.count, l.next >= s.Last:
		return fmt.Errorf("confirmed: next slot is %d after %d articles of %d", l.next, l.count, s.Last)
	}
	front := s.front(l.count)
	if len(history) < front {
		return fmt.Errorf("confirmed: %d articles are listed in a history of %d bytes", l.count, len(history))
	}
	for _, b := range history[headerBytes+l.count*idBytes : front] {
		if b != 0 {
			return fmt.Errorf("confirmed: a slot beyond the %d articles is not blank", l.count)
		}
	}
	inner := history[front:]
	switch {
	case s.Rule == Ahead && l.count < s.Last && len(inner) > 0:
		return fmt.Errorf("confirmed: %d bytes of older articles behind a list of %d, of %d slots", len(inner), l.count, s.Last)
	case s.Rule != Ahead && len(inner) == 0:
		return fmt.Errorf("confirmed: no inner history behind a list of %d", l.count)
	}
	if err := s.Inner.Validate(inner); err != nil {
		return fmt.Errorf("confirmed: behind the list: %w", err)
	}
	return nil
}
