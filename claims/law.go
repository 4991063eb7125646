package claims

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// A law is how an estimate scatters around the truth. below and above are the chance of an estimate as small,
// or as large, as the one at hand or beyond, where the truth is bound.
type law interface {
	below(bound float64) float64
	above(bound float64) float64
}

// normal is an estimate with a standard error, 0 for a number without error.
type normal struct{ value, stdErr float64 }

func (n normal) below(bound float64) float64 { return normalTail(bound-n.value, n.stdErr) }
func (n normal) above(bound float64) float64 { return normalTail(n.value-bound, n.stdErr) }

// normalTail is the chance of lying that far, or farther, on one side.
func normalTail(distance, stdErr float64) float64 {
	switch {
	case stdErr == 0 && distance <= 0:
		return 1
	case stdErr == 0:
		return 0
	}
	return 0.5 * math.Erfc(distance/stdErr/math.Sqrt2)
}

// logNormal is a quotient of two estimates: its logarithm is normal.
type logNormal struct{ value, stdErr float64 }

func (l logNormal) below(bound float64) float64 {
	if bound <= 0 {
		return 1
	}
	return normalTail(math.Log(bound/l.value), l.stdErr)
}

func (l logNormal) above(bound float64) float64 {
	if bound <= 0 {
		return 0
	}
	return normalTail(math.Log(l.value/bound), l.stdErr)
}

// binomial is hits among independent queries: the exact law of few hits.
type binomial struct{ hits, queries float64 }

func (b binomial) below(bound float64) float64 {
	switch {
	case bound <= 0 || b.hits >= b.queries:
		return 1
	case bound >= 1:
		return 0
	default:
		return mathext.RegIncBeta(b.queries-b.hits, b.hits+1, 1-bound)
	}
}

func (b binomial) above(bound float64) float64 {
	switch {
	case bound < 0:
		return 0
	case b.hits <= 0 || bound >= 1:
		return 1
	case bound == 0:
		return 0
	default:
		return mathext.RegIncBeta(b.hits, b.queries-b.hits+1, bound)
	}
}

// bounded is a mean of so many numbers between 0 and 1 of which nothing else is known (Hoeffding, Probability
// inequalities for sums of bounded random variables, 1963).
type bounded struct{ value, count float64 }

func (h bounded) below(bound float64) float64 { return h.tail(bound - h.value) }
func (h bounded) above(bound float64) float64 { return h.tail(h.value - bound) }

func (h bounded) tail(distance float64) float64 {
	if distance <= 0 {
		return 1
	}
	return math.Exp(-2 * h.count * distance * distance)
}

// margin is half the width of the 95 % interval.
func (h bounded) margin() float64 { return math.Sqrt(math.Log(2/0.05) / (2 * h.count)) }

// unknown is an estimate of which only the interval is known: it proves nothing.
type unknown struct{}

func (unknown) below(float64) float64 { return 1 }
func (unknown) above(float64) float64 { return 1 }

// twoSided is the two-sided p-value of a one-sided one, so that the 95 %
// interval and a p-value of 5 % say the same.
func twoSided(p float64) float64 { return min(1, 2*p) }

// z95 is the standard errors that a 95 % interval reaches to either side.
var z95 = distuv.UnitNormal.Quantile(0.975)

// Alpha is the most that the chance may be of even one wrong refutation among all claims that rest on
// measured rates, and of even one that is wrongly upheld. A true claim can only fall to the first and a false
// one to the second, but a ledger has both, so that its chance of any wrong verdict is at most twice Alpha.
const Alpha = 0.05

// Holm adjusts p-values for having been looked at together (Holm, A simple sequentially rejective multiple
// test procedure, 1979): rejecting where the adjusted value is at most α keeps the chance of any wrong
// rejection at most α, however the tests depend on each other. The result has the order of p, and no value
// above 1.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	adjusted := make([]float64, len(p))
	most := 0.
	for rank, i := range order {
		// A larger p never becomes the smaller one.
		most = max(most, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = most
	}
	return adjusted
}
