package workload

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"slices"
	"testing"

	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

var popularities = []PopularConfig{
	{Articles: 5000, Exponent: 0.6}, {Articles: 5000, Exponent: 1}, {Articles: 50_000, Exponent: 1.2},
}

func popular(t testing.TB, c PopularConfig, seed uint64) *Popular {
	t.Helper()
	return strategytest.Value(NewPopular(c, seed, 1<<20))
}

// tables are small catalogues, and the catalogues of the experiments.
var tables = []PopularConfig{
	{Articles: 1000, Exponent: 0.6},
	{Articles: 1000, Exponent: 1.2},
	{Articles: 5000, Exponent: 0.6},
	{Articles: 5000, Exponent: 0.8},
	{Articles: 5000, Exponent: 1},
	{Articles: 5000, Exponent: 1.2},
	{Articles: 50_000, Exponent: 1},
	{Articles: 1_000_000, Exponent: 1},
}

// Every draw is found, and draws at the edges of an article give it and its neighbour.
func TestPopularTable(t *testing.T) {
	for _, c := range tables {
		p := popular(t, c, 1)
		for i := range c.Articles {
			first, last := p.sums[i], p.sums[i+1]-1
			if first > last || p.find(first) != int32(i) || p.find(last) != int32(i) {
				t.Fatalf("%v: article %d has the draws %d to %d, which are found to be of %d and %d", c, i, first, last,
					p.find(first), p.find(last))
			}
		}
		strategytest.Between(t, len(p.guide), c.Articles/2, 2*c.Articles+2, "%v: places of the index", c)
		law, sum := p.Share(9)/p.Share(99), 0.
		for i := range c.Articles {
			sum += p.Share(i)
		}
		if want := math.Pow(10, c.Exponent); math.Abs(law/want-1) > 1e-6 || math.Abs(sum-1) > 1e-9 {
			t.Errorf("%v: the 10th article is %v times as popular as the 100th, want %v; shares add up to %v", c, law, want, sum)
		}
	}
	strategytest.Near(t, popular(t, PopularConfig{Articles: 5000, Exponent: 1}, 1).Share(0), 1./9, 0.002,
		"the most popular of 5000 is of all draws")
}

// The last bits of math.Pow differ between processors. No weight is so near the middle between two whole
// numbers that a hundred times as large a difference would round it to the other one.
func TestPopularIsTheSameEverywhere(t *testing.T) {
	const slack = 1e-13 // of a result that is right to 1e-15
	for _, c := range tables {
		for i := range c.Articles {
			if w := c.weight(i); math.Round(w*(1-slack)) != math.Round(w*(1+slack)) {
				t.Errorf("%v: the weight of article %d is %.9f", c, i, w)
			}
		}
	}
	digest := fnv.New64a()
	dst := make([]int32, 400)
	for _, c := range tables {
		p := popular(t, c, 2016)
		for user := range 3 {
			p.Orders().First(dst, user)
			fmt.Fprint(digest, dst, p.ID(user))
		}
	}
	strategytest.Equal(t, digest.Sum64(), uint64(0xbab482ed8507667a), "orders and IDs have the digest")
}

// An order is the user's own, the same in whatever room and after whomever it is drawn, and has no article
// twice; what is drawn of it begins at its beginning.
func TestOrders(t *testing.T) {
	p := popular(t, PopularConfig{Articles: 1000, Exponent: 1.2}, 3)
	orders := p.Orders()
	long, again, short, others := make([]int32, 500), make([]int32, 500), make([]int32, 20), make([]int32, 500)
	for user := range 20 {
		orders.First(long, user)
		p.Orders().First(again, user)
		orders.First(short, user)
		if !slices.Equal(long, again) || !slices.Equal(long[:20], short) {
			t.Fatalf("user %d: %v, again %v, and 20 of them %v", user, long, again, short)
		}
		if slices.Equal(long, others) {
			t.Errorf("users %d and %d have the same order", user-1, user)
		}
		copy(others, long)
		slices.Sort(again)
		strategytest.Equal(t, len(slices.Compact(again)), len(long), "user %d: an article twice in %v", user, long)
	}
	popular(t, PopularConfig{Articles: 1000, Exponent: 1.2}, 4).Orders().First(again, 19)
	if slices.Equal(long, again) {
		t.Error("seeds 3 and 4 have the same order")
	}
	if p.Users() != 1<<20 || p.Articles() != 1000 {
		t.Errorf("%d users, %d articles", p.Users(), p.Articles())
	}
	defer func() {
		if recover() == nil {
			t.Error("501 of 1000 articles were drawn")
		}
	}()
	orders.First(make([]int32, 501), 0)
}

// octave returns the power of two that the rank of an article lies in.
func octave(article int) int { return int(math.Log2(float64(article + 1))) }

// chancesOf returns for each article the chance that it is among the first n of a user's order, n less than Articles:
// about 1 - exp(-t Share(article)), with the t at which the chances add up to n (Rosén, Asymptotic theory for
// successive sampling ..., 1972): articles arrive at rates equal to their shares, and t is the time.
func chancesOf(p *Popular, n int) []float64 {
	shares, chances := make([]float64, p.Articles()), make([]float64, p.Articles())
	for i := range shares {
		shares[i] = p.Share(i)
	}
	// Newton's method from below: the sum is concave in t, and at t = n below n.
	for t := float64(n); ; {
		sum, slope := 0., 0.
		for i, share := range shares {
			left := math.Exp(-t * share)
			chances[i] = 1 - left
			sum += 1 - left
			slope += share * left
		}
		step := (float64(n) - sum) / slope
		if step <= 1e-9*t {
			return chances
		}
		t += step
	}
}

// Chances add up to n, and match how often articles are drawn by 2000 users, by ranks in powers of two, within four
// standard errors and the approximation's own 0.1 %.
func TestChances(t *testing.T) {
	const users = 2000
	for _, c := range popularities {
		p := popular(t, c, 6)
		orders := p.Orders()
		for _, n := range []int{100, 500} {
			chances, dst := chancesOf(p, n), make([]int32, n)
			got, want := map[int]float64{}, map[int]float64{}
			for user := range users {
				orders.First(dst, user)
				for _, article := range dst {
					got[octave(int(article))]++
				}
			}
			sum, before := 0., 1.
			for i, chance := range chances {
				if chance > before || chance < 0 {
					t.Fatalf("%v: chances of %v before %v", c, before, chance)
				}
				before = chance
				sum += chance
				want[octave(i)] += users * chance
			}
			strategytest.Near(t, sum, float64(n), 1e-5, "%v: chances of being among %d add up to", c, n)
			for o, w := range want {
				strategytest.AtMost(t, math.Abs(got[o]-w), 4*math.Sqrt(w)+0.001*w,
					"%v, the first %d: ranks from %d were drawn %.0f times", c, n, 1<<o, got[o])
			}
		}
	}
}

func TestPopularIDs(t *testing.T) {
	p, other := popular(t, PopularConfig{Articles: 50_000, Exponent: 1}, 7), popular(t,
		PopularConfig{Articles: 5000, Exponent: 0.7}, 8)
	had := map[strategies.ID]bool{}
	for i := range p.Articles() {
		had[p.ID(i)] = true
	}
	strategytest.Equal(t, len(had), p.Articles(), "IDs of all articles")
	for i := range other.Articles() {
		if had[other.ID(i)] {
			t.Fatalf("article %d has an ID of another seed", i)
		}
	}
}

func TestPopularRefuses(t *testing.T) {
	for _, c := range []struct {
		config PopularConfig
		users  int
		want   string
	}{
		{PopularConfig{Articles: 999, Exponent: 1}, 1, "Articles is 999, want 1000 to 1000000"},
		{PopularConfig{Articles: 1_000_001, Exponent: 1}, 1, "Articles is 1000001"},
		{PopularConfig{Articles: 1000, Exponent: 0.59}, 1, "Exponent is 0.59, want 0.6 to 1.2"},
		{PopularConfig{Articles: 1000, Exponent: 1.21}, 1, "Exponent is 1.21"},
		{PopularConfig{Articles: 1000, Exponent: math.NaN()}, 1, "Exponent is NaN"},
		{PopularConfig{Articles: 1000, Exponent: 1}, 0, "users is 0"},
	} {
		strategytest.ErrorSays(t, fmt.Sprintf("%v, %d users", c.config, c.users),
			strategytest.ErrorOf(NewPopular(c.config, 1, c.users)), c.want)
	}
}

// Other habits are what they say: means within six standard errors, so that this
// fails by chance less than once in a hundred million times.
func TestHabits(t *testing.T) {
	c := DefaultDaily()
	c.Sessions, c.Sigma, c.Refreshes, c.LeastPause, c.PauseMean, c.Repeats, c.Octave = 2, 0, 4.5, 20, 100, 0.5, 0.5
	c.Recalled, c.PerRefresh = 32, 20
	d := strategytest.Value(NewDailyOf(c, 1, 20000))
	var sessions, refreshes, pauses, pause, gaps, gap float64
	shown := make([]int32, 1023) // ten octaves of ages
	for i := range shown {
		shown[i] = int32(i)
	}
	octaves, repeats, recalled := make([]float64, 10), 0., 0.
	for user := range 2000 {
		v := d.Visitor(user)
		last := uint32(0)
		for range 20 {
			at, _ := v.Next()
			refreshes++
			if took := float64(at - last); v.InSession() {
				pauses++
				pause += took
				if took < 20 {
					t.Fatalf("a pause of %v s, want 20 at least", took)
				}
			} else {
				sessions++
				gaps++
				gap += took
			}
			last = at
		}
		for range 20 { // one by one: what is in the request already would be a fresh one
			var article [1]int32
			var age [1]int
			var id [1]strategies.ID
			v.Recall(shown, article[:], age[:], id[:])
			if recalled++; age[0] > 0 {
				repeats++
				octaves[bits.Len(uint(age[0]))-1]++
			}
		}
	}
	near := func(what string, got, want, err float64) {
		strategytest.Near(t, got, want, 6*err, "%s", what)
	}
	// Of refreshes that follow another, each is the session's next with the same chance.
	near("share within sessions", pauses/(refreshes-2000), 1-1/4.5, math.Sqrt(1/4.5*(1-1/4.5)/(refreshes-2000)))
	near("pause", pause/pauses, 119.5, 100/math.Sqrt(pauses)+0.05) // whole seconds are cut
	near("gap", gap/gaps, 43200, 43200/math.Sqrt(gaps))
	near("repeats", repeats/recalled, 0.5, 0.5/math.Sqrt(recalled))
	for i, n := range octaves {
		want := math.Exp2(-float64(i+1)) / (1 - math.Exp2(-10))
		near("octave", n/repeats, want, math.Sqrt(want/repeats))
	}
	for _, n := range []int{1, 5, 31} {
		for range 100 {
			if o := d.habits.octave(&draws{key: uint64(n)}, n); o < 0 || o >= n {
				t.Fatalf("octave %d of %d", o, n)
			}
		}
	}
}

// A field out of its range is named, with value and range.
func TestHabitsAreChecked(t *testing.T) {
	for _, c := range []struct {
		change func(c *DailyConfig)
		reason string
	}{
		{func(c *DailyConfig) { c.Sessions = 0 }, "Sessions is 0, want 0.001 to 1000"},
		{func(c *DailyConfig) { c.Sigma = -1 }, "Sigma is -1, want 0 to 5"},
		{func(c *DailyConfig) { c.Sigma = math.NaN() }, "Sigma is NaN, want 0 to 5"},
		{func(c *DailyConfig) { c.Refreshes = 0.5 }, "Refreshes is 0.5, want 1 to 10000"},
		{func(c *DailyConfig) { c.LeastPause = -1 }, "LeastPause is -1, want 0 to 3600"},
		{func(c *DailyConfig) { c.PauseMean = 86401 }, "PauseMean is 86401, want 0 to 86400"},
		{func(c *DailyConfig) { c.Recalled = 4097 }, "Recalled is 4097, want 1 to 4096"},
		{func(c *DailyConfig) { c.PerRefresh = 17 }, "PerRefresh is 17, want 1 to 16"},
		{func(c *DailyConfig) { c.Repeats = 1.5 }, "Repeats is 1.5, want 0 to 1"},
		{func(c *DailyConfig) { c.Octave = 0 }, "Octave is 0, want 0.01 to 100"},
	} {
		config := DefaultDaily()
		c.change(&config)
		strategytest.ErrorSays(t, "it", strategytest.ErrorOf(NewDailyOf(config, 1, 10)), c.reason)
	}
	strategytest.ErrorSays(t, "nobody", strategytest.ErrorOf(NewDailyOf(DefaultDaily(), 1, 0)),
		"number of users is 0, want 1 to")
	// The extremes work, and their clocks do not overflow.
	for _, c := range []DailyConfig{
		{Sessions: 0.001, Sigma: 5, Refreshes: 1, Recalled: 1, PerRefresh: 1, Octave: 0.01},
		{
			Sessions: 1000, Sigma: 5, Refreshes: 10000, LeastPause: 3600, PauseMean: 86400,
			Recalled: MaxRecalled, PerRefresh: 1, Repeats: 1, Octave: 100,
		},
	} {
		d := strategytest.Value(NewDailyOf(c, 1, 100))
		for user := range 100 {
			v := d.Visitor(user)
			for last, n := uint32(0), 0; n < 20; n++ {
				at, ok := v.Next()
				if !ok {
					break
				}
				if at < last || at >= Horizon {
					t.Fatalf("%d follows %d", at, last)
				}
				last = at
			}
		}
	}
}
