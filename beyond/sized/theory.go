package sized

import "dejavu/bloom"

// Bytes is the filter's length and the header's as soon as one article was shown.
func (f *Filter) Bytes(read int) int {
	if read == 0 {
		return 0
	}
	return f.lane.Bytes() + headerBytes
}

// FPR is that of one filter of read articles (bloom.Exact). Beyond the capacity
// it goes on climbing, up to 1.
func (f *Filter) FPR(read int) float64 { return bloom.Exact(read, f.Geometry) }

// Classical is FPR by the textbook approximation (eq. 1, bloom.Classical),
// which is low for filters this small: by 6 % for a hundred bits.
func (f *Filter) Classical(read int) float64 { return bloom.Classical(read, f.Geometry) }

// Window is everything: nothing is ever cleared.
func (f *Filter) Window(read int) int { return read }

// FillTheory is the expected share of ones after read articles (bloom.Fill).
func (f *Filter) FillTheory(read int) float64 { return bloom.Fill(read, f.Geometry) }
