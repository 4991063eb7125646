package dual

import "dejavu/bloom"

// held is how many articles the master holds after read articles: all of them
// below Capacity, and then Capacity-Threshold to Capacity-1 in turn (§6).
func (f *Filter) held(read int) int {
	if read < f.capacity {
		return read
	}
	return f.capacity - f.threshold + (read-f.capacity)%f.threshold
}

// Bytes is one lane or two, and the header.
func (f *Filter) Bytes(read int) int {
	switch {
	case read == 0:
		return 0
	case f.held(read) >= f.threshold || f.blanked && read >= f.threshold:
		return f.sizes[1]
	default:
		return f.sizes[0]
	}
}

// FPR is the master's alone (bloom.Exact).
func (f *Filter) FPR(read int) float64 { return bloom.Exact(f.held(read), f.one.Geometry) }

// Classical is FPR by the textbook approximation (eq. 1, bloom.Classical).
func (f *Filter) Classical(read int) float64 { return bloom.Classical(f.held(read), f.one.Geometry) }

// Window is what the master holds.
func (f *Filter) Window(read int) int { return f.held(read) }

// Fill counts the ones in the master, and its bits.
func (f *Filter) Fill(history []byte) (ones, of int) {
	if len(history) == 0 {
		return 0, f.one.Bits
	}
	return f.lanes(history).Ones(history, 1<<load(history).master), f.one.Bits
}

// FillTheory is the master's expected share of ones after read articles (bloom.Fill).
func (f *Filter) FillTheory(read int) float64 { return bloom.Fill(f.held(read), f.one.Geometry) }
