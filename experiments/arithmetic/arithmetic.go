// Package arithmetic is the sources' own sums, done again: what their equations give
// where they print another number, and how large a filter would have to be for
// what they say of it. It runs nothing; the ledger of claims rests on it.
package arithmetic

import (
	"math"

	"dejavu/bloom"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/results"
)

// Experiment is arithmetic.
var Experiment = experiment.Experiment{
	Name: results.Arithmetic, About: "the sources' own sums, done again, and how large a filter would have to be",
	Rows: rows,
}

func rows(*run.Run) (rows, timing []results.Row, err error) {
	sized, err := smallestFilters()
	rows = append(paperSums(), filterSums()...)
	rows = append(rows, articleSums()...)
	rows = append(rows, lectureSums()...)
	return append(rows, sized...), nil, err
}

// What the paper says of every filter: f of §5 and Table 1, and ε of §4.
const (
	paperFPR     = 0.0156
	paperEpsilon = 0.02
)

// sum is a row of arithmetic without x.
func sum(source, quantity, unit string, theory float64) results.Row {
	return row.Theory(results.Arithmetic, source, quantity, unit, theory)
}

// sumAt is a row of arithmetic.
func sumAt(source, quantity, unit string, x, theory float64) results.Row {
	return sum(source, quantity, unit, theory).At(x)
}

// The paper's filter: n, m and k of §4.
const paperArticles = 500

var paperFilter = bloom.Geometry{Bits: 4064, Hashes: 6}

// paperSums are those of §3 to §5.
func paperSums() (rows []results.Row) {
	add := func(r ...results.Row) { rows = append(rows, r...) }
	for _, users := range []float64{1e6, 1e7} { // §5 prints the first, §3 the second
		add(sumAt("paper", results.QQueuesBytes, results.Bytes, users, users*paperArticles*8),
			sumAt("paper", results.QFiltersBytes, results.Bytes, users, users*paperArticles))
	}

	bound := paperArticles * -math.Log2(paperEpsilon)
	for _, catalogue := range []float64{1e4, 1e5, 1e6, 1e7} {
		add(sumAt("paper", results.QBitsEq3, results.Bits, catalogue, countingBound(catalogue, paperArticles, paperEpsilon)))
	}
	add(sum("paper", results.QBitsEq3, results.Bits, bound).Stating(2822),
		sum("paper", results.QCatalogue, "", endlessCatalogue(paperArticles, paperEpsilon)),
		sum("paper", results.QFactorEq4, results.Ratio, math.Log2E).Stating(1.44),
		sum("paper", results.QBitsPrinted, results.Bits, 1.44*math.Ceil(bound)).Stating(4064),
		sum("paper", results.QBitsEq4, results.Bits, math.Log2E*bound))

	perArticle := float64(paperFilter.Bits) / paperArticles
	for _, x := range []float64{8, perArticle} {
		add(sumAt("paper", results.QBestHashes, "", x, x*math.Ln2).Stating(5.633))
	}
	best := perArticle * math.Ln2
	add(sumAt("paper", results.QAsymptoticBest, results.Ratio, perArticle, math.Pow(-math.Expm1(-best/perArticle), best)),
		sumAt("paper", results.QHalves, results.Ratio, perArticle, math.Exp2(-best)),
		sumAt("paper", results.QHalves, results.Ratio, float64(paperFilter.Hashes), math.Exp2(-float64(paperFilter.Hashes))).Stating(paperFPR))
	return rows
}

// countingBound is eq. 3 before its approximation: the bits that any structure
// needs to hold n of u articles at a false positive rate of at most e,
// log2 of C(u, n) / C(n + e(u-n), n), from which the n! of both is left out.
func countingBound(u, n, e float64) float64 {
	ways := func(u float64) float64 {
		a, _ := math.Lgamma(u + 1)
		b, _ := math.Lgamma(u - n + 1)
		return (a - b) / math.Ln2
	}
	return ways(u) - ways(n+e*(u-n))
}

// endlessCatalogue is the least power of ten from which on eq. 3 asks for as
// many whole bits as its limit.
func endlessCatalogue(n, e float64) float64 {
	limit := math.Ceil(n * -math.Log2(e))
	u := 10 * n
	for u = math.Pow(10, math.Ceil(math.Log10(u))); math.Ceil(countingBound(u, n, e)) < limit; u *= 10 {
	}
	return u
}

// filterSums are of the paper's filter as it is, by the exact formula.
func filterSums() (rows []results.Row) {
	add := func(r results.Row) { rows = append(rows, r) }
	for k := 1; k <= 12; k++ {
		g := bloom.Geometry{Bits: paperFilter.Bits, Hashes: k}
		add(sumAt("paper", results.QFPRByHashes, results.Ratio, float64(k), bloom.Exact(paperArticles, g)))
	}
	for _, bits := range []int{4000, paperFilter.Bits} { // "500 bytes", literally, and as sized
		g := bloom.Geometry{Bits: bits, Hashes: paperFilter.Hashes}
		add(sumAt("paper", results.QFPRByBits, results.Ratio, float64(bits), bloom.Exact(paperArticles, g)))
	}
	// The dual filter's master is fullest before the rotation, at 499.
	add(sumAt("paper", results.QFPRExact, results.Ratio, paperArticles-1, bloom.Exact(paperArticles-1, paperFilter)))

	fpr := func(n int) float64 { return bloom.Exact(n, paperFilter) }
	fill := func(n int) float64 { return bloom.Fill(n, paperFilter) }
	add(sumAt("paper", results.QHeldAtMost, "", paperFPR, float64(first(fpr, paperFPR)-1)))
	const nearlyAll = 0.99
	flooded := first(fpr, nearlyAll)
	add(sumAt("paper", results.QHeldAtLeast, "", nearlyAll, float64(flooded)))
	add(sumAt("paper", results.QFPRReached, results.Ratio, nearlyAll, fpr(flooded)))
	add(sumAt("paper", results.QFilledAt, "", 0.9, float64(first(fill, 0.9))))
	return rows
}

// first is the least number of articles at which f, which grows, is more than
// level, or as much.
func first(f func(n int) float64, level float64) int {
	n := 0
	for f(n) < level {
		n++
	}
	return n
}

// articleSums are those of the article on recommenders, §2 and §3, at p = 1 %.
func articleSums() (rows []results.Row) {
	const p = 0.01
	for _, n := range []float64{1e8, 1e9} {
		bits := math.Ceil(n * -math.Log(p) / (math.Ln2 * math.Ln2))
		hashes := bits / n * math.Ln2
		k := math.Round(hashes)
		rows = append(rows,
			sumAt("article", results.QBitsAt1, results.Bits, n, bits),
			sumAt("article", results.QBytesAt1, results.Bytes, n, math.Ceil(bits/8)),
			sumAt("article", results.QHashesAt1, "", n, hashes),
			sumAt("article", results.QFPRAt1, results.Ratio, n, math.Pow(-math.Expm1(-k*n/bits), k)))
	}
	// What a query of a fresh article probes: one position, another where that
	// is set, and so on, at most as many as the hashes.
	for _, held := range []int{0, 500, 2000, 10_000, 1_000_000} {
		fill, probes, reach := bloom.Fill(held, paperFilter), 0., 1.
		for range paperFilter.Hashes {
			probes += reach
			reach *= fill
		}
		rows = append(rows, sumAt("article", results.QProbes, "", float64(held), probes))
	}
	return rows
}

// lectureSums are those of the lecture and its slides. "A few thousand" of its
// text is 3000 here.
func lectureSums() []results.Row {
	const thousands = 3000
	tenBits := bloom.Geometry{Bits: 10 * paperArticles, Hashes: 7} // 10 ln 2 = 6.93
	return []results.Row{
		sumAt("lecture", results.QPairs, "", thousands, thousands*thousands),
		sumAt("lecture", results.QProbesRecalled, "", thousands, float64(thousands*tenBits.Hashes)),
		sum("lecture", results.QPerNatK, "", 1/math.Ln2),
		sum("lecture", results.QPerNatM, results.Bits, 1/(math.Ln2*math.Ln2)),
		sumAt("lecture", results.QFPRAtBits, results.Ratio, 10, bloom.Exact(paperArticles, tenBits)),
	}
}

// smallestFilters are the smallest that keep the rates which the paper states:
// of one filter, and of chains by the union of their links.
func smallestFilters() (rows []results.Row, err error) {
	for _, want := range []struct {
		what     string
		articles int // of a filter
		filters  int // asked together
		fpr      float64
	}{
		{"500 articles", paperArticles, 1, paperFPR},
		{"100 articles", 100, 1, paperFPR},
		{"five links", 100, 5, paperFPR},
		{"ten links", 100, 10, paperEpsilon},
	} {
		each := -math.Expm1(math.Log1p(-want.fpr) / float64(want.filters))
		g, err := bloom.BestGeometry(want.articles, each)
		if err != nil {
			return rows, err
		}
		held := make([]int, want.filters)
		for i := range held {
			held[i] = want.articles
		}
		rows = append(rows,
			sumAt(want.what, results.QBits, results.Bits, want.fpr, float64(g.Bits)),
			sumAt(want.what, results.QHashes, "", want.fpr, float64(g.Hashes)),
			sumAt(want.what, results.QFPRReached, results.Ratio, want.fpr, bloom.ExactShared(g, held...)))
	}
	return rows, nil
}
