package measure

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/strategies"
)

// A Rate is hits among queries, clustered by user, in whole numbers that add up in any order.
type Rate struct {
	Users   int64 `json:"users"`
	Queries int64 `json:"queries"`
	Hits    int64 `json:"hits"`
	// Sums over users of the squares and the product of their numbers.
	HitsHits       int64 `json:"hh"`
	QueriesQueries int64 `json:"qq"`
	HitsQueries    int64 `json:"hq"`
}

// Add counts one user's queries.
func (r *Rate) Add(queries, hits int) {
	q, h := int64(queries), int64(hits)
	r.Users++
	r.Queries += q
	r.Hits += h
	r.HitsHits += h * h
	r.QueriesQueries += q * q
	r.HitsQueries += h * q
}

// Value is hits per query, 0 without queries.
func (r Rate) Value() float64 {
	if r.Queries == 0 {
		return 0
	}
	return float64(r.Hits) / float64(r.Queries)
}

// StdErr is the standard error of Value: that of a ratio of sums over users (Cochran, Sampling Techniques,
// 1977, §6.3), which takes in that the queries of one user are alike.
func (r Rate) StdErr() float64 {
	if r.Users < 2 || r.Queries == 0 {
		return math.NaN()
	}
	p := r.Value()
	squares := float64(r.HitsHits) - 2*p*float64(r.HitsQueries) + p*p*float64(r.QueriesQueries)
	n := float64(r.Users)
	return math.Sqrt(max(squares, 0)*n/(n-1)) / float64(r.Queries)
}

// normalHits is from how many hits, and misses, on the normal approximation serves.
const normalHits = 30

// Interval is the 95 % confidence interval of the rate: Value ± 1.96 standard errors or, where hits or misses
// are too few, the exact one of Clopper and Pearson (1934), of independent queries; without queries 0 to 1.
func (r Rate) Interval() (low, high float64) {
	misses := r.Queries - r.Hits
	if r.Users >= normalHits && min(r.Hits, misses) >= normalHits {
		return around(r.Value(), 1.959964*r.StdErr())
	}
	return exact(r)
}

func around(p, margin float64) (low, high float64) { return max(0, p-margin), min(1, p+margin) }

func exact(r Rate) (low, high float64) {
	misses := r.Queries - r.Hits
	low, high = 0, 1
	if r.Hits > 0 {
		low = distuv.Beta{Alpha: float64(r.Hits), Beta: float64(misses + 1)}.Quantile(0.025)
	}
	if misses > 0 {
		high = distuv.Beta{Alpha: float64(r.Hits + 1), Beta: float64(misses)}.Quantile(0.975)
	}
	return low, high
}

// groupBits bounds the memory of a log of any number of articles.
const groupBits = 12

// Articles counts the queries of a Rate a second time, by article: where users share articles, a rate that is
// clustered by user alone looks more certain than it is. It counts 4096 groups, by a hash of the ID; articles
// of a group that have nothing to do with each other do not change the variance.
type Articles struct {
	Queries []int64 `json:"queries"`
	Hits    []int64 `json:"hits"`
}

// NewArticles counts nothing yet.
func NewArticles() Articles {
	return Articles{make([]int64, 1<<groupBits), make([]int64, 1<<groupBits)}
}

// Add counts a query for an article, and whether it was a hit.
func (a Articles) Add(id strategies.ID, hit bool) {
	a.Queries[group(id)]++
	if hit {
		a.Hit(id)
	}
}

// Hit counts that a query, counted elsewhere, was a hit.
func (a Articles) Hit(id strategies.ID) { a.Hits[group(id)]++ }

func group(id strategies.ID) uint64 { return uint64(id) * 0x9e3779b97f4a7c15 >> (64 - groupBits) }

func (a Articles) rate() (r Rate) {
	for i, queries := range a.Queries {
		if queries > 0 {
			r.Add(int(queries), int(a.Hits[i]))
		}
	}
	return r
}

// StdErr is the standard error of a rate of the same queries, clustered both ways (Cameron, Gelbach and
// Miller, Robust inference with multiway clustering, 2011): the variance by user, plus that by article, less
// that of the queries alone. It is at least that by user, which the difference may miss by chance.
func (a Articles) StdErr(users Rate) float64 {
	articles, p := a.rate(), users.Value()
	alone := p * (1 - p) / float64(users.Queries)
	square := func(v float64) float64 { return v * v }
	return math.Sqrt(square(users.StdErr()) + max(0, square(articles.StdErr())-alone))
}

// Interval is the 95 % confidence interval of a rate of which these are the same queries: Value ± StdErr
// times the quantile of Student's t for the fewer of users and articles, less one, or where hits, misses or
// clusters are too few for that, the exact one that Rate.Interval has.
func (a Articles) Interval(users Rate) (low, high float64) {
	articles := a.rate()
	if min(users.Hits, users.Queries-users.Hits) < normalHits || min(users.Users, articles.Users) < 2 {
		return exact(users)
	}
	t := distuv.StudentsT{Sigma: 1, Nu: float64(min(users.Users, articles.Users) - 1)}.Quantile(0.975)
	return around(users.Value(), t*a.StdErr(users))
}
