package measure

import (
	"math"
	"math/rand/v2"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// crossed are studies of 400 users, each of whom is asked for 40 articles drawn by popularity. In each study
// every article has a rate of its own around p, as an article has with filters that all probe the same
// positions, and so has every user; alike is whether articles are as one another.
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

// Where users share articles, the interval that is clustered both ways covers the truth 95 times in 100, and
// the one clustered by user alone does not; where articles are alike, both do. Of 500 studies between 459 and
// 489 must: a sound interval misses that once in 200 seeds.
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
		if both < 459 || both > 489 {
			t.Errorf("articles alike %t: %d of %d intervals clustered both ways cover the truth, want 459 to 489", alike, both,
				studies)
		}
		if covers := byUser >= 459; covers != alike || !alike && byUser > 400 {
			t.Errorf("articles alike %t: %d of %d intervals clustered by user cover the truth", alike, byUser, studies)
		}
	}
}

// The variance is that between users, plus that between articles, less that between pairs, each by the
// definition: the squares of what a cluster's hits are beyond the rate, summed.
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

// With few clusters of either kind the interval is wider, by Student's t; of one article, or of none, it is
// the exact one.
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

// A group has the articles of one hash, and there are as many groups as it is said: of 20,000 articles one of
// 4096 has none with a probability of 0.0076, and so have 31 of them, give or take 5.5.
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
