package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestIntervalOfFewHits(t *testing.T) {
	lies := func(queries, hits int, wantLow, wantHigh float64) {
		t.Helper()
		var r Rate
		r.Add(queries, hits)
		low, high := r.Interval()
		if math.Abs(low-wantLow) > 1e-6 || math.Abs(high-wantHigh) > 1e-6 {
			t.Errorf("interval of %d/%d: %.7f to %.7f, want %.7f to %.7f", hits, queries, low, high, wantLow, wantHigh)
		}
	}
	// Clopper and Pearson's limits, computed with R's binom.test.
	lies(100, 0, 0, 0.03621669)
	lies(100, 1, 0.0002531460, 0.0544594)
	lies(20, 10, 0.2719578, 0.7280422)
	lies(50, 50, 0.9288783, 1)
	if low, high := (Rate{}).Interval(); low != 0 || high != 1 {
		t.Errorf("interval without queries is %v to %v, want 0 to 1", low, high)
	}
}

// With equal numbers of queries the ratio's standard error is the plain one of the users' means.
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
	strategytest.Near(t, r.StdErr(), want, 1e-12, "standard error")
}

// zOf returns how many standard errors a rate's Value lies above theory. With too few hits, or misses, for a standard
// error, it is the normal quantile of the chance that independent queries have that many hits (or misses) or more.
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

// poissonZ returns the normal quantile of a count of rare events, of which mean are expected. Half of the chance of
// the count itself belongs to either side.
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

// Where the normal approximation begins, and a rate without queries.
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
		low, high := r.Interval() // users are alike: the standard error is 0
		if normal := high-low < 1e-6; normal != c.normal {
			t.Errorf("%d users with %d of %d: %v to %v", c.users, c.hits, c.queries, low, high)
		}
	}
	r := rate(30, 3, 1)
	r.Hits-- // one too few for the approximation
	if low, high := r.Interval(); high-low < 0.1 {
		t.Errorf("29 hits: %v to %v", low, high)
	}
}

// Queries of fewer than 30 users, or for fewer than 30 articles, have no interval: so few do not show how much users,
// or articles, differ, and independent queries would be assumed. With one query each they are independent.
func TestNoIntervalOfFewClusters(t *testing.T) {
	for _, c := range []struct {
		users, queries int
		known          bool
	}{{2, 8000, false}, {29, 2, false}, {30, 2, true}, {29, 1, true}, {300, 8000, true}} {
		var r Rate
		articles := NewArticles()
		for user := range c.users {
			hits := 0
			for query := range c.queries {
				hit := (user+query)%3 == 0
				if hit {
					hits++
				}
				articles.Add(strategies.ID(uint64(user*c.queries+query)*0x9e3779b97f4a7c15), hit)
			}
			r.Add(c.queries, hits)
		}
		for what, of := range map[string]func() (low, high float64){
			"by user":             r.Interval,
			"by user and article": func() (low, high float64) { return articles.Interval(r) },
		} {
			if low, high := of(); math.IsNaN(low) == c.known || math.IsNaN(high) == c.known {
				t.Errorf("%s, %d queries to each of %d: %v to %v, want an interval: %v",
					what, c.queries, c.users, low, high, c.known)
			}
		}
	}
	few := NewArticles() // many users, few articles
	var r Rate
	for user := range 100 {
		few.Add(strategies.ID(user%29), user%2 == 0)
		r.Add(1, 1-user%2)
	}
	if low, _ := few.Interval(r); !math.IsNaN(low) {
		t.Errorf("29 articles have an interval from %v", low)
	}
}

// crossed runs studies of 400 users, each asked about 40 articles drawn by popularity. In each study every article has
// its own rate around p, as with filters that all probe the same positions, and so has every user. If alike is set,
// articles do not differ.
func crossed(t *testing.T, studies int, p float64, alike bool, each func(users Rate, articles Articles)) {
	t.Helper()
	const users, asked = 400, 40
	population, err := workload.NewPopular(workload.PopularConfig{Articles: 5000, Exponent: 1}, 1, studies*users)
	strategytest.Must(t, err)
	orders, dst := population.Orders(), make([]int32, asked)
	r := rand.New(rand.NewPCG(1, 2))
	rates := make([]float64, population.Articles())
	for study := range studies {
		for i := range rates {
			rates[i] = p
			if !alike {
				rates[i] = 2 * p * r.Float64()
			}
		}
		var rate Rate
		articles := NewArticles()
		for user := range users {
			orders.First(dst, study*users+user)
			own, hits := 1+0.5*(2*r.Float64()-1), 0
			for _, article := range dst {
				hit := r.Float64() < min(1, rates[article]*own)
				if hit {
					hits++
				}
				articles.Add(population.ID(int(article)), hit)
			}
			rate.Add(asked, hits)
		}
		each(rate, articles)
	}
}

// If users share articles, the interval clustered both ways covers the truth 95 times in 100, and the one clustered by
// user alone does not; if articles are alike, both do. Of 500 studies 459 to 489 must cover it, which a sound interval
// misses once in 200 seeds.
func TestArticlesCover(t *testing.T) {
	const p, studies = 0.08, 500
	for _, alike := range []bool{false, true} {
		both, byUser := 0, 0
		crossed(t, studies, p, alike, func(users Rate, articles Articles) {
			if low, high := articles.Interval(users); low <= p && p <= high {
				both++
			}
			if low, high := users.Interval(); low <= p && p <= high {
				byUser++
			}
		})
		strategytest.Between(t, both, 459, 489,
			"articles alike %t: intervals of %d, clustered both ways, that cover the truth", alike, studies)
		if covers := byUser >= 459; covers != alike || !alike && byUser > 400 {
			t.Errorf("articles alike %t: %d of %d intervals clustered by user cover the truth", alike, byUser, studies)
		}
	}
}

// The variance between users, plus between articles, less between pairs, each by definition: the sum of squares of a
// cluster's hits beyond the rate.
func TestArticlesStdErr(t *testing.T) {
	hits := [][]int{{1, 0, 0, 1, 0}, {1, 0, 1, 0, 0}, {1, 0, 0, 0, 0}, {0, 0, 0, 1, 0}} // by user
	const users, of, p = 4., 5., 6. / 20
	var rate Rate
	articles := NewArticles()
	byUser, byArticle, byPair := 0., make([]float64, of), 0.
	for _, own := range hits {
		sum, beyond := 0, 0.
		for article, hit := range own {
			articles.Add(strategies.ID(article+1), hit == 1)
			d := float64(hit) - p
			sum, beyond = sum+hit, beyond+d
			byArticle[article] += d
			byPair += d * d
		}
		rate.Add(of, sum)
		byUser += beyond * beyond
	}
	article := 0.
	for _, d := range byArticle {
		article += d * d
	}
	want := math.Sqrt(byUser*users/(users-1)+article*of/(of-1)-byPair) / (users * of)
	strategytest.Near(t, articles.StdErr(rate), want, 1e-12, "standard error")
	if want <= rate.StdErr() {
		t.Errorf("%v is not more than that by user, %v: the test shows nothing", want, rate.StdErr())
	}
	if low, high := articles.Interval(rate); math.Abs(high-0.5427892) > 1e-6 ||
		math.Abs(low-0.1189316) > 1e-6 { // R's binom.test(6, 20)
		t.Errorf("of six hits the interval is %.7f to %.7f, want the exact one", low, high)
	}
}

// With few clusters of either kind the interval is wider, by Student's t; with one article, or none, it is exact.
func TestArticlesFewClusters(t *testing.T) {
	for _, c := range []struct {
		users, articles int
		t               float64 // quantiles of the t distribution, from a printed table; 0 for the exact interval
	}{{200, 3, 4.302653}, {4, 100, 3.182446}, {200, 1, 0}} {
		r := rand.New(rand.NewPCG(3, 4))
		var rate Rate
		articles := NewArticles()
		for range c.users {
			hits := 0
			for article := range c.articles {
				hit := r.Float64() < 0.2+0.1*float64(article%3)
				if hit {
					hits++
				}
				articles.Add(strategies.ID(article), hit)
			}
			rate.Add(c.articles, hits)
		}
		low, high := articles.Interval(rate)
		wantLow, wantHigh := exact(rate)
		if c.t > 0 {
			margin := c.t * articles.StdErr(rate)
			wantLow, wantHigh = max(0, rate.Value()-margin), rate.Value()+margin
		}
		if math.Abs(low-wantLow) > 1e-6 || math.Abs(high-wantHigh) > 1e-6 {
			t.Errorf("%d users, %d articles: %v to %v, want %v to %v", c.users, c.articles, low, high, wantLow, wantHigh)
		}
	}
	if low, high := NewArticles().Interval(Rate{}); low != 0 || high != 1 {
		t.Errorf("without queries: %v to %v, want 0 to 1", low, high)
	}
}

// Each hash forms a group of articles: with 20,000 articles one of 4096 hashes has none with a probability of 0.0076,
// so 31 of them, give or take 5.5.
func TestArticlesGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	all := NewArticles()
	for range 20_000 {
		all.Add(strategies.ID(r.Uint64()), false)
	}
	groups := all.rate()
	if empty := 4096 - groups.Users; empty < 10 || empty > 55 || groups.Queries != 20_000 {
		t.Errorf("%d groups of %d queries are empty", empty, groups.Queries)
	}
}
