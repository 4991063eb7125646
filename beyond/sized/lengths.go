package sized

import (
	"fmt"
	"math"
	"sort"

	"dejavu/bloom"
)

// shortest returns, for each number of articles, ascending, a filter of as few
// whole bytes as any whose rate is at most fpr; of those the one of the fewest
// hashes. It is bloom.BestGeometry for thousands of numbers in milliseconds.
func shortest(counts []int, fpr float64) ([]bloom.Geometry, error) {
	if !(fpr > 0 && fpr < 1) { // also where it is NaN
		return nil, fmt.Errorf("sized: fpr is %v, want it between 0 and 1, both excluded", fpr)
	}
	geometries := make([]bloom.Geometry, len(counts))
	low := 1 // bytes
	for i, n := range counts {
		// No filter does with less than n*log2(1/fpr)/ln 2 bits, and the best
		// takes a few more: up from there in steps that double.
		least := float64(n) * -math.Log(fpr) / (math.Ln2 * math.Ln2)
		low = max(low, int(min(least, bloom.MaxBits))/8)
		found, high := bloom.Geometry{}, low
		try := func(bytes int) bool {
			hashes := fewest(n, 8*bytes, fpr)
			if hashes > 0 {
				found = bloom.Geometry{Bits: 8 * bytes, Hashes: hashes}
			}
			return hashes > 0
		}
		for step := 1; !try(high); step *= 2 {
			if low = high + 1; low > bloom.MaxBits/8 {
				return nil, fmt.Errorf("sized: no filter of at most %d bits and %d hashes holds %d articles at a false-positive rate of %g",
					bloom.MaxBits, bloom.MaxHashes, n, fpr)
			}
			high = min(high+step, bloom.MaxBits/8)
		}
		// Found is of the last that did, which the search leaves the least.
		low += sort.Search(high-low, func(more int) bool { return try(low + more) })
		geometries[i] = found
	}
	return geometries, nil
}

// fewest is the fewest hashes with which a filter of so many bits meets fpr at n
// articles, or 0 where none do.
func fewest(n, bits int, fpr float64) int {
	optimum := float64(bits) / float64(n) * math.Ln2 // of the classical rate
	for k := 1; k <= bloom.MaxHashes; k++ {
		g := bloom.Geometry{Bits: bits, Hashes: k}
		// The rate is at least the fill's power, by Jensen's inequality, whose
		// rounding the margin allows for.
		if math.Pow(bloom.Fill(n, g), float64(k)) > fpr*(1+1e-9) {
			if float64(k) > optimum+1 {
				return 0 // more hashes only raise it
			}
			continue
		}
		rate, within := rounded(n, g)
		if math.Abs(rate-fpr) <= within {
			rate = bloom.Exact(n, g)
		}
		if rate <= fpr {
			return k
		}
	}
	return 0
}

// rounded is bloom.Exact in float64, and how far rounding may have put it off.
// With a_j = (1 - j/m)^(kn) the chance that j given positions are clear, and D
// the number of distinct positions that an article's k probes meet,
//
//	rate = sum over j of (-1)^j a_j E[C(D, j)],
//
// of which little is left where the rate is small: nothing beyond some thirty
// hashes.
func rounded(n int, g bloom.Geometry) (rate, within float64) {
	m, k := float64(g.Bits), g.Hashes
	// choose[j] is E[C(D, j)] after so many probes. The next one is distinct
	// with chance 1 - D/m, and then adds C(D, j-1), of which
	// D*C(D, j-1) = j*C(D, j) + (j-1)*C(D, j-1) stays away.
	var choose [bloom.MaxHashes + 1]float64
	choose[0] = 1
	for probe := range k {
		for j := min(probe+1, g.Bits); j > 0; j-- {
			choose[j] = choose[j]*(1-float64(j)/m) + choose[j-1]*(1-float64(j-1)/m)
		}
	}
	throws := float64(n) * float64(k)
	for j := 0; j <= min(k, g.Bits); j++ {
		term, exponent := choose[j], 0.
		if j > 0 {
			exponent = throws * math.Log1p(-float64(j)/m)
			term *= math.Exp(exponent)
		}
		// Every term is a product of positive numbers: some roundings a probe,
		// and those of the exponent, each of half a bit in the 53rd place. The
		// bound is twice what can be.
		if term > 0 {
			within += term * (16*float64(k) + 4*-exponent) * 0x1p-53
		}
		if j%2 == 1 {
			term = -term
		}
		rate += term
	}
	return rate, within
}
