package strategytest

import (
	"math"
	"slices"
	"testing"

	"dejavu/strategies"
)

// A list remembers exactly what was shown; one that says so of everything has a rate of
// 1, and one that says so of every other user's first article that user's share. Rare
// articles are known of more users.
func TestPopularity(t *testing.T) {
	p := Popularity{Articles: 50, Shown: 20, Users: 40, Exponent: 1}
	exact := newList(20)
	none := p.FPR(exact, nil, 1)
	if slices.Max(none) != 0 {
		t.Errorf("a list has rates %v", none)
	}
	all := faulty{list: exact, seen: func(_ *list, _ []byte, c []id, s []bool) {
		for i := range c {
			s[i] = true
		}
	}}
	if rates := p.FPR(all, nil, 1); slices.Min(rates) != 1 || len(rates) != len(none) {
		t.Errorf("a strategy that has seen everything has rates %v", rates)
	}
	if few := p.FPR(all, nil, 30); len(few) >= len(none) || len(few) == 0 {
		t.Errorf("%d articles were not shown to 30 users, and %d not to one", len(few), len(none))
	}
	g := newFilter(independent)
	mean := func(rates []float64) (sum float64) {
		for _, r := range rates {
			sum += r / float64(len(rates))
		}
		return sum
	}
	secret, err := strategies.NewSecret([]byte("salts of the test's users"))
	if err != nil {
		t.Fatal(err)
	}
	p.Articles, p.Shown, p.Users = 500, 150, 400
	plain := p.FPR(g, nil, 200)
	salted := p.FPR(g, func(user int) strategies.Salt { return secret.Salt(uint64(user)) }, 200)
	if want := g.FPR(150); math.Abs(mean(plain)-want) > 0.3*want || math.Abs(mean(salted)-want) > 0.3*want {
		t.Errorf("mean rates %v and %v, want %v", mean(plain), mean(salted), want)
	}
	if spread := func(rates []float64) float64 { return rates[len(rates)-1] - rates[0] }; spread(plain) <= spread(salted) {
		t.Errorf("with a salt for each user rates differ by %v, without by %v", spread(salted), spread(plain))
	}
}
