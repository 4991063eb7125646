package counting

import (
	"math"

	"dejavu/bloom"
)

// Theory is for distinct articles, none of which was taken back. Taking one back
// that was recorded leaves the history of the others, unless a counter has
// reached its end.

// Bytes is the filter's length as soon as one article was shown.
func (f *Filter) Bytes(read int) int {
	if read == 0 {
		return 0
	}
	return f.sizes[0]
}

// FPR is that of a Bloom filter of read articles (bloom.Exact): a counter above 0
// is its bit.
func (f *Filter) FPR(read int) float64 { return bloom.Exact(read, f.geometry) }

// Classical is FPR by the textbook approximation (bloom.Classical).
func (f *Filter) Classical(read int) float64 { return bloom.Classical(read, f.geometry) }

// Window is everything: nothing is ever cleared.
func (f *Filter) Window(read int) int { return read }

// FillTheory is the expected share of counters above 0 after read articles
// (bloom.Fill).
func (f *Filter) FillTheory(read int) float64 { return bloom.Fill(read, f.geometry) }

// Saturated is the chance that a given counter has reached its end after read
// articles: that 15 of them or more have it among their positions, each with the
// chance 1 − (1 − 1/m)^k. Times m it is how many counters have. (Fan et al. bound
// the chance that any counter passes 15 by 1.37e-15·m, at k = (m/n)·ln 2.)
func (f *Filter) Saturated(read int) float64 {
	return binomialTail(read, bloom.Fill(1, f.geometry), most)
}

// binomialTail is the chance of at least k successes in n trials of chance p.
func binomialTail(n int, p float64, k int) float64 {
	if n < k {
		return 0
	}
	if p >= 1 {
		return 1
	}
	q := math.Log1p(-p)
	if p*float64(n) > float64(k) { // the other tail is the shorter one
		below := 0.
		for i := range k {
			below += math.Exp(logChoose(n, i) + float64(i)*math.Log(p) + float64(n-i)*q)
		}
		return max(0, 1-below)
	}
	term := math.Exp(logChoose(n, k) + float64(k)*math.Log(p) + float64(n-k)*q)
	sum := 0.
	for i := k; i <= n && term > sum*1e-17; i++ {
		sum += term
		term *= float64(n-i) / float64(i+1) * p / (1 - p)
	}
	return sum
}

// logChoose is the logarithm of n over k.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// LostByOne is how many of read articles are forgotten, in the mean, when one
// false positive is taken back: n·(1 − e(n−1)/e(n)), where e is the rate (FPR).
//
// Deleting the false positive y makes the filter forget x where one of their
// common counters stands at 1, that is, where y would not be taken for seen if x
// had not been recorded. So x survives together with y's being a false positive
// exactly where y is one of a filter of the n−1 others, with the chance e(n−1).
// Counters at their end are left out of account; they only help. It is about
// k·λ/(e^λ − 1) with λ = kn/m: k of an empty filter's articles, if it has as many,
// and k·ln 2 of one that is half full.
func (f *Filter) LostByOne(read int) float64 {
	if read < 1 {
		return 0
	}
	return float64(read) * (1 - f.FPR(read-1)/f.FPR(read))
}

// Lost is the share, in [0, 1], of read articles that are forgotten when false
// positives are taken back one after the other, each of the given number taken
// for seen until then. It is a mean-field approximation, the limit of many
// counters, and there as good as LostByOne for the first.
//
// Every deletion takes ones from k counters, as good as chosen among those above
// 0, whose share is z. So each of these loses ones at the same rate, and after a
// time s, in which it would have lost s, has lost a Poisson number of them with
// mean s. A counter began with a Poisson number of mean λ = kn/m, and an article's
// own with one more; d deletions last until kd/m is the integral of z over s.
func (f *Filter) Lost(read, deleted int) float64 {
	if read < 1 || deleted < 1 {
		return 0
	}
	k, m := float64(f.geometry.Hashes), float64(f.geometry.Bits)
	lambda := k * float64(read) / m
	ones := k * float64(deleted) / m // to lose, a counter
	if ones >= lambda {
		return 1 // more than there are
	}
	const steps = 256
	s, step := 0., ones/steps
	for range steps { // ds = d(ones)/z, by the midpoint rule
		half := s + step/2/above(lambda, s, 0)
		s += step / above(lambda, half, 0)
	}
	return 1 - math.Pow(above(lambda, s, 1), k)
}

// above is the chance that a Poisson number of mean lambda, and extra, are more
// than one of mean s.
func above(lambda, s float64, extra int) float64 {
	// sum over j of P(S = j)·P(L > j − extra)
	sum, atS := 0., math.Exp(-s)
	atL, tail := math.Exp(-lambda), 1.0 // tail is P(L >= i)
	i := 0                              // of L
	for j := 0; j < 400; j++ {
		for i < j-extra+1 { // until tail is P(L > j - extra)
			tail -= atL
			i++
			atL *= lambda / float64(i)
		}
		if tail <= 0 {
			break
		}
		sum += atS * tail
		atS *= s / float64(j+1)
	}
	return sum
}
