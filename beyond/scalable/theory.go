package scalable

import "dejavu/bloom"

// held is, after read articles, the newest stage and how many articles that holds, which is more than its
// capacity only where it is the last. The next stage begins with the article that needs it.
func (f *Filter) held(read int) (newest, count int) {
	for newest < len(f.stages)-1 && read > f.stages[newest].capacity {
		read -= f.stages[newest].capacity
		newest++
	}
	return newest, read
}

// Bytes is the stages in use and the header.
func (f *Filter) Bytes(read int) int {
	newest, _ := f.held(read)
	return f.SizeAt(read, newest)
}

// FPR is the union of the stages, full but for the newest, with the exact rate of each (bloom.Exact): they
// are independent. Until the last stage is full it is at most Config.FPR, which even the sum of the rates is.
func (f *Filter) FPR(read int) float64 {
	newest, count := f.held(read)
	return bloom.Union(f.full[newest], bloom.Exact(count, f.stages[newest].Geometry()))
}

// Asymptotic is FPR with the rates of the stages by the textbook approximation (bloom.Asymptotic).
func (f *Filter) Asymptotic(read int) float64 {
	newest, count := f.held(read)
	rate := bloom.Asymptotic(count, f.stages[newest].Geometry())
	for _, s := range f.stages[:newest] {
		rate = bloom.Union(rate, bloom.Asymptotic(s.capacity, s.Geometry()))
	}
	return rate
}

// Window is everything: nothing is ever cleared.
func (f *Filter) Window(read int) int { return read }

// Capacity is how many articles all stages take before the rate leaves its bound.
func (f *Filter) Capacity() int {
	total := 0
	for _, s := range f.stages {
		total += s.capacity
	}
	return total
}

// Fill counts the set bits in all stages in use, and their bits.
func (f *Filter) Fill(history []byte) (ones, of int) {
	for _, s := range f.stages[:f.Index(history)+1] {
		set, bits := s.Lanes.Fill(history[s.at:], 1)
		ones, of = ones+set, of+bits
	}
	return ones, of
}

// FillTheory is the expected share of set bits in the stages in use after read articles (bloom.Fill).
func (f *Filter) FillTheory(read int) float64 {
	newest, count := f.held(read)
	ones, of := 0., 0
	for i, s := range f.stages[:newest+1] {
		n := s.capacity
		if i == newest {
			n = count
		}
		g := s.Geometry()
		ones, of = ones+float64(g.Bits)*bloom.Fill(n, g), of+g.Bits
	}
	return ones / float64(of)
}
