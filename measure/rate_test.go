package measure

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

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

// zOf is how many standard errors a rate's Value lies above theory. With too few hits, or misses, for a
// standard error it is the normal quantile of how unlikely so many or more (or so few or fewer) would be of
// as many independent queries.
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

// poissonZ is the normal quantile at which a count of rare events lies, of which mean are expected. Half of
// the chance of the count itself belongs to either side.
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

// Queries of fewer than 30 users, or for fewer than 30 articles, have no interval: how much users differ, or articles,
// cannot be told from so few, and to take the queries for independent is to be too sure. Of one query each they are.
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
