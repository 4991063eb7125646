package measure

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
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
// are too few for that, the exact one of Clopper and Pearson (1934), which then takes the queries for
// independent. Without queries it is 0 to 1.
func (r Rate) Interval() (low, high float64) {
	misses := r.Queries - r.Hits
	if r.Users >= normalHits && min(r.Hits, misses) >= normalHits {
		p, margin := r.Value(), 1.959964*r.StdErr()
		return max(0, p-margin), min(1, p+margin)
	}
	return exact(r)
}

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
