package daily

import (
	"fmt"
	"math/bits"
	"slices"
)

// Validate accepts nothing, or lanes and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if len(history) == 0 {
		return nil
	}
	if !slices.Contains(f.sizes, len(history)) {
		return fmt.Errorf("daily: history of %d bytes, want 0 or one of %d", len(history), f.sizes)
	}
	s := load(history)
	days, oldest := bits.OnesCount32(s.days), bits.Len32(s.days)-1
	switch {
	case s.lanes < 1 || s.lanes > f.Days || f.sizes[s.lanes-1] != len(history):
		return fmt.Errorf("daily: header says %d lanes in a history of %d bytes", s.lanes, len(history))
	case s.head >= s.lanes:
		return fmt.Errorf("daily: the last day has lane %d of %d", s.head, s.lanes)
	case s.days&1 == 0:
		return fmt.Errorf("daily: the last day, %d, has no lane", s.day)
	case oldest >= f.Days || oldest > s.day:
		return fmt.Errorf("daily: a lane is %d days older than day %d, want %d at most", oldest, s.day, min(f.Days-1, s.day))
	case days > s.lanes:
		return fmt.Errorf("daily: header says %d days in %d lanes", days, s.lanes)
	}
	lanes, live := f.lanes(s.lanes), s.newest(days)
	if lanes.Padded(history) {
		return fmt.Errorf("daily: a bit is set beyond the last of the %d positions", lanes.Bits)
	}
	used := lanes.Used(history)
	if wrong := used &^ live; wrong != 0 {
		return fmt.Errorf("daily: a bit is set in lane %d, which is no day's", bits.TrailingZeros64(wrong))
	}
	if wrong := live &^ used; wrong != 0 {
		return fmt.Errorf("daily: no bit is set in lane %d, a day's", bits.TrailingZeros64(wrong))
	}
	return nil
}
