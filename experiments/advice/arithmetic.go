package advice

import (
	"math"
	"slices"

	"dejavu/beyond/layered"
	"dejavu/bloom"
	"dejavu/dual"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/results"
	"dejavu/results/by"
)

// Arithmetic repeats the sources' own calculations, and computes how large a filter must be to keep what they state. It
// measures nothing; claims rest on it.
var Arithmetic = experiment.Experiment{
	Name: results.Arithmetic, About: "the sources' own sums, done again, and how large a filter would have to be",
	Dimensions: []results.Dimension{
		by.Users, by.Candidates, by.Articles, by.Catalogue, by.Target, by.Bits, by.Hashes, by.Structure, by.Formula,
		by.Statistic, by.Share,
	},
	Rows: func(*engine.Run) (rows, timing []results.Row) {
		return slices.Concat(paperSums(), filterSums(), thresholds(), articleSums(), lectureSums(), smallestFilters()), nil
	},
}

// Values of the dimension Formula, and of Statistic.
var (
	eq3    = by.Formula.Is("eq. 3")
	halves = by.Formula.Is("half to the hashes") // (1/2)^k
	least  = by.Statistic.Is("least")
)

// The paper's values for every filter: f of §5 and Table 1, and ε of §4.
const (
	paperFPR     = 0.0156
	paperEpsilon = 0.02
)

var units = map[string]string{
	results.QBytes: results.Bytes, results.QBits: results.Bits, results.QBitsRatio: results.Ratio,
	results.QFPR: results.Ratio, results.QPayloadPerUser: results.Bytes,
}

func sum(source, quantity string, theory float64, where ...results.Condition) results.Row {
	return row.Theory(source, quantity, units[quantity], theory).With(where...)
}

const paperArticles = 500

var paperFilter = bloom.Geometry{Bits: 4064, Hashes: 6}

// paperSum returns the row of one of the paper's calculations.
func paperSum(quantity string, theory float64, where ...results.Condition) results.Row {
	return sum("paper", quantity, theory, where...)
}

// paperSums returns the sums of §3 to §5.
func paperSums() (rows []results.Row) {
	add := func(r ...results.Row) { rows = append(rows, r...) }
	for _, users := range []float64{1e6, 1e7} { // §5 prints the first, §3 the second
		at := by.Users.At(users)
		add(paperSum(results.QBytes, users*paperArticles*8, at, by.Structure.Is("queue")),
			paperSum(results.QBytes, users*paperArticles, at, by.Structure.Is("filter")))
	}

	bound := paperArticles * -math.Log2(paperEpsilon)
	for _, articles := range []float64{1e4, 1e5, 1e6, 1e7} {
		add(paperSum(results.QBits, countingBound(articles, paperArticles, paperEpsilon), by.Catalogue.At(articles), eq3))
	}
	add(paperSum(results.QBits, bound, eq3).Stating(2822), // of a catalogue without end
		paperSum(results.QArticles, endlessCatalogue(paperArticles, paperEpsilon), eq3),
		paperSum(results.QBitsRatio, math.Log2E, by.Formula.Is("eq. 4 over eq. 3")).Stating(1.44),
		paperSum(results.QBits, 1.44*math.Ceil(bound), by.Formula.Is("eq. 4 rounded")).Stating(4064),
		paperSum(results.QBits, math.Log2E*bound, by.Formula.Is("eq. 4")), // nothing rounded
		paperSum(results.QBits, math.Log2E*bound/5, by.Articles.At(paperArticles/5), by.Formula.Is("eq. 4")).Stating(812))

	x, k := float64(paperFilter.Bits)/paperArticles, float64(paperFilter.Hashes) // bits an article
	best, at := x*math.Ln2, by.Bits.At(x)                                        // hashes, no whole number
	add(paperSum(results.QHashes, 8*math.Ln2, by.Bits.At(8), by.Formula.Is("best")).Stating(5.633),
		paperSum(results.QHashes, best, at, by.Formula.Is("best")).Stating(5.633),
		paperSum(results.QFPR, math.Pow(-math.Expm1(-best/x), best),
			at, by.Formula.Is(results.AsymptoticFormula), by.Hashes.Is("best")),
		paperSum(results.QFPR, math.Exp2(-best), at, halves),
		paperSum(results.QFPR, math.Exp2(-k), by.Hashes.At(k), halves).Stating(paperFPR))
	for k := 1.; k <= 12; k++ {
		add(paperSum(results.QFPR, math.Pow(-math.Expm1(-k/x), k),
			at, by.Formula.Is(results.AsymptoticFormula), by.Hashes.At(k)))
	}
	return rows
}

// thresholds returns what a dual filter remembers, takes and reports falsely in its steady cycle, by its threshold as a
// share of its capacity. The paper's example is 60 %. At worst the rate is the same for all: 499 articles.
func thresholds() (rows []results.Row) {
	for _, share := range []float64{0.5, 0.6, 0.7, 0.8, 0.9} {
		c := dual.Paper
		c.Threshold = int(math.Round(share * float64(c.Capacity)))
		filter := catalogue.Must(dual.New(c))
		bytes, fpr := 0., 0.
		for read := c.Capacity; read < c.Capacity+c.Threshold; read++ {
			bytes, fpr = bytes+float64(filter.Bytes(read)-filter.HeaderBytes()), fpr+filter.FPR(read)
		}
		add := func(quantity string, theory float64, statistic results.Condition) {
			rows = append(rows, sum("dual", quantity, theory, statistic, by.Share.At(share)))
		}
		add(results.QWindow, float64(filter.Window(c.Capacity)), least)
		add(results.QPayloadPerUser, bytes/float64(c.Threshold), by.Statistic.Is("mean"))
		add(results.QFPR, fpr/float64(c.Threshold), by.Statistic.Is("mean"))
	}
	return rows
}

// countingBound returns eq. 3 before its approximation: the bits that any structure needs to hold n of u articles at a
// false positive rate of at most e. It is log2 of C(u, n) / C(n + e(u-n), n), with n! cancelled.
func countingBound(u, n, e float64) float64 {
	ways := func(u float64) float64 {
		a, _ := math.Lgamma(u + 1)
		b, _ := math.Lgamma(u - n + 1)
		return (a - b) / math.Ln2
	}
	return ways(u) - ways(n+e*(u-n))
}

// endlessCatalogue returns the least power of ten at which eq. 3, in whole bits, equals its limit.
func endlessCatalogue(n, e float64) float64 {
	limit := math.Ceil(n * -math.Log2(e))
	u := math.Pow(10, math.Ceil(math.Log10(10*n)))
	for math.Ceil(countingBound(u, n, e)) < limit {
		u *= 10
	}
	return u
}

// filterSums returns rates of the paper's filter by the exact formula.
func filterSums() (rows []results.Row) {
	add := func(quantity string, theory float64, where ...results.Condition) {
		rows = append(rows, paperSum(quantity, theory, where...))
	}
	for k := 1; k <= 12; k++ {
		g := bloom.Geometry{Bits: paperFilter.Bits, Hashes: k}
		add(results.QFPR, bloom.Exact(paperArticles, g), by.Hashes.At(float64(k)))
	}
	// Half the bits, "500 bytes" literally, as sized, and twice the bits.
	for _, bits := range []int{paperFilter.Bits / 2, 4000, paperFilter.Bits, 2 * paperFilter.Bits} {
		g := bloom.Geometry{Bits: bits, Hashes: paperFilter.Hashes}
		add(results.QFPR, bloom.Exact(paperArticles, g), by.Bits.At(float64(bits)))
	}
	// §5 sends its reader to eqs. 2 and 3 for k and m, and eq. 3 is a bound that no Bloom filter keeps.
	byEq3 := bloom.Geometry{Bits: int(math.Ceil(paperArticles * -math.Log2(paperEpsilon)))}
	byEq3.Hashes = int(math.Round(float64(byEq3.Bits) / paperArticles * math.Ln2))
	add(results.QFPR, bloom.Exact(paperArticles, byEq3), by.Bits.At(float64(byEq3.Bits)), eq3)
	fpr := func(n int) float64 { return bloom.Exact(n, paperFilter) }
	fill := func(n int) float64 { return bloom.Fill(n, paperFilter) }
	// The dual filter's master is fullest before the rotation, at 499.
	add(results.QFPR, fpr(paperArticles-1), by.Articles.At(paperArticles-1), by.Formula.Is(results.ExactFormula))
	// The most articles at which the rate is not above the paper's, and the least at which a rate or a fill is reached.
	add(results.QArticles, float64(first(fpr, paperFPR)-1), by.Target.At(paperFPR), by.Statistic.Is("most"))
	nearlyAll, flooded := by.Target.At(0.99), first(fpr, 0.99)
	add(results.QArticles, float64(flooded), nearlyAll, least)
	add(results.QFPR, fpr(flooded), nearlyAll)
	add(results.QArticles, float64(first(fill, 0.9)), by.Target.At(0.9), least, by.Structure.Is("fill"))
	return rows
}

// first returns the least number of articles at which f, which grows, reaches level.
func first(f func(n int) float64, level float64) int {
	n := 0
	for f(n) < level {
		n++
	}
	return n
}

// articleSums returns the sums of the article on recommenders, §2 and §3, at p = 1 %.
func articleSums() (rows []results.Row) {
	const p = 0.01
	for _, n := range []float64{1e8, 1e9} {
		bits := math.Ceil(n * -math.Log(p) / (math.Ln2 * math.Ln2))
		hashes := bits / n * math.Ln2
		k := math.Round(hashes)
		at := []results.Condition{by.Articles.At(n), by.Target.At(p)}
		rows = append(rows,
			sum("article", results.QBits, bits, at...),
			sum("article", results.QBytes, math.Ceil(bits/8), at...),
			sum("article", results.QMebibytes, math.Ceil(bits/8)/(1<<20), at...),
			sum("article", results.QBytes, 8*n, by.Articles.At(n), by.Structure.Is("raw IDs")),
			sum("article", results.QHashes, hashes, at...), // not rounded
			sum("article", results.QFPR, math.Pow(-math.Expm1(-k*n/bits), k), at...))
	}
	layers := layered.Month
	longest := float64(max(layers.Day.Bits, layers.Week.Bits, layers.All.Bits))
	rows = append(rows, sum("layered", results.QBits, longest, by.Statistic.Is("most")),
		sum("layered", results.QBits, float64(layers.Day.Bits+layers.Week.Bits+layers.All.Bits), by.Statistic.Is("all")))
	// A query of a fresh article probes one position, the next if that is set, and so on.
	for _, articles := range []int{0, 500, 2000, 10_000, 1_000_000} {
		fill, probes, reach := bloom.Fill(articles, paperFilter), 0., 1.
		for range paperFilter.Hashes {
			probes += reach
			reach *= fill
		}
		rows = append(rows, sum("article", results.QProbes, probes, by.Articles.At(float64(articles))))
	}
	return rows
}

// lectureSums returns the sums of the lecture and its slides. Its "A few thousand" is 3000 here.
func lectureSums() []results.Row {
	const thousands = 3000
	tenBits := bloom.Geometry{Bits: 10 * paperArticles, Hashes: 7} // 10 ln 2 = 6.93
	return []results.Row{
		sum("lecture", results.QComparisons, thousands*thousands, by.Candidates.At(thousands)),
		sum("lecture", results.QProbes, float64(thousands*tenBits.Hashes), by.Candidates.At(thousands)),
		sum("lecture", results.QHashes, 1/math.Ln2, by.Formula.Is("per nat")),
		sum("lecture", results.QBits, 1/(math.Ln2*math.Ln2), by.Formula.Is("per nat")),
		sum("lecture", results.QFPR, bloom.Exact(paperArticles, tenBits), by.Bits.At(10), by.Formula.Is("bits an article")),
	}
}

// smallestFilters returns the smallest filters that keep the paper's rates: one filter, and chains as unions of links.
func smallestFilters() (rows []results.Row) {
	for _, want := range []struct {
		what     string
		articles int // of a filter
		filters  int // asked together
		fpr      float64
	}{
		{"500 articles", paperArticles, 1, paperFPR},
		{"100 articles", 100, 1, paperFPR},
		{"100 articles", 100, 1, paperEpsilon},
		{"five links", 100, 5, paperFPR},
		{"five links", 100, 5, paperEpsilon},
		{"ten links", 100, 10, paperEpsilon},
	} {
		each := -math.Expm1(math.Log1p(-want.fpr) / float64(want.filters))
		g := catalogue.Must(bloom.BestGeometry(want.articles, each))
		target := by.Target.At(want.fpr)
		rows = append(rows,
			sum(want.what, results.QBits, float64(g.Bits), target),
			sum(want.what, results.QHashes, float64(g.Hashes), target),
			sum(want.what, results.QFPR, bloom.ExactShared(g, slices.Repeat([]int{want.articles}, want.filters)...), target))
	}
	return rows
}
