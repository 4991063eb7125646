package describe

import "slices"

// A Skew is how unevenly exposures lie.
type Skew struct {
	N         int64              // users, or articles
	Sum       int64              // their exposures
	Quantiles [len(Levels)]int64 // at Levels
	Once      int64              // of N, how many have one exposure
	Top       int64              // exposures of the hundredth part with the most, rounded up
	Gini      float64            // 0 where all have as many, near 1 where one has them all
}

// Levels are the levels of Skew's quantiles; the last is the most there is.
var Levels = [...]float64{0.1, 0.5, 0.9, 0.99, 0.999, 1}

// skewOf sorts the counts, those of 0 not being there.
func skewOf(counts []uint32) (s Skew) {
	slices.Sort(counts)
	for len(counts) > 0 && counts[0] == 0 {
		counts = counts[1:]
	}
	n := len(counts)
	if s.N = int64(n); n == 0 {
		return s
	}
	weighted := 0. // exact up to 2^53, and near enough beyond
	for i, c := range counts {
		s.Sum += int64(c)
		weighted += float64(i+1) * float64(c)
		if c == 1 {
			s.Once++
		}
		if i >= n-(n+99)/100 {
			s.Top += int64(c)
		}
	}
	for i, level := range Levels {
		s.Quantiles[i] = int64(counts[max(0, min(n, int(level*float64(n)+0.999999))-1)])
	}
	s.Gini = max(0, 2*weighted/(float64(n)*float64(s.Sum))-float64(n+1)/float64(n))
	return s
}
