package single

import "dejavu/bloom"

// Bytes is the filter's length as soon as one article was shown.
func (f *Filter) Bytes(read int) int {
	if read == 0 {
		return 0
	}
	return f.sizes[0]
}

// FPR is that of one filter of read articles (bloom.Exact); it has no limit
// but 1.
func (f *Filter) FPR(read int) float64 { return bloom.Exact(read, f.lane.Geometry) }

// Classical is FPR by the textbook approximation (eq. 1, bloom.Classical),
// which is a little low for filters this small.
func (f *Filter) Classical(read int) float64 { return bloom.Classical(read, f.lane.Geometry) }

// Window is everything: nothing is ever cleared.
func (f *Filter) Window(read int) int { return read }

// FillTheory is the expected share of ones after read articles (bloom.Fill).
func (f *Filter) FillTheory(read int) float64 { return bloom.Fill(read, f.lane.Geometry) }
