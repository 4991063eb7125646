package popularity

import (
	"reflect"
	"testing"

	"dejavu/measure"
	"dejavu/single"
	"dejavu/strategies"
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
	p, err := workload.NewPopular(c, seed, users)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func secret(t *testing.T) strategies.Secret {
	t.Helper()
	s, err := strategies.NewSecret([]byte("salts of the tests of popularity"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func count(t *testing.T, s strategies.Strategy, p *workload.Popular, users measure.Range, workers int) Counts {
	t.Helper()
	counts, err := Measure(t.Context(), measure.Options{Workers: workers}, s, p, secret(t), users)
	if err != nil {
		t.Fatal(err)
	}
	return counts
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
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: counts differ from those by hand", c)
		}
		if reflect.DeepEqual(want.Plain, want.Salted) || want.Shown[0] != users {
			t.Errorf("%v: salts change nothing, or the most popular article was shown to %d of %d", c, want.Shown[0], users)
		}
	}
}

func paper(t *testing.T) *single.Filter {
	t.Helper()
	filter, err := single.New(single.Paper)
	if err != nil {
		t.Fatal(err)
	}
	return filter
}
