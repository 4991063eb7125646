package users

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/experiments/catalogue"
	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
	"dejavu/workload"
)

// odd remembers nothing, and reports the odd IDs as seen.
type odd struct{}

func (odd) Sizes() []int                                    { return nil }
func (odd) Validate([]byte) error                           { return nil }
func (odd) Record(history []byte, _ []strategies.ID) []byte { return history }
func (odd) Seen(_ []byte, candidates []strategies.ID, seen []bool) {
	for i, id := range candidates {
		seen[i] = id&1 == 1
	}
}

func catalogueOf(t *testing.T, c workload.PopularConfig, seed uint64, users int) *workload.Popular {
	t.Helper()
	p := catalogue.Must(workload.NewPopular(c, seed, users))
	return p
}

func secret(t *testing.T) strategies.Secret {
	t.Helper()
	s := catalogue.Must(strategies.NewSecret([]byte("salts of the tests of popularity")))
	return s
}

func count(t *testing.T, s strategies.Strategy, p *workload.Popular, users measure.Range, workers int) Counts {
	t.Helper()
	return strategytest.Value(Measure(t.Context(), measure.Options{Workers: workers}, s, p, secret(t), users))
}

// With a strategy of known answers every count is known: each user is asked for the next candidates in the order, and
// for all articles at the stride except those shown; with a salt, for their salted IDs.
func TestCounts(t *testing.T) {
	const users = 20
	for _, c := range []workload.PopularConfig{{Articles: 1200, Exponent: 1.2}, {Articles: 15_000, Exponent: 1}} {
		p := catalogueOf(t, c, 9, users)
		var all []int
		for a := 0; a < c.Articles; a += max(1, c.Articles/5000) {
			all = append(all, a)
		}
		want := newCounts(len(all))
		orders, order := p.Orders(), make([]int32, Shown+Candidates)
		for user := range users {
			orders.First(order, user)
			shown := map[int]bool{}
			for _, article := range order[:Shown] {
				shown[int(article)] = true
			}
			salt := secret(t).Salt(uint64(user))
			for _, of := range []struct {
				*Answers
				id func(article int) strategies.ID
			}{{&want.Plain, p.ID}, {&want.Salted, func(article int) strategies.ID { return salt.ID(p.ID(article)) }}} {
				hits := 0
				for _, article := range order[Shown:] {
					hit := of.id(int(article))&1 == 1
					if hit {
						hits++
					}
					of.Articles.Add(p.ID(int(article)), hit)
				}
				of.Fresh.Add(Candidates, hits)
				for i, article := range all {
					if !shown[article] && of.id(article)&1 == 1 {
						of.Hits[i]++
					}
				}
			}
			for i, article := range all {
				if shown[article] {
					want.Shown[i]++
				}
			}
		}
		got := count(t, odd{}, p, measure.Range{From: 7, To: users}, 2)
		measure.Sum(&got, count(t, odd{}, p, measure.Range{To: 7}, 1))
		strategytest.DeepEqual(t, got, want, "%v: counts differ from those by hand", c)
		if reflect.DeepEqual(want.Plain, want.Salted) || want.Shown[0] != users {
			t.Errorf("%v: salts change nothing, or the most popular article was shown to %d of %d", c, want.Shown[0], users)
		}
	}
}

// Articles that more than half of the users were shown are left out.
func TestMeasuredArticles(t *testing.T) {
	counts := newCounts(1000)
	for i := range counts.Shown {
		counts.Shown[i] = int64(i % 11)
	}
	for range 10 {
		counts.Plain.Fresh.Add(Candidates, 1)
	}
	at, users := measured(counts)
	if len(at) != 546 || at[6] != 11 || at[11] != 16 || users[11] != 5 || users[6] != 10 {
		t.Errorf("%d articles, the 12th at %d of %d users", len(at), at[11], users[11])
	}
}

// The spread estimates how articles differ, without chance. Of 200 times 1000 articles of 2000 users, half with 0.01
// more than the others, the interval holds it in 95 of 100, but for 4 standard errors. For equal articles it holds 0 in
// 97.5 of 100: it has no lower side. The rates themselves spread by more.
func TestSpread(t *testing.T) {
	const times, articles, users = 200, 1000, 2000
	source := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ apart, covered float64 }{{0, 0.975}, {0.01, 0.95}} {
		held, sum, crude := 0., 0., 0.
		for range times {
			l := lost{strategy: "single", salt: salted, users: slices.Repeat([]int64{users}, articles)}
			for i := range articles {
				p := 0.02 + c.apart*float64(i%2)
				l.rates = append(l.rates, distuv.Binomial{N: users, P: p, Src: source}.Rand()/users)
			}
			r := l.spread()
			if want := c.apart / 2; r.Low.Or(1) <= want && want <= r.High.Or(0) {
				held++
			}
			sum += r.Value.Or(0) * r.Value.Or(0)
			crude += stat.PopVariance(l.rates, nil)
		}
		share, want := held/times, c.apart/2
		strategytest.Near(t, share, c.covered, 4*math.Sqrt(c.covered*(1-c.covered)/times),
			"%v apart: %v of %d intervals hold the spread", c.apart, held, times)
		if got := math.Sqrt(sum / times); math.Abs(got-want) > 0.0006 || math.Sqrt(crude/times) < want+0.001 {
			t.Errorf("%v apart: a spread of %.5f of %.5f, want %v", c.apart, got, math.Sqrt(crude/times), want)
		}
	}
}
