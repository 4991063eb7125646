package popularity

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/chain"
	"dejavu/measure"
	"dejavu/strategies"
	"dejavu/workload"
)

// The headline: 2000 users of the single filter and of the chain. By article the rate differs many times more
// than by chance without a salt, and by chance alone with one, and theory knows both: which articles, how
// many, and how far.
//
// Salted, an article unseen by n users has a rate with a standard error of sqrt(0.02*0.98/n), 0.31 % for
// most: the 99th percentile is 2.3 of them above the mean.
func TestHeadline(t *testing.T) {
	links, err := chain.New(chain.Paper)
	if err != nil {
		t.Fatal(err)
	}
	p := catalogueOf(t, headline.PopularConfig, 2016, most)
	for _, c := range []struct {
		name             string
		strategy         strategies.Strategy
		mean             float64
		p99, worst       [2]float64 // without a salt, least and most
		salted99, salted float64    // most
	}{
		{"single", paper(t), paper(t).FPR(Shown), [2]float64{0.13, 0.17}, [2]float64{0.4, 0.65}, 0.0295, 0.04},
		{"chain", links, links.FPR(Shown), [2]float64{0.23, 0.3}, [2]float64{0.45, 0.65}, 0.118, 0.145},
	} {
		counts := count(t, c.strategy, p, measure.Range{To: most}, 2)
		m := newMeasured(headline, p, counts)
		plain := m.lost(c.name, unsalted, counts.Plain, shapes[c.name].covered(p, m.articles))
		salted := m.lost(c.name, salted, counts.Salted, nil)
		if fit := stat.Correlation(plain.rates, plain.theory, nil); fit < 0.98 {
			t.Errorf("%s: theory's rates of articles have the correlation %.4f with those measured", c.name, fit)
		}
		if got, want := stat.Mean(plain.rates, nil), stat.Mean(plain.theory, nil); math.Abs(got/want-1) > 0.06 {
			t.Errorf("%s: mean rate by article %.4f, theory %.4f", c.name, got, want)
		}
		if low, high := plain.Articles.Interval(plain.Fresh); c.mean < low || c.mean > high {
			t.Errorf("%s: candidates' rate %.4f to %.4f, theory %.4f", c.name, low, high, c.mean)
		}
		chance := expected(slices.Repeat([]float64{c.mean}, len(m.users)), m.users)
		slices.Sort(plain.rates)
		slices.Sort(salted.rates)
		n := len(m.users)
		top := (n + 99) / 100
		p99, worst, salted99, saltedWorst := plain.rates[n-top], plain.rates[n-1], salted.rates[n-top], salted.rates[n-1]
		t.Logf("%s, of %d articles: 99th percentile %.4f, worst %.4f; salted %.4f and %.4f", c.name, n, p99, worst, salted99, saltedWorst)
		if p99 < c.p99[0] || p99 > c.p99[1] || worst < c.worst[0] || worst > c.worst[1] {
			t.Errorf("%s: 99th percentile %.4f, worst %.4f, want %v and %v", c.name, p99, worst, c.p99, c.worst)
		}
		if theory := expected(plain.theory, m.users).at(top); math.Abs(p99/theory-1) > 0.1 {
			t.Errorf("%s: 99th percentile %.4f, theory %.4f", c.name, p99, theory)
		}
		if salted99 > c.salted99 || saltedWorst > c.salted || math.Abs(salted99/chance.at(top)-1) > 0.03 {
			t.Errorf("%s: salted %.4f, worst %.4f, theory %.4f and %.4f", c.name, salted99, saltedWorst, chance.at(top), chance.at(1))
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
			if want := 1 - passed; math.Abs(got[i]-want) > 1e-6 {
				t.Errorf("%s: article %d has the rate %v, want %v", name, article, got[i], want)
			}
		}
	}
}

// Expectations have all articles, each as often as the binomial distribution says; the median of the highest
// is where all are below it in half of the cases.
func TestExpected(t *testing.T) {
	rates, users := []float64{0, 0.02, 0.5, 0.02, 0.9}, []int64{1000, 2000, 1500, 400, 1000}
	e := expected(rates, users)
	if all := e.least(0); math.Abs(all-5) > 1e-6 {
		t.Errorf("%v articles, want 5", all)
	}
	for _, rate := range []float64{0.005, 0.02, 0.023, 0.5, 0.51, 0.9, 0.91} {
		want := 0.
		for i, p := range rates {
			n := float64(users[i])
			if p > 0 {
				want += distuv.Binomial{N: n, P: p}.Survival(math.Ceil(rate*n-1e-9) - 1)
			}
		}
		if got := e.least(rate); math.Abs(got-want) > 1e-6 {
			t.Errorf("%v articles at %v or more, want %v", got, rate, want)
		}
	}
	alike := expected(slices.Repeat([]float64{0.02}, 4800), slices.Repeat([]int64{2000}, 4800))
	below := math.Pow(distuv.Binomial{N: 2000, P: 0.02}.CDF(2000*alike.at(1)-1), 4800)
	upTo := math.Pow(distuv.Binomial{N: 2000, P: 0.02}.CDF(2000*alike.at(1)), 4800)
	if below > 0.5 || upTo < 0.5 {
		t.Errorf("the highest of 4800 is %v: below it with the probability %v, at most it with %v", alike.at(1), below, upTo)
	}
	if got := alike.at(2400); got != 0.02 {
		t.Errorf("the median is %v, want 0.02", got)
	}
	if none := (expectation{}).at(1); none != 0 {
		t.Errorf("of no articles the highest is %v", none)
	}
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
	if len(m.articles) != 546 || m.articles[6] != 11 || m.at[11] != 16 || m.users[11] != 5 || rates[11] != 0.6 || slices.Max(rates) != 0.6 {
		t.Errorf("%d articles, the 12th at %d of %d users with the rate %v", len(m.articles), m.at[11], m.users[11], rates[11])
	}
}
