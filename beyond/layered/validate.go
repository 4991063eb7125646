package layered

import (
	"fmt"
	"slices"
)

var names = [Layers]string{"day", "week", "all time"}

// Validate accepts nothing, or layers and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if len(history) == 0 {
		return nil
	}
	if !slices.Contains(f.sizes, len(history)) {
		return fmt.Errorf("layered: history of %d bytes, want 0 or one of %d", len(history), f.sizes)
	}
	s := load(history)
	if s.layers < 1 || s.layers > Layers || f.Moved && len(history) != f.sizes[s.layers-1] || !f.Moved && s.layers != Layers {
		return fmt.Errorf("layered: header says %d layers in a history of %d bytes", s.layers, len(history))
	}
	if f.Moved {
		return f.validateMoved(history, s)
	}
	for i := range f.layers {
		l, array := f.layer(history, i)
		if l.Padded(array) {
			return fmt.Errorf("layered: a bit is set beyond the last of the %d positions of the layer of %s", l.Bits, names[i])
		}
		if l.Ones(array, 1) == 0 {
			return fmt.Errorf("layered: no bit is set in the layer of %s", names[i])
		}
	}
	return nil
}

func (f *Filter) validateMoved(history []byte, s state) error {
	lanes := f.lanes(s.layers)
	if lanes.Padded(history) {
		return fmt.Errorf("layered: a bit is set beyond the last of the %d positions", lanes.Bits)
	}
	// The week's layer is blank on its first day.
	wanted := uint64(1)<<s.layers - 1
	if s.layers == Layers {
		wanted = 0b101
	}
	if used := lanes.Used(history); used&wanted != wanted {
		return fmt.Errorf("layered: bits are set in the lanes %b, want them in %b", used, wanted)
	}
	return nil
}
