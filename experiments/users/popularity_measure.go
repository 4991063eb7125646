package users

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/measure"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

const (
	// Shown is the number of articles shown to a user, and Candidates the number of unseen ones asked for next, drawn
	// by popularity.
	Shown      = 500
	Candidates = 100

	// asked is the number of articles that every user is asked for, evenly spaced by rank. Those that the user was
	// shown do not count.
	asked = 5000
)

// Answers counts what histories report.
type Answers struct {
	Fresh    measure.Rate     `json:"fresh"`    // false positives among the candidates
	Articles measure.Articles `json:"articles"` // the same candidates by article
	Hits     []int64          `json:"hits"`     // by article asked for: reported as seen to users it was not shown to
}

// Counts has the answers without a salt, and with one of each user's own.
type Counts struct {
	Shown  []int64 `json:"shown"` // of each article asked for, the users it was shown to
	Plain  Answers `json:"plain"`
	Salted Answers `json:"salted"`
}

func newCounts(articles int) Counts {
	answers := func() Answers { return Answers{Articles: measure.NewArticles(), Hits: make([]int64, articles)} }
	return Counts{make([]int64, articles), answers(), answers()}
}

// stride returns the distance in ranks between articles that are asked for.
func stride(p *workload.Popular) int { return max(1, p.Articles()/asked) }

func askedOf(p *workload.Popular) (articles []int) {
	for a := 0; a < p.Articles(); a += stride(p) {
		articles = append(articles, a)
	}
	return articles
}

// Measure shows each user Shown articles, in an order of the user's own, and asks for the next Candidates and for all
// articles of askedOf: once with plain IDs, once with IDs salted for the user.
func Measure(ctx context.Context, o measure.Options, s strategies.Strategy, p *workload.Popular,
	secret strategies.Secret, users measure.Range,
) (Counts, error) {
	var all []strategies.ID // that all users are asked for
	for _, a := range askedOf(p) {
		all = append(all, p.ID(a))
	}
	return measure.Each(ctx, o, users, func() (*Counts, func(user int)) {
		counts, orders, every := newCounts(len(all)), p.Orders(), stride(p)
		var order [Shown + Candidates]int32
		var ids [Shown + Candidates]strategies.ID
		var had []int // places in all of what the user was shown
		var salted []strategies.ID
		var history []byte
		fresh, seen := make([]bool, Candidates), make([]bool, len(all))
		ask := func(a *Answers, order, all []strategies.ID) {
			history = s.Record(history[:0], order[:Shown])
			s.Seen(history, order[Shown:], fresh)
			a.Fresh.Add(Candidates, measure.Count(fresh, true))
			for i, hit := range fresh {
				a.Articles.Add(ids[Shown+i], hit)
			}
			s.Seen(history, all, seen)
			for _, at := range had {
				seen[at] = false
			}
			for i, hit := range seen {
				if hit {
					a.Hits[i]++
				}
			}
		}
		return &counts, func(user int) {
			orders.First(order[:], user)
			had = had[:0]
			for i, article := range order {
				ids[i] = orders.ID(int(article))
				if at := int(article) / every; i < Shown && at*every == int(article) {
					had = append(had, at)
					counts.Shown[at]++
				}
			}
			ask(&counts.Plain, ids[:], all)
			salt := secret.Salt(uint64(user))
			salted = salt.Append(salt.Append(salted[:0], ids[:]), all)
			ask(&counts.Salted, salted[:len(ids)], salted[len(ids):])
		}
	})
}

// A shape is a filter of several links of one geometry.
type shape struct {
	bloom.Geometry
	links, capacity int // capacity in articles, of a link
}

// shapes has the strategies for which covered approximates the rates of articles.
var shapes = map[string]shape{
	"single": {single.Paper.Geometry, 1, single.Paper.Capacity},
	"chain":  {chain.Paper.Geometry, chain.Paper.Links, chain.Paper.Capacity},
}

// certain is the largest chance: of an article that every user was shown.
const certain = 1 - 1e-12

// covered approximates the false positive rate of each of these articles without a salt. A position of a link is set
// with
//
//	P(set) = 1 - prod (1 - P(recorded))
//
// over the other articles that have it. A link reports the article if all its positions are set, and the history if any
// link does. It neglects that an article sets several positions at once, that the number of articles in a link is
// exact, and that an article is in one link only.
func (s shape) covered(p *workload.Popular, articles []int) []float64 {
	var at []int
	positions := func(article int) []int {
		at = s.Positions(at[:0], uint64(p.ID(article)))
		slices.Sort(at)
		return slices.Compact(at)
	}
	rates := slices.Repeat([]float64{1}, len(articles)) // first the chance that no link reports it
	before := make([]float64, p.Articles())
	for link := range s.links {
		after := p.Chances((link + 1) * s.capacity)
		logs := make([]float64, s.Bits) // of the chance that a position is not set
		unset := func(article int) float64 { return math.Log1p(-min(after[article]-before[article], certain)) }
		for article := range after {
			log := unset(article)
			for _, position := range positions(article) {
				logs[position] += log
			}
		}
		for i, article := range articles {
			own, rate := unset(article), 1.
			for _, position := range positions(article) {
				rate *= -math.Expm1(min(0, logs[position]-own))
			}
			rates[i] *= 1 - rate
		}
		before = after
	}
	for i, passed := range rates {
		rates[i] = 1 - passed
	}
	return rates
}

// An expectation is a histogram of measured rates: the expected number of articles for each rate, rounded to a step.
type expectation []float64

const step = 1e-5

// expected returns the histogram for articles with these rates, each measured with a number of independent users.
func expected(rates []float64, users []int64) expectation {
	e := make(expectation, int(1/step)+1)
	for i, p := range rates {
		n := float64(users[i])
		add := func(hits, chance float64) { e[int(math.Round(hits/n/step))] += chance }
		if p <= 0 {
			e[0]++
			continue
		}
		// From the mode up and down, by the quotient of neighbouring chances.
		mode := math.Min(math.Floor((n+1)*p), n)
		most := distuv.Binomial{N: n, P: p}.Prob(mode)
		for k, chance := mode, most; k <= n && chance > 1e-12; k++ {
			add(k, chance)
			chance *= (n - k) / (k + 1) * p / (1 - p)
		}
		for k, chance := mode, most; k > 0 && chance > 1e-12; k-- {
			chance *= k / (n - k + 1) * (1 - p) / p
			add(k-1, chance)
		}
	}
	return e
}

// at returns about the median of the rank-th highest rate, from 1: the rate that rank - 1/3 articles are expected to
// exceed.
func (e expectation) at(rank int) float64 {
	above := 0.
	for i, articles := range slices.Backward(e) {
		if above += articles; above >= float64(rank)-1./3 {
			return float64(i) * step
		}
	}
	return 0
}

func (e expectation) least(rate float64) (sum float64) {
	for i := int(math.Ceil(rate/step - 1e-6)); i < len(e); i++ {
		sum += e[i]
	}
	return sum
}
