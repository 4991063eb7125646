package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// simulate draws users whose own rates scatter around p, so that queries of one
// user are alike, as they are with one filter's luck.
func simulate(r *rand.Rand, users, queries int, p, scatter float64) (rate Rate) {
	for range users {
		own := p * (1 + scatter*(2*r.Float64()-1))
		hits := 0
		for range queries {
			if r.Float64() < own {
				hits++
			}
		}
		rate.Add(queries, hits)
	}
	return rate
}

// The 95 % interval covers the truth 95 times in 100. Of 1000 simulated studies
// between 930 and 968 must: a sound interval misses that once in 200 seeds (the
// binomial's own spread is 6.9).
func TestIntervalCovers(t *testing.T) {
	const p, studies = 0.08, 1000
	r := rand.New(rand.NewPCG(1, 1))
	clustered, independent := 0, 0
	for range studies {
		rate := simulate(r, 300, 40, p, 0.9)
		if low, high := rate.Interval(); low <= p && p <= high {
			clustered++
		}
		// The interval that takes the queries for independent, to show that
		// the clusters matter.
		v := rate.Value()
		if margin := 1.96 * math.Sqrt(v*(1-v)/float64(rate.Queries)); math.Abs(v-p) <= margin {
			independent++
		}
	}
	if clustered < 930 || clustered > 968 {
		t.Errorf("%d of %d intervals cover the truth, want 930 to 968", clustered, studies)
	}
	if independent >= 930 {
		t.Errorf("%d of %d unclustered intervals cover the truth: the clusters do not matter, the test shows nothing",
			independent, studies)
	}
}

func TestIntervalOfFewHits(t *testing.T) {
	for _, c := range []struct {
		queries, hits int
		low, high     float64
	}{
		// Clopper and Pearson's limits, computed with R's binom.test.
		{100, 0, 0, 0.03621669},
		{100, 1, 0.0002531460, 0.0544594},
		{20, 10, 0.2719578, 0.7280422},
		{50, 50, 0.9288783, 1},
	} {
		var r Rate
		r.Add(c.queries, c.hits)
		low, high := r.Interval()
		if math.Abs(low-c.low) > 1e-6 || math.Abs(high-c.high) > 1e-6 {
			t.Errorf("interval of %d in %d is %.7f to %.7f, want %.7f to %.7f", c.hits, c.queries, low, high, c.low, c.high)
		}
	}
	if low, high := (Rate{}).Interval(); low != 0 || high != 1 {
		t.Errorf("interval without queries is %v to %v, want 0 to 1", low, high)
	}
}

func TestRatesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var whole, odd, even Rate
	for user := range 100 {
		queries := 1 + r.IntN(50)
		hits := r.IntN(queries + 1)
		whole.Add(queries, hits)
		if user%2 == 0 {
			even.Add(queries, hits)
		} else {
			odd.Add(queries, hits)
		}
	}
	if Sum(&odd, even); odd != whole {
		t.Errorf("halves add up to %+v, want %+v", odd, whole)
	}
}

// With equal numbers of queries the ratio's standard error is the plain one of
// the users' means.
func TestStdErrOfEqualClusters(t *testing.T) {
	var r Rate
	means := []float64{0.1, 0.3, 0.2, 0.6}
	for _, m := range means {
		r.Add(10, int(10*m+0.5))
	}
	mean, squares := 0.3, 0.
	for _, m := range means {
		squares += (m - mean) * (m - mean)
	}
	want := math.Sqrt(squares / 3 / 4)
	if got := r.StdErr(); math.Abs(got-want) > 1e-12 {
		t.Errorf("standard error %v, want %v", got, want)
	}
	if got := zOf(r, 0.3); math.Abs(got) > 1e-9 {
		t.Errorf("Z at the value itself is %v, want 0", got)
	}
}

// Few hits: quantiles of the Poisson distribution, half of the count's own
// chance on either side, computed with Python's statistics.NormalDist.
func TestZOfFewHits(t *testing.T) {
	for _, c := range []struct {
		hits int64
		mean float64
		want float64
	}{{0, 0, 0}, {0, 1, -0.9005}, {1, 1, 0.1303}, {6, 1.1, 3.2593}} {
		if got := poissonZ(c.hits, c.mean); math.Abs(got-c.want) > 0.002 {
			t.Errorf("%d hits where %v are expected lie at %.4f, want %.4f", c.hits, c.mean, got, c.want)
		}
	}
	var r Rate
	r.Add(1000, 1000)
	if z := zOf(r, 0.999); z < 0 || z > 2 {
		t.Errorf("1000 of 1000 hits at a rate of 0.999 lie at %v, want a little above 0", z)
	}
}

// One user's queries are no sample of users, however many: the interval is then that
// of Clopper and Pearson, at whose ends as many hits and more, or fewer, have a chance
// of 0.025.
func TestIntervalOfOneUser(t *testing.T) {
	var r Rate
	r.Add(1000, 100)
	low, high := r.Interval()
	atLeast := distuv.Binomial{N: 1000, P: low}.Survival(99)
	atMost := distuv.Binomial{N: 1000, P: high}.CDF(100)
	if !(math.Abs(atLeast-0.025) <= 1e-6 && math.Abs(atMost-0.025) <= 1e-6) { // not a number is wrong, too
		t.Errorf("100 of 1000 hits: %v to %v, at which 100 and more have the chance %v and 100 and fewer %v, want 0.025 each",
			low, high, atLeast, atMost)
	}
}

// zOf is how many standard errors a rate's Value lies above theory. With too few hits, or
// misses, for a standard error it is the normal quantile of how unlikely so
// many or more (or so few or fewer) would be of as many independent queries.
func zOf(r Rate, theory float64) float64 {
	if r.Queries == 0 || r.Value() == theory {
		return 0
	}
	hits, misses := r.Hits, r.Queries-r.Hits
	switch {
	case min(hits, misses) >= normalHits && r.Users >= normalHits:
		return (r.Value() - theory) / r.StdErr()
	case hits <= misses:
		return poissonZ(hits, theory*float64(r.Queries))
	default:
		return -poissonZ(misses, (1-theory)*float64(r.Queries))
	}
}

// poissonZ is the normal quantile at which a count of rare events lies, of
// which mean are expected. Half of the chance of the count itself belongs to
// either side.
func poissonZ(count int64, mean float64) float64 {
	if mean <= 0 {
		if count == 0 {
			return 0
		}
		return math.Inf(1)
	}
	p := distuv.Poisson{Lambda: mean}
	n := float64(count)
	at := p.Prob(n)
	if n > mean {
		return -distuv.UnitNormal.Quantile(max(p.Survival(n)+at/2, 1e-300))
	}
	return distuv.UnitNormal.Quantile(max(p.CDF(n)-at/2, 1e-300))
}

// Where the normal approximation begins, and what a rate without queries is.
func TestRateEdges(t *testing.T) {
	rate := func(users, queries, hits int) (r Rate) {
		for range users {
			r.Add(queries, hits)
		}
		return r
	}
	var none Rate
	if low, high := none.Interval(); none.Value() != 0 || !math.IsNaN(none.StdErr()) || low != 0 || high != 1 {
		t.Errorf("of no queries: %v, %v, %v to %v", none.Value(), none.StdErr(), low, high)
	}
	if one, two := rate(1, 10, 1), rate(2, 10, 1); !math.IsNaN(one.StdErr()) || !(two.StdErr() < 1e-6) {
		t.Errorf("the standard error of one user is %v, of two who are alike %v, want none and 0", one.StdErr(), two.StdErr())
	}
	for _, c := range []struct {
		users, queries, hits int
		normal               bool
	}{{30, 2, 1, true}, {29, 4, 2, false}, {15, 4, 2, false}, {30, 3, 1, true}, {30, 1, 1, false}, {30, 1, 0, false}} {
		r := rate(c.users, c.queries, c.hits)
		low, high := r.Interval() // users are alike: the standard error is none
		if normal := high-low < 1e-6; normal != c.normal {
			t.Errorf("%d users with %d of %d: %v to %v", c.users, c.hits, c.queries, low, high)
		}
	}
	r := rate(30, 3, 1)
	r.Hits-- // one fewer than the approximation serves for
	if low, high := r.Interval(); high-low < 0.1 {
		t.Errorf("29 hits: %v to %v", low, high)
	}
}
