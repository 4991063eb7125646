package rolling

import "dejavu/bloom"

// held is how many articles are remembered after read articles: the present
// generation's, which begins with the article that needs room, and two whole
// generations before it.
func (f *Filter) held(read int) int {
	if read == 0 {
		return 0
	}
	present := (read-1)%f.Generation + 1
	before := min((read-1)/f.Generation, generations-1)
	return before*f.Generation + present
}

// Bytes is one bit a position in the first generation, two after it, and the
// header.
func (f *Filter) Bytes(read int) int {
	switch {
	case read == 0:
		return 0
	case read <= f.Generation:
		return f.sizes[0]
	default:
		return f.sizes[1]
	}
}

// FPR is that of one filter of all the articles remembered (bloom.Exact): the
// positions that hold a tag are just those that these articles probe, whoever
// wrote them last.
func (f *Filter) FPR(read int) float64 { return bloom.Exact(f.held(read), f.Geometry) }

// Classical is FPR by the textbook approximation (bloom.Classical).
func (f *Filter) Classical(read int) float64 { return bloom.Classical(f.held(read), f.Geometry) }

// Window is everything that is remembered: 2*Generation + 1 to 3*Generation
// articles from the third generation on.
func (f *Filter) Window(read int) int { return f.held(read) }

// Fill counts the positions that hold a tag, and all of them.
func (f *Filter) Fill(history []byte) (ones, of int) {
	switch {
	case len(history) == 0:
		return 0, f.Geometry.Bits
	case f.young(history):
		return f.first.Ones(history, 1), f.Geometry.Bits
	}
	array := history[:f.tags.Bytes()]
	for tag := uint64(1); tag <= generations; tag++ {
		ones += tagged(array, tag)
	}
	return ones, f.Geometry.Bits
}

// FillTheory is the expected share of positions that hold a tag after read
// articles (bloom.Fill).
func (f *Filter) FillTheory(read int) float64 { return bloom.Fill(f.held(read), f.Geometry) }
