package popularity

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/single"
	"dejavu/workload"
)

// A shape is a filter whose links each hold so many articles of Shown, one after the other, all at the
// positions of one geometry.
type shape struct {
	bloom.Geometry
	links, capacity int
}

// shapes are those of the strategies that the false positives of an article without a salt are approximated
// for.
var shapes = map[string]shape{
	"single": {single.Paper.Geometry, 1, single.Paper.Capacity},
	"chain":  {chain.Paper.Geometry, chain.Paper.Links, chain.Paper.Capacity},
}

// certain is what a chance is taken for at most: an article that every user was shown.
const certain = 1 - 1e-12

// covered approximates the false positive rate of each of these articles without a salt, by the fill of its
// positions: a position of a link is set unless none of the articles that have it was recorded there,
//
//	P(set) = 1 - prod (1 - P(recorded))
//
// over those articles, the one that is asked for left out; a link reports the article if all its positions
// are set, and the history if any link does. It neglects that an article sets several positions at once, that
// a link has so many articles and not about so many, and that an article in one link is in no other.
func (s shape) covered(p *workload.Popular, articles []int) []float64 {
	positions := func(dst []int, article int) []int {
		dst = s.Positions(dst[:0], uint64(p.ID(article)))
		slices.Sort(dst)
		return slices.Compact(dst)
	}
	passed := make([]float64, len(articles)) // the chance that no link reports it
	for i := range passed {
		passed[i] = 1
	}
	var at []int
	before := make([]float64, p.Articles())
	for link := range s.links {
		after := p.Chances((link + 1) * s.capacity)
		logs := make([]float64, s.Bits) // of the chance that a position is not set
		unset := func(article int) float64 { return math.Log1p(-min(after[article]-before[article], certain)) }
		for article := range after {
			log := unset(article)
			at = positions(at, article)
			for _, position := range at {
				logs[position] += log
			}
		}
		for i, article := range articles {
			own, rate := unset(article), 1.
			at = positions(at, article)
			for _, position := range at {
				rate *= -math.Expm1(min(0, logs[position]-own))
			}
			passed[i] *= 1 - rate
		}
		before = after
	}
	rates := make([]float64, len(articles))
	for i, chance := range passed {
		rates[i] = 1 - chance
	}
	return rates
}

// An expectation is how measured rates scatter: the expected number of articles by the share of the users
// that have the article reported as seen, rounded to a step.
type expectation []float64

// step is a hundred thousandth.
const step = 1e-5

// expected is the expectation where each of the articles has this rate, and so many users who are asked for
// it, each with an answer of their own.
func expected(rates []float64, users []int64) expectation {
	e := make(expectation, int(1/step)+1)
	for i, p := range rates {
		n := float64(users[i])
		add := func(hits, chance float64) { e[int(math.Round(hits/n/step))] += chance }
		if p <= 0 {
			add(0, 1)
			continue
		}
		// From the mode up and down, by the quotient of neighbours, to where nothing is left.
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

// at is about the median of the rank-th highest rate, from 1: the one that is expected of rank - 1/3
// articles, as of a Poisson process of them.
func (e expectation) at(rank int) float64 {
	above := 0.
	for i, articles := range slices.Backward(e) {
		if above += articles; above >= float64(rank)-1./3 {
			return float64(i) * step
		}
	}
	return 0
}

// least is the expected number of articles with this rate or more.
func (e expectation) least(rate float64) (sum float64) {
	for i := int(math.Ceil(rate/step - 1e-6)); i < len(e); i++ {
		sum += e[i]
	}
	return sum
}
