package bloom

import (
	"math"
	"math/big"
)

// Classical returns the textbook false-positive rate of a filter that holds n
// distinct items, f = (1 − e^(−kn/m))^k (the paper's eq. 1). It takes the bits
// for independent and their number for its mean, and so reads low: by 0.16 % at
// 4064/6 with 500 items, by 0.79 % at 812/6 with 100. Exact is the yardstick.
//
// A negative n counts as 0, whose rate is 0. A geometry that Validate rejects
// can tell nothing apart, and its rate is 1.
func Classical(n int, g Geometry) float64 {
	if g.Validate() != nil {
		return 1
	}
	return math.Pow(-math.Expm1(-probes(n, g)/float64(g.Bits)), float64(g.Hashes))
}

// Fill returns the expected share of set bits in a filter that holds n distinct
// items, 1 − (1 − 1/m)^(kn).
//
// A negative n counts as 0, whose fill is 0. The fill of a geometry that
// Validate rejects is 1.
func Fill(n int, g Geometry) float64 {
	if g.Validate() != nil {
		return 1
	}
	t := probes(n, g)
	if t == 0 {
		return 0 // also where m = 1, whose logarithm below is −Inf
	}
	return -math.Expm1(t * math.Log1p(-1/float64(g.Bits)))
}

// Exact returns the false-positive rate of a filter that holds n distinct items
// with nothing approximated: f = E[(I/m)^k], where I is the number of bits that
// kn independent uniform probes have set (Bose et al., "On the false-positive
// rate of Bloom filters", Information Processing Letters 108, 2008; Christensen,
// Roginsky and Jimeno, same journal 110, 2010). The relative error is below
// 1e-12; a rate below the smallest float64 is 0. One call takes some
// microseconds at k = 6, whatever n is.
//
// A negative n counts as 0, whose rate is 0. A geometry that Validate rejects
// can tell nothing apart, and its rate is 1.
func Exact(n int, g Geometry) float64 {
	return ExactShared(g, n)
}

// ExactShared returns the chance that at least one of several filters reports an
// unseen item as a seen one, where all have the geometry g and an item probes
// the same positions in each, as in Lanes; held is how many distinct items each
// filter holds. For one filter it is Exact. For several it is a little below
// the Union of their rates, which takes them for independent: an item two of
// whose probes coincide finds every filter easier at once, by 0.06 % of the
// rate for five full links of the paper's chain.
//
// Negative numbers count as 0, and empty filters add nothing. A geometry that
// Validate rejects can tell nothing apart, and its rate is 1.
func ExactShared(g Geometry, held ...int) float64 {
	if g.Validate() != nil {
		return 1
	}
	// The published forms for one filter sum over the up to m values of I. This
	// one sums over the number D of distinct positions among the k that a fresh
	// item probes, given which the filters are independent:
	//
	//	f = Σ_d P(D = d) · (1 − Π (1 − P(d given positions are all set))).
	prec := uint(0)
	for _, n := range held {
		if n > 0 {
			prec = max(prec, precision(n, Fill(n, g), g))
		}
	}
	if prec == 0 {
		return 0
	}
	distinct := distinctChances(g, prec)
	missed := make([]*big.Float, len(distinct)) // by all filters so far, given D
	for d := range missed {
		missed[d] = newFloat(prec).SetInt64(1)
	}
	var set []*big.Float
	factor := newFloat(prec)
	for i, n := range held {
		if n <= 0 {
			continue
		}
		if i == 0 || n != held[i-1] {
			set = setChances(n, 1, g, prec)
		}
		for d := range missed {
			factor.Sub(one, set[d])
			missed[d].Mul(missed[d], factor)
		}
	}
	sum := newFloat(prec)
	for d := 1; d < len(missed); d++ {
		factor.Sub(one, missed[d])
		sum.Add(sum, factor.Mul(distinct[d], factor))
	}
	return share(sum)
}

// ExactBlocked is Exact where n distinct items are spread over so many filters of the
// geometry g, blocks, each item in one of them: the mean over how many share an unseen
// item's block, Binomial(n, 1/blocks). It has a closed form, for the items are
// independent: j given positions of a block are all clear after n of them with the
// chance (1 − (1 − (1 − j/m)^k) / blocks)^n.
func ExactBlocked(n, blocks int, g Geometry) float64 {
	if n <= 0 {
		return 0
	}
	prec := precision(n, FillBlocked(n, blocks, g), g)
	set := setChances(n, blocks, g, prec)
	sum := newFloat(prec)
	for d, chance := range distinctChances(g, prec) {
		sum.Add(sum, chance.Mul(chance, set[d]))
	}
	return share(sum)
}

// FillBlocked is the Fill that goes with ExactBlocked. It is that of one filter of all
// the bits but for items that meet themselves.
func FillBlocked(n, blocks int, g Geometry) float64 {
	if n <= 0 {
		return 0
	}
	sets := -math.Expm1(float64(g.Hashes)*math.Log1p(-1/float64(g.Bits))) / float64(blocks)
	return -math.Expm1(float64(n) * math.Log1p(-sets))
}

// share is a sum that rounding may have put beside [0, 1].
func share(sum *big.Float) float64 {
	f, _ := sum.Float64()
	return min(max(f, 0), 1)
}

var one = big.NewFloat(1)

// setChances returns the chance that d given positions are all set, for d from
// 0 to min(k, m): by inclusion and exclusion Σ_j (−1)^j C(d,j) a_j with a_j the
// chance that j given positions are all clear (clearChances), which is (−1)^d times
// the d-th difference of a.
func setChances(n, blocks int, g Geometry, prec uint) []*big.Float {
	a := clearChances(n, blocks, g, prec)
	for d := 1; d < len(a); d++ {
		for j := len(a) - 1; j >= d; j-- {
			a[j].Sub(a[j-1], a[j]) // now the d-th difference ending at j
		}
		// a[d] has used up exactly the entries 0 to d, so it is done; a[0] is 1.
	}
	return a
}

// Union returns the chance that at least one of several independent filters
// reports an unseen item as a seen one, 1 − Π(1 − f): the rate of a chain that
// queries all its links. The rates lie in [0, 1]; small ones keep their digits.
// The union of nothing is 0.
func Union(fprs ...float64) float64 {
	var sum float64
	for _, f := range fprs {
		sum += math.Log1p(-f)
	}
	return 0 - math.Expm1(sum) // 0 − 0 is 0, where a minus sign would give −0
}

// throws returns kn, the number of probes that n items set. Above 2^50 items
// nothing changes any more: every bit of a filter of at most MaxBits is set
// but for a chance far below the smallest float64.
func throws(n int, g Geometry) uint64 {
	return min(uint64(max(n, 0)), 1<<50) * uint64(g.Hashes)
}

// probes is throws for the formulas in float64.
func probes(n int, g Geometry) float64 { return float64(throws(n, g)) }

// precision returns how many bits of mantissa make the cancellation inside
// Exact harmless. Rounding adds up to an absolute error of about
// 2^k · kn · 2^−precision, and f is at least Fill^k (Jensen's inequality), so
// the bits below have to cover the logarithms of all three.
func precision(n int, fill float64, g Geometry) uint {
	result := float64(g.Hashes) * -math.Log2(fill)
	result = min(result, 1100) // smaller rates are 0 in float64 anyway
	return 80 + uint(g.Hashes) + uint(math.Log2(probes(n, g))) + uint(result)
}

// clearChances returns a_j = (1 − (1 − (1 − j/m)^k) / blocks)^n, for one block
// (1 − j/m)^(kn), for j from 0 to min(k, m).
func clearChances(n, blocks int, g Geometry, prec uint) []*big.Float {
	number := func(n int) *big.Float { return newFloat(prec).SetInt64(int64(n)) }
	a := make([]*big.Float, min(g.Hashes, g.Bits)+1)
	m, all, others := number(g.Bits), number(blocks), number(blocks-1)
	for j := range a {
		base := number(g.Bits - j)
		if base.Quo(base, m); blocks == 1 {
			a[j] = power(base, throws(n, g))
			continue
		}
		base = power(base, uint64(g.Hashes))
		a[j] = power(base.Quo(base.Add(base, others), all), uint64(n))
	}
	return a
}

// power is x^n, and uses x up.
func power(x *big.Float, n uint64) *big.Float {
	result := newFloat(x.Prec()).SetInt64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result.Mul(result, x)
		}
		x.Mul(x, x)
	}
	return result
}

// Distinct returns the chance that the k uniform probes of an item meet exactly d
// distinct positions, for d from 0 to min(k, m). The next probe repeats one of
// the d met so far with chance d/m.
func Distinct(g Geometry) []float64 {
	m, c := float64(g.Bits), make([]float64, min(g.Hashes, g.Bits)+1)
	c[0] = 1
	for range g.Hashes {
		for d := len(c) - 1; d >= 1; d-- { // downwards: c[d-1] is still the old one
			c[d] = (c[d]*float64(d) + c[d-1]*(m-float64(d-1))) / m
		}
		c[0] = 0
	}
	return c
}

// distinctChances is Distinct in any precision.
func distinctChances(g Geometry, prec uint) []*big.Float {
	c := make([]*big.Float, min(g.Hashes, g.Bits)+1)
	for d := range c {
		c[d] = newFloat(prec)
	}
	c[0].SetInt64(1)
	m := newFloat(prec).SetInt64(int64(g.Bits))
	repeat, fresh := newFloat(prec), newFloat(prec)
	for range g.Hashes {
		for d := len(c) - 1; d >= 1; d-- {
			repeat.Mul(c[d], repeat.SetInt64(int64(d)))
			fresh.Mul(c[d-1], fresh.SetInt64(int64(g.Bits-d+1)))
			c[d].Quo(c[d].Add(repeat, fresh), m)
		}
		c[0].SetInt64(0)
	}
	return c
}

// newFloat returns a zero that rounds every result to prec bits.
func newFloat(prec uint) *big.Float { return new(big.Float).SetPrec(prec) }

// WindowBound is how many bits any structure needs that remembers the last n
// articles for certain, may remember up to slack more, and takes what is older or
// fresh for seen with a probability of at most fpr (Naor and Yogev, "Sliding Bloom
// filters", 2013): n·log2(1/fpr) + n·max(log2(n/slack), log2 log2(1/fpr)), but for
// a term of order n that they leave open and that is left out here, so that a
// structure may lie a little below it. n and slack are at least 1, fpr is in (0, 1/2].
func WindowBound(n, slack int, fpr float64) float64 {
	bits := -math.Log2(fpr)
	return float64(n) * (bits + max(math.Log2(float64(n)/float64(slack)), math.Log2(bits)))
}
