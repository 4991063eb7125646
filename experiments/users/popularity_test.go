package users

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
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

// Of a strategy whose answers are known, every count is: each user is asked for the candidates next in the
// order, and for all articles at the stride but those shown; with a salt, for the salted IDs of the same.
func TestCounts(t *testing.T) {
	const users = 20
	for _, c := range []workload.PopularConfig{{Articles: 1200, Exponent: 1.2}, {Articles: 15_000, Exponent: 1}} {
		p := catalogueOf(t, c, 9, users)
		all := askedOf(p)
		if want := min(c.Articles, 5000); len(all) != want || all[0] != 0 || all[want-1] != (want-1)*(c.Articles/want) {
			t.Fatalf("%v: %d articles are asked for, the last is %d", c, len(all), all[len(all)-1])
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

// An article's rate is the product over its distinct positions of the chance that another article set it
// there, by brute force over all articles.
func TestCovered(t *testing.T) {
	p := catalogueOf(t, workload.PopularConfig{Articles: 1000, Exponent: 1}, 4, 1)
	articles := []int{0, 1, 10, 500, 999}
	for name, s := range shapes {
		got := s.covered(p, articles)
		for i, article := range articles {
			passed := 1.
			for link := range s.links {
				after, before := p.Chances((link+1)*s.capacity), make([]float64, p.Articles())
				if link > 0 {
					before = p.Chances(link * s.capacity)
				}
				rate := 1.
				for position := range s.Bits {
					if !slices.Contains(s.Positions(nil, uint64(p.ID(article))), position) {
						continue
					}
					unset := 1.
					for other := range p.Articles() {
						if other != article && slices.Contains(s.Positions(nil, uint64(p.ID(other))), position) {
							unset *= 1 - (after[other] - before[other])
						}
					}
					rate *= 1 - unset
				}
				passed *= 1 - rate
			}
			strategytest.Near(t, got[i], 1-passed, 1e-6, "%s: article %d has the rate", name, article)
		}
	}
}

// Expectations have all articles, each as often as the binomial distribution says; the median of the highest
// is where all are below it in half of the cases.
func TestExpected(t *testing.T) {
	rates, users := []float64{0, 0.02, 0.5, 0.02, 0.9}, []int64{1000, 2000, 1500, 400, 1000}
	e := expected(rates, users)
	strategytest.Near(t, e.least(0), 5, 1e-6, "articles")
	for _, rate := range []float64{0.005, 0.02, 0.023, 0.5, 0.51, 0.9, 0.91} {
		want := 0.
		for i, p := range rates {
			n := float64(users[i])
			if p > 0 {
				want += distuv.Binomial{N: n, P: p}.Survival(math.Ceil(rate*n-1e-9) - 1)
			}
		}
		strategytest.Near(t, e.least(rate), want, 1e-6, "articles at %v or more", rate)
	}
	alike := expected(slices.Repeat([]float64{0.02}, 4800), slices.Repeat([]int64{2000}, 4800))
	below := math.Pow(distuv.Binomial{N: 2000, P: 0.02}.CDF(2000*alike.at(1)-1), 4800)
	upTo := math.Pow(distuv.Binomial{N: 2000, P: 0.02}.CDF(2000*alike.at(1)), 4800)
	if below > 0.5 || upTo < 0.5 {
		t.Errorf("the highest of 4800 is %v: below it with the probability %v, at most it with %v", alike.at(1), below, upTo)
	}
	strategytest.Equal(t, alike.at(2400), 0.02, "the median is")
	strategytest.Equal(t, (expectation{}).at(1), 0, "of no articles the highest is")
}

// Articles that more than half of the users were shown are left out.
func TestMeasuredArticles(t *testing.T) {
	p := catalogueOf(t, workload.PopularConfig{Articles: 1000, Exponent: 1}, 1, 10)
	counts := newCounts(1000)
	for i := range counts.Shown {
		counts.Shown[i] = int64(i % 11)
	}
	for range 10 {
		counts.Plain.Fresh.Add(Candidates, 1)
	}
	counts.Plain.Hits[16], counts.Plain.Hits[17] = 3, 4
	m := newMeasured(headline, p, counts)
	rates := m.lost("single", unsalted, counts.Plain, nil).rates
	if len(m.articles) != 546 || m.articles[6] != 11 || m.at[11] != 16 || m.users[11] != 5 ||
		rates[11] != 0.6 || slices.Max(rates) != 0.6 {
		t.Errorf("%d articles, the 12th at %d of %d users with the rate %v",
			len(m.articles), m.at[11], m.users[11], rates[11])
	}
}

// Catalogues are drawn anew with every seed: no two of those nearby share one.
func TestCataloguesOfSeeds(t *testing.T) {
	const nearby = 3
	drawn := map[strategies.ID]string{} // by the most popular article
	for seed := uint64(2016); seed < 2016+nearby; seed++ {
		scope := engine.Scope{Users: 10, Seed: seed, Entries: catalogue.All()}
		run := engine.New(t.Context(), scope, engine.NewProgress(t.Output()))
		for _, m := range redrawn {
			id, here := m.population(run).ID(0), fmt.Sprintf("number %d of seed %d", m.number, seed)
			if there, ok := drawn[id]; ok {
				t.Errorf("%s is %s", here, there)
			}
			drawn[id] = here
		}
	}
	strategytest.Equal(t, len(drawn), nearby*len(redrawn), "catalogues")
}

// The spread is what the articles differ by, whatever chance adds: of 200 times 1000 articles of 2000 users the
// interval holds it in 95 of 100, but for 4 standard errors, where half of them have 0.01 more than the others; of
// articles that are alike it holds 0 in 97.5 of 100, for it has no lower side. The rates themselves spread by more.
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
