package dual

import "fmt"

// Validate accepts nothing, or lanes and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if len(history) == 0 {
		return nil
	}
	if len(history) != f.sizes[0] && len(history) != f.sizes[1] {
		return fmt.Errorf("dual: history of %d bytes, want 0, %d or %d", len(history), f.sizes[0], f.sizes[1])
	}
	lanes, s := f.lanes(history), load(history)
	least, most := 1, f.threshold-1
	if lanes.Count == 2 {
		least, most = f.threshold, f.capacity-1
		if f.blanked {
			least = f.capacity - f.threshold // the slave's lane stays from the first threshold on
		}
	}
	switch {
	case s.count < least || s.count > most:
		return fmt.Errorf("dual: master of %d articles in a history of %d bytes, want %d to %d",
			s.count, len(history), least, most)
	case s.master >= lanes.Count || s.master > 0 && !f.blanked:
		return fmt.Errorf("dual: master is lane %d of %d", s.master, lanes.Count)
	case lanes.Padded(history):
		return fmt.Errorf("dual: a bit is set beyond the last of the %d positions", lanes.Bits)
	}
	ones := lanes.Ones(history, 1<<s.master)
	if ones == 0 || ones > s.count*lanes.Hashes {
		return fmt.Errorf("dual: %d bits set by %d articles of %d hashes", ones, s.count, lanes.Hashes)
	}
	if lanes.Count == 2 {
		slaved := max(0, s.count-f.threshold)
		if ones := lanes.Ones(history, 1<<(1-s.master)); ones > slaved*lanes.Hashes || slaved > 0 && ones == 0 {
			return fmt.Errorf("dual: %d bits set in a slave of %d articles of %d hashes", ones, slaved, lanes.Hashes)
		}
	}
	return nil
}
