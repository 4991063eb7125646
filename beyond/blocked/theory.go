package blocked

import (
	"math"

	"dejavu/bloom"
)

// FPR is the mean over how many of the read articles fall into an unseen article's block, Binomial(read,
// 1/Blocks), of the exact rate of one filter of that many in BlockBits bits (bloom.ExactBlocked); it has no
// limit but 1. Putze et al. (2007), eq. 3, have the Poisson distribution and the textbook rate instead, which
// is Asymptotic.
func (f *Filter) FPR(read int) float64 { return bloom.ExactBlocked(read, f.config.Blocks, f.inBlock()) }

// Asymptotic is FPR by the approximation of Putze et al. (2007), eq. 3: the mean
// over the Poisson distribution of the textbook rate (bloom.Asymptotic).
func (f *Filter) Asymptotic(read int) float64 {
	mean, sum := float64(max(read, 0))/float64(f.config.Blocks), 0.0
	spread := 12*math.Sqrt(mean) + 40                               // beyond it nothing is left
	for j := max(1, int(mean-spread)); j <= int(mean+spread); j++ { // an empty block reports nothing
		log, _ := math.Lgamma(float64(j) + 1)
		sum += math.Exp(float64(j)*math.Log(mean)-mean-log) * bloom.Asymptotic(j, f.inBlock())
	}
	return min(sum, 1)
}

// Window is everything: nothing is ever cleared.
func (f *Filter) Window(read int) int { return read }

// FillTheory is the expected share of set bits after read articles (bloom.FillBlocked).
func (f *Filter) FillTheory(read int) float64 {
	return bloom.FillBlocked(read, f.config.Blocks, f.inBlock())
}

// inBlock is the geometry of one block.
func (f *Filter) inBlock() bloom.Geometry {
	return bloom.Geometry{Bits: BlockBits, Hashes: f.config.Hashes}
}

// smallest is the least number of blocks, up to limit, with which k hashes meet fpr at n articles, or limit+1
// where none does: the rate falls as blocks are added, for each then gets fewer articles.
func smallest(n, k, limit int, fpr float64) int {
	g := bloom.Geometry{Bits: BlockBits, Hashes: k}
	// The fill alone rules out most numbers for the price of some logarithms.
	possible := func(blocks int) bool {
		return math.Pow(bloom.FillBlocked(n, blocks, g), float64(k)) <= fpr*(1+1e-9)
	}
	meets := func(blocks int) bool { return bloom.ExactBlocked(n, blocks, g) <= fpr }
	return bloom.Least(1, limit, possible, meets)
}
