package apbf

import (
	"fmt"
	"slices"
)

// Validate accepts nothing, or slices and a header that agree with each other.
func (f *Filter) Validate(history []byte) error {
	if len(history) == 0 {
		return nil
	}
	if !slices.Contains(f.sizes, len(history)) {
		return fmt.Errorf("apbf: history of %d bytes, want 0 or one of %d", len(history), f.sizes)
	}
	s := f.load(history)
	least, most := 0, s.lanes*f.rows-1
	if s.lanes < f.lanes {
		least = (s.lanes - 1) * f.rows // a history is as short as its articles allow
	}
	if s.lanes == 1 && f.lanes > 1 {
		least = f.Hashes - 1
	}
	switch {
	case s.head < least || s.head > most:
		return fmt.Errorf("apbf: the youngest slice is %d in a history of %d bytes, want %d to %d", s.head, len(history), least, most)
	case s.count < 1 || s.count > f.Generation:
		return fmt.Errorf("apbf: the youngest generation holds %d articles, want 1 to %d", s.count, f.Generation)
	case f.array(s.lanes).Padded(history):
		return fmt.Errorf("apbf: a bit is set beyond the last slice")
	}
	return f.validateOnes(history, s)
}

// validateOnes compares the ones of every slice with the articles it holds.
func (f *Filter) validateOnes(history []byte, s state) error {
	var ones [maxSlices]int
	for p := range s.lanes * f.rows {
		ones[p] = f.sweep(history, s.lanes, p, false)
	}
	// Behind the youngest slice the wheel is blank until its first turn is over.
	behind := false
	for p := s.head + 1; p < s.lanes*f.rows; p++ {
		behind = behind || ones[p] > 0
	}
	if behind && s.lanes < f.lanes {
		return fmt.Errorf("apbf: a slice behind the youngest, %d, is not blank", s.head)
	}
	read := (s.head-f.Hashes+1)*f.Generation + s.count
	if s.lanes == f.lanes && (behind || s.head < f.Hashes-1 || s.head == f.slices()-1) { // it may be
		read += 2 * f.slices() * f.Generation
	}
	for age := range s.lanes * f.rows {
		p := s.head - age
		if p < 0 {
			p += s.lanes * f.rows
		}
		if held := f.held(read, age); ones[p] > held || held > 0 && ones[p] == 0 {
			return fmt.Errorf("apbf: %d bits set in slice %d by %d articles", ones[p], p, held)
		}
	}
	return nil
}
