package blocked

import (
	"math"
	"math/big"

	"dejavu/bloom"
)

// FPR is the mean over how many of the read articles fall into an unseen
// article's block, Binomial(read, 1/Blocks), of the exact rate of one filter of
// that many in BlockBits bits (bloom.Exact); it has no limit but 1. Putze et al.
// (2007), eq. 3, have the Poisson distribution and the textbook rate instead,
// which is Classical.
func (f *Filter) FPR(read int) float64 { return rate(read, f.Blocks, f.inBlock()) }

// Classical is FPR by the approximation of Putze et al. (2007), eq. 3: the mean
// over the Poisson distribution of the textbook rate (bloom.Classical).
func (f *Filter) Classical(read int) float64 {
	mean, sum := float64(max(read, 0))/float64(f.Blocks), 0.0
	spread := 12*math.Sqrt(mean) + 40 // beyond it nothing is left
	for j := max(0, int(mean-spread)); j <= int(mean+spread); j++ {
		log, _ := math.Lgamma(float64(j) + 1)
		chance := math.Exp(float64(j)*math.Log(mean) - mean - log)
		if j == 0 {
			chance = math.Exp(-mean)
		}
		sum += chance * bloom.Classical(j, f.inBlock())
	}
	return min(sum, 1)
}

// Window is everything: nothing is ever cleared.
func (f *Filter) Window(read int) int { return read }

// FillTheory is the expected share of set bits after read articles. It is that of a
// single filter but for articles that meet themselves: a bit stays clear with
// the chance 1 - (1 - (1 - 1/BlockBits)^Hashes)/Blocks each.
func (f *Filter) FillTheory(read int) float64 { return fill(read, f.Blocks, f.inBlock()) }

// inBlock is the geometry of one block.
func (f *Filter) inBlock() bloom.Geometry {
	return bloom.Geometry{Bits: BlockBits, Hashes: f.Hashes}
}

func fill(n, blocks int, g bloom.Geometry) float64 {
	if n <= 0 {
		return 0
	}
	sets := -math.Expm1(float64(g.Hashes)*math.Log1p(-1/float64(g.Bits))) / float64(blocks)
	return -math.Expm1(float64(n) * math.Log1p(-sets))
}

// rate is the false-positive rate of n distinct articles in a number of blocks
// of geometry g each. The mean of bloom.Exact over Binomial(n, 1/blocks) has a
// closed form, for the articles are independent: j given bits of one block are
// all clear after n of them with the chance
//
//	a_j = (1 - (1 - (1 - j/m)^k) / blocks)^n,
//
// so that d given bits are all set with the chance Σ_j (-1)^j C(d,j) a_j, by
// inclusion and exclusion, and f = Σ_d P(D = d) of these, where D is how many
// distinct bits an unseen article probes. The terms cancel, and so are computed
// with as many digits as that costs.
func rate(n, blocks int, g bloom.Geometry) float64 {
	if n <= 0 {
		return 0
	}
	// f is at least fill^k, by Jensen's inequality, and the differences lose
	// at most 2^k of the rounding errors of the powers.
	result := min(float64(g.Hashes)*-math.Log2(fill(n, blocks, g)), 1100)
	prec := 80 + uint(g.Hashes) + uint(math.Log2(float64(n)*float64(g.Hashes))) + uint(result)
	number := func(i int) *big.Float { return new(big.Float).SetPrec(prec).SetInt64(int64(i)) }

	a := make([]*big.Float, min(g.Hashes, g.Bits)+1)
	for j := range a {
		a[j] = power(number(0).Quo(number(g.Bits-j), number(g.Bits)), g.Hashes)
		a[j].Add(a[j], number(blocks-1))
		a[j] = power(a[j].Quo(a[j], number(blocks)), n)
	}
	for d := 1; d < len(a); d++ { // afterwards a[d] is the d-th difference
		for j := len(a) - 1; j >= d; j-- {
			a[j].Sub(a[j-1], a[j])
		}
	}
	sum := number(0)
	for d, chance := range bloom.Distinct(g) {
		sum.Add(sum, number(0).Mul(a[d], number(0).SetFloat64(chance)))
	}
	f, _ := sum.Float64()
	return min(max(f, 0), 1)
}

// power is x^n, and uses x up.
func power(x *big.Float, n int) *big.Float {
	result := new(big.Float).SetPrec(x.Prec()).SetInt64(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result.Mul(result, x)
		}
		x.Mul(x, x)
	}
	return result
}

// smallest is the least number of blocks, up to limit, with which k hashes meet
// fpr at n articles, or limit+1 where none does: the rate falls as blocks are
// added, for each then gets fewer articles.
func smallest(n, k, limit int, fpr float64) int {
	g := bloom.Geometry{Bits: BlockBits, Hashes: k}
	// The fill alone rules out most numbers for the price of some logarithms.
	possible := func(blocks int) bool {
		return math.Pow(fill(n, blocks, g), float64(k)) <= fpr*(1+1e-9)
	}
	meets := func(blocks int) bool { return rate(n, blocks, g) <= fpr }
	return bloom.Least(1, limit, possible, meets)
}
