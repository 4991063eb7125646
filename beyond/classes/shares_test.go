package classes_test

import (
	"math"
	"testing"

	"dejavu/beyond/classes"
	"dejavu/bloom"
	"dejavu/strategies"
	"dejavu/strategies/strategytest"
)

// A population counted by hand: ten users of 31 articles fill the first class of the ladder, two of 32 have
// the second, three of one article the first again, and one of 600 outgrows the last.
func TestShares(t *testing.T) {
	histogram := make([]int64, 700)
	histogram[0], histogram[1], histogram[31], histogram[32], histogram[600] = 1000, 3, 10, 2, 1
	g := func(i int) bloom.Geometry { return classes.Ladder.Classes[i].Geometry }
	before := func(n, i int) (sum float64) { // the rates before each of n articles
		for read := range n {
			sum += bloom.Exact(read, g(i))
		}
		return sum
	}
	want := []classes.Share{
		{
			Class: 0, Users: 13, Articles: 3*1 + 10*31, Bytes: 13 * 33,
			End:   (3*bloom.Exact(1, g(0)) + 10*bloom.Exact(31, g(0))) / 13,
			Life:  10 * before(31, 0) / 313, // before the first article there is nothing to mistake
			Worst: bloom.Exact(31, g(0)),
		},
		{
			Class: 1, Users: 2, Articles: 64, Bytes: 2 * 65,
			End: bloom.Exact(32, g(1)), Life: before(32, 1) / 32, Worst: bloom.Exact(32, g(1)),
		},
		{Class: 2},
		{Class: 3},
		{
			Class: 4, Users: 1, Articles: 600, Bytes: 511,
			End: bloom.Exact(600, g(4)), Life: before(600, 4) / 600, Worst: bloom.Exact(600, g(4)),
		},
	}
	same := func(what string, got, want classes.Share) {
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*b }
		if got.Class != want.Class || got.Users != want.Users || got.Articles != want.Articles || got.Bytes != want.Bytes ||
			!near(got.End, want.End) || !near(got.Life, want.Life) || !near(got.Worst, want.Worst) {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	got := build(t, classes.Ladder).Shares(histogram)
	if len(got) != len(want) {
		t.Fatalf("%d shares, want %d", len(got), len(want))
	}
	for i := range got {
		same("a class", got[i], want[i])
	}
	same("all together", classes.Total(got), classes.Share{
		Class: -1, Users: 16, Articles: 977, Bytes: 13*33 + 2*65 + 511,
		End:   (13*want[0].End + 2*want[1].End + want[4].End) / 16,
		Life:  (313*want[0].Life + 64*want[1].Life + 600*want[4].Life) / 977,
		Worst: want[4].Worst,
	})
	same("nobody", classes.Total(build(t, paper).Shares(nil)), classes.Share{Class: -1})
}

// Users who live: each has the class that fits, is asked for an unseen article before every one that is read,
// and for a hundred when all is read. The bytes are those computed, and the rates lie within four standard
// errors, clustered by user: right ones miss in one of the eight with a probability of 5e-4, once and for
// all.
func TestSharesAreMeasured(t *testing.T) {
	histogram := make([]int64, 301)
	histogram[3], histogram[8], histogram[20], histogram[21], histogram[90], histogram[300] = 3000, 1000, 900, 300, 200, 60
	c, err := classes.Best(histogram, 4, 0.1)
	strategytest.Must(t, err)
	f := build(t, c)
	type tally struct{ hits, squared, mixed, asked, askedSquared float64 } // over users
	add := func(a *tally, hits, asked float64) {
		a.hits, a.squared, a.mixed = a.hits+hits, a.squared+hits*hits, a.mixed+hits*asked
		a.asked, a.askedSquared = a.asked+asked, a.askedSquared+asked*asked
	}
	// z is how many standard errors of a ratio of sums the measured rate is off.
	z := func(a tally, rate float64) float64 {
		variance := a.squared - 2*rate*a.mixed + rate*rate*a.askedSquared
		return (a.hits - rate*a.asked) / math.Sqrt(variance)
	}
	end, life := make([]tally, f.Len()), make([]tally, f.Len())
	bytes := make([]int64, f.Len())
	seed := uint64(0)
	seen := make([]bool, 100)
	for n, users := range histogram {
		class := f.Of(n)
		for range users {
			seed++
			ids := strategytest.IDs(seed, 2*n+len(seen))
			shown, fresh := ids[:n], ids[n:]
			hits := 0
			var history []byte
			for i := range shown {
				f.Class(class).Seen(history, fresh[i:i+1], seen[:1])
				if seen[0] {
					hits++
				}
				history = f.Class(class).Record(history, shown[i:i+1])
			}
			add(&life[class], float64(hits), float64(n))
			hits = ask(f.Class(class), history, fresh[n:], seen)
			add(&end[class], float64(hits), float64(len(seen)))
			bytes[class] += int64(len(history))
		}
	}
	for i, s := range f.Shares(histogram) {
		if s.Bytes != bytes[i] {
			t.Errorf("class %d: %d bytes, measured %d", i, s.Bytes, bytes[i])
		}
		if z := z(end[i], s.End); !(math.Abs(z) <= 4) {
			t.Errorf("class %d: %.5f at the end, measured %.5f: %.1f standard errors off", i, s.End, end[i].hits/end[i].asked, z)
		}
		if z := z(life[i], s.Life); !(math.Abs(z) <= 4) {
			t.Errorf("class %d: %.5f over life, measured %.5f: %.1f standard errors off", i, s.Life, life[i].hits/life[i].asked,
				z)
		}
	}
}

// ask counts the candidates that a history reports as seen.
func ask(s strategies.Strategy, history []byte, candidates []strategies.ID, seen []bool) (hits int) {
	s.Seen(history, candidates, seen)
	for _, s := range seen {
		if s {
			hits++
		}
	}
	return hits
}
