package classes_test

import (
	"math"
	"testing"

	"dejavu/beyond/classes"
	"dejavu/bloom"
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
