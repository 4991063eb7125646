package strategytest

import (
	"math"
	"math/rand/v2"
	"slices"

	"dejavu/strategies"
)

// A Popularity is a population whose articles differ in popularity: every user is shown
// Shown of Articles, drawn without replacement by Zipf's law with that Exponent.
type Popularity struct {
	Articles, Shown, Users int
	Exponent               float64
}

// FPR is the false positive rate of a strategy by article, ascending: of each article
// the share of the users it was not shown to who have it wrongly reported as seen. Articles
// that were not shown to least users at least are left out. salt, if not nil, is each
// user's own.
func (p Popularity) FPR(s strategies.Strategy, salt func(user int) strategies.Salt, least int) []float64 {
	ids, below := make([]strategies.ID, p.Articles), make([]float64, p.Articles) // shares of draws, summed
	random, sum := rand.New(rand.NewPCG(2016, 14)), 0.
	for i := range ids {
		sum += math.Pow(float64(i+1), -p.Exponent)
		ids[i], below[i] = strategies.ID(random.Uint64()), sum
	}
	hits, unseen := make([]int, p.Articles), make([]int, p.Articles)
	last := make([]int, p.Articles) // the user, and 1, who was shown it last
	shown, seen := make([]strategies.ID, 0, p.Shown), make([]bool, p.Articles)
	for user := range p.Users {
		mixed := ids
		if salt != nil {
			mixed = salt(user).Append(nil, ids)
		}
		for shown = shown[:0]; len(shown) < p.Shown; {
			i, _ := slices.BinarySearch(below, random.Float64()*sum)
			if last[i] <= user {
				last[i] = user + 1
				shown = append(shown, mixed[i])
			}
		}
		s.Seen(s.Record(nil, shown), mixed, seen)
		for i, user1 := range last {
			if user1 == user+1 {
				continue
			}
			unseen[i]++
			if seen[i] {
				hits[i]++
			}
		}
	}
	var rates []float64
	for i, n := range unseen {
		if n >= least {
			rates = append(rates, float64(hits[i])/float64(n))
		}
	}
	slices.Sort(rates)
	return rates
}
