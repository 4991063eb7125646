package claims

import (
	"cmp"
	"slices"
)

// Alpha is the most that the chance may be of even one wrong refutation among all
// claims that rest on measured rates, and of even one that is wrongly upheld. A true
// claim can only fall to the first and a false one to the second, but a ledger has
// both, so that its chance of any wrong verdict is at most twice Alpha.
const Alpha = 0.05

// Holm adjusts p-values for having been looked at together (Holm, A simple
// sequentially rejective multiple test procedure, 1979): rejecting where the
// adjusted value is at most α keeps the chance of any wrong rejection at most α,
// however the tests depend on each other. The result has the order of p, and no
// value above 1.
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
