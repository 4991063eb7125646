package bloom

import "math"

// Asymptotic returns the textbook false positive rate with n distinct items, (1 − e^(−kn/m))^k (the paper's eq. 1). It
// is too low: by 0.16 % at 4064/6 with 500 items, by 0.79 % at 812/6 with 100. For an invalid g it returns 1.
func Asymptotic(n int, g Geometry) float64 {
	if g.Validate() != nil {
		return 1
	}
	return math.Pow(-math.Expm1(-probes(n, g)/float64(g.Bits)), float64(g.Hashes))
}

// Fill returns the expected share of set bits with n distinct items, 1 − (1 − 1/m)^(kn), or 1 for an invalid g.
func Fill(n int, g Geometry) float64 {
	if g.Validate() != nil {
		return 1
	}
	t := probes(n, g)
	if t == 0 {
		return 0 // if m = 1, the logarithm below is −Inf
	}
	return -math.Expm1(t * math.Log1p(-1/float64(g.Bits)))
}

// Exact returns the false positive rate with n distinct items, E[(I/m)^k], where I is the number of bits that kn
// uniform probes set (Bose et al., Information Processing Letters 108, 2008; Christensen, Roginsky and Jimeno, same
// journal 110, 2010). Its relative error is below 1e-12. For an invalid g it returns 1.
func Exact(n int, g Geometry) float64 {
	return ExactShared(g, n)
}

// ExactShared returns the chance that at least one of several filters reports an unseen item as seen, if an item probes
// the same positions in all, as in Lanes. Filter i contains counts[i] distinct items. Union, which takes filters for
// independent, is a little above: by 0.06 % for five full links of the paper's chain.
func ExactShared(g Geometry, counts ...int) float64 {
	if g.Validate() != nil {
		return 1
	}
	// Given the number D of distinct positions among the k that an unseen item probes, filters are independent:
	//
	//	f = Σ_d P(D = d) · (1 − Π (1 − P(d given positions are all set))).
	distinct := Distinct(g)
	found := make([]float64, len(distinct)) // found[d]: the chance that a filter so far reports it, given D = d
	var set []float64
	for i, n := range counts {
		if n <= 0 {
			continue
		}
		if i == 0 || n != counts[i-1] {
			set = setChances(n, g)
		}
		for d := range found {
			found[d] += (1 - found[d]) * set[d]
		}
	}
	sum := 0.
	for d, chance := range distinct[1:] {
		sum += chance * found[d+1]
	}
	return min(sum, 1)
}

// A sum of chances ends at negligible terms. Weights above large are rescaled.
const (
	negligible = 1e-18
	large      = 1e200
)

// setChances returns the chance that d given positions are all set, for d from 0 to min(k, m), after n items. To avoid
// differences of close numbers, it sums over the number s of probes that hit one of the d positions: weight is in
// proportion to the chance of s, and covered is the chance that s such probes hit all d.
func setChances(n int, g Geometry) []float64 {
	if loss(Fill(n, g), g) < 2 {
		return differences(n, g)
	}
	m, t := float64(g.Bits), probes(n, g)
	set := make([]float64, min(g.Hashes, g.Bits)+1)
	set[0] = 1
	var weight, total, others, covered [MaxHashes + 1]float64
	for d := range set {
		weight[d], total[d], others[d] = 1, 1, 1 // others is (1-1/d)^(s-1)
	}
	covered[0] = 1
	for s, going := 1., true; going && s <= t; s++ {
		going = false
		for d := len(set) - 1; d >= 1; d-- { // downwards, so that covered[d-1] is still for s-1
			n := float64(d)
			// The s-th probe hits a position hit before, or the only one of d that was not.
			covered[d] += others[d] * covered[d-1]
			others[d] *= (n - 1) / n
			if n == m { // every probe hits one of the d positions
				set[d], going = covered[d], true
				continue
			}
			weight[d] *= (t - s + 1) / s * (n / (m - n))
			total[d] += weight[d]
			set[d] += weight[d] * covered[d]
			if weight[d] > large {
				weight[d], total[d], set[d] = weight[d]/large, total[d]/large, set[d]/large
			}
			going = going || weight[d] > negligible*set[d]
		}
	}
	for d := range set {
		set[d] /= total[d]
	}
	return set
}

// loss returns the factor by which differences magnifies rounding: sum without signs over sum, ((2 − fill) / fill)^k.
func loss(fill float64, g Geometry) float64 { return math.Pow((2-fill)/fill, float64(g.Hashes)) }

// differences returns setChances by inclusion and exclusion, Σ_j (−1)^j C(d,j) P(j given positions are clear).
func differences(n int, g Geometry) []float64 {
	a := make([]float64, min(g.Hashes, g.Bits)+1)
	for j := range a {
		a[j] = math.Exp(probes(n, g) * math.Log1p(-float64(j)/float64(g.Bits)))
	}
	for d := 1; d < len(a); d++ {
		for j := len(a) - 1; j >= d; j-- {
			a[j] = a[j-1] - a[j] // now the d-th difference ending at j
		}
	}
	return a
}

// Union returns the chance that one of independent filters reports an unseen item as seen, 1 − Π(1 − f).
func Union(fprs ...float64) float64 {
	var sum float64
	for _, f := range fprs {
		sum += math.Log1p(-f)
	}
	return 0 - math.Expm1(sum) // 0 − 0 is 0, where a minus sign would give −0
}

func probes(n int, g Geometry) float64 { return float64(max(n, 0)) * float64(g.Hashes) }

// Distinct returns the chance that the k uniform probes of an item hit exactly d distinct positions, for d from 0 to
// min(k, m). The next probe repeats one of d with chance d/m.
func Distinct(g Geometry) []float64 {
	m, c := float64(g.Bits), make([]float64, min(g.Hashes, g.Bits)+1)
	c[0] = 1
	for i := range g.Hashes {
		for d := min(i+1, len(c)-1); d >= 1; d-- { // downwards, so that c[d-1] is still the old one
			c[d] = (c[d]*float64(d) + c[d-1]*(m-float64(d-1))) / m
		}
		c[0] = 0
	}
	return c
}

// WindowBound returns the bits needed to recognise the last n articles, perhaps up to slack more, and report others at
// a rate of at most fpr, in (0, 1/2]: n·log2(1/fpr) + n·max(log2(n/slack), log2 log2(1/fpr)). A term of order n is left
// out, so a structure may need less (Naor and Yogev, "Sliding Bloom filters", 2013).
func WindowBound(n, slack int, fpr float64) float64 {
	bits := -math.Log2(fpr)
	return float64(n) * (bits + max(math.Log2(float64(n)/float64(slack)), math.Log2(bits)))
}

// A Theory has all methods of strategies.Theory but Bytes, for a strategy that answers like one Bloom filter.
type Theory struct {
	geometry Geometry
	articles func(read int) int
}

// NewTheory returns the theory of a filter that contains articles(read) distinct articles after read.
func NewTheory(g Geometry, articles func(read int) int) Theory { return Theory{g, articles} }

// All returns the number of articles in a filter that is never cleared.
func All(read int) int { return max(read, 0) }

// FPR returns the exact rate of the filter (Exact).
func (t Theory) FPR(read int) float64 { return Exact(t.articles(read), t.geometry) }

// Asymptotic returns FPR by the textbook's approximation, 6 % low for filters of a hundred bits.
func (t Theory) Asymptotic(read int) float64 { return Asymptotic(t.articles(read), t.geometry) }

// Window returns the number of articles in the filter.
func (t Theory) Window(read int) int { return t.articles(read) }

// FillTheory returns the expected share of set bits (Fill).
func (t Theory) FillTheory(read int) float64 { return Fill(t.articles(read), t.geometry) }

// FingerprintFPR returns the chance that an unseen item's fingerprint equals one of n independent, uniform ones, 1 − (1
// − 1/fingerprints)^n. It is 0 for a negative n, and 1 if there is at most one fingerprint.
func FingerprintFPR(n, fingerprints int) float64 {
	switch {
	case n <= 0:
		return 0
	case fingerprints <= 1:
		return 1
	}
	return -math.Expm1(float64(n) * math.Log1p(-1/float64(fingerprints)))
}

// LeastFingerprints returns the fewest fingerprints whose rate with n items is at most fpr; ok is false above most.
func LeastFingerprints(n int, fpr float64, most int) (fingerprints int, ok bool) {
	exact := -1 / math.Expm1(math.Log1p(-fpr)/float64(n))
	if !(exact < float64(most)+1) {
		return 0, false
	}
	// Rounding may put it off by one or two.
	for fingerprints = max(1, int(exact)-1); FingerprintFPR(n, fingerprints) > fpr; fingerprints++ {
	}
	return fingerprints, fingerprints <= most
}
