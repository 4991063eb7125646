package classes_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dejavu/beyond/classes"
	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

// total returns the bytes of all users' histories.
func total(t testing.TB, c classes.Config, histogram []int64) int64 {
	return classes.Total(build(t, c).Shares(histogram)).Bytes
}

// Up to 40 articles, 1000/n users of n: golden values from a dynamic programme over every number of articles, with
// lengths by the recursion of Bose et al. (2008), computed outside the project. Four classes take 36 % of one.
func TestClasses(t *testing.T) {
	histogram := []int64{12345} // newcomers, who do not count
	for n := int64(1); n <= 40; n++ {
		histogram = append(histogram, 1000/n)
	}
	for _, tt := range []struct {
		bytes int64
		ends  []int
	}{
		{179046, []int{40}},
		{91236, []int{10, 40}},
		{72631, []int{5, 18, 40}},
		{64815, []int{3, 10, 22, 40}},
	} {
		c := strategytest.Value(classes.Best(histogram, len(tt.ends), 0.02))
		var ends []int
		for _, class := range c.Classes {
			ends = append(ends, class.Capacity)
		}
		if got := total(t, c, histogram); fmt.Sprint(ends) != fmt.Sprint(tt.ends) || got != tt.bytes {
			t.Errorf("%d classes end at %v and take %d bytes, want %v and %d", len(tt.ends), ends, got, tt.ends, tt.bytes)
		}
	}
}

// fewest returns the fewest bytes of a population in the given number of classes, by trying every boundary. Lengths
// are bloom.BestGeometry's in whole bytes, and the header.
func fewest(histogram []int64, lengths []int64, from, classes int) int64 {
	if from == len(histogram) {
		return 0
	}
	if classes == 0 {
		return math.MaxInt64 / 4
	}
	least, users := int64(math.MaxInt64/4), int64(0)
	for end := from; end < len(histogram); end++ {
		users += histogram[end]
		least = min(least, users*lengths[end]+fewest(histogram, lengths, end+1, classes-1))
	}
	return least
}

// Random populations, with gaps and ties, against every possible partition; every class meets the rate at its heaviest
// user, and none is superfluous.
func TestClassesAgainstEveryPartition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		fpr := []float64{0.3, 0.02, 0.001}[r.IntN(3)]
		histogram := make([]int64, 2+r.IntN(14))
		for n := range histogram {
			histogram[n] = max(0, int64(r.IntN(60))-20)
		}
		histogram[len(histogram)-1]++
		lengths := make([]int64, len(histogram))
		for n := 1; n < len(histogram); n++ {
			g := strategytest.Value(bloom.BestGeometry(n, fpr))
			lengths[n] = int64((g.Bits+7)/8 + 1)
		}
		for most := 1; most <= 4; most++ {
			c := strategytest.Value(classes.Best(histogram, most, fpr))
			want := fewest(histogram, lengths, 1, most)
			if got := total(t, c, histogram); got != want || len(c.Classes) > most {
				t.Errorf("%v at %v: %d of %d classes take %d bytes, want %d", histogram, fpr, len(c.Classes), most, got, want)
			}
			for i, s := range build(t, c).Shares(histogram) {
				if class := c.Classes[i]; s.Users == 0 || build(t, c).Class(i).FPR(class.Capacity) > fpr {
					t.Errorf("%v at %v: class %+v, %+v", histogram, fpr, class, s)
				}
			}
		}
	}
}

// Each class of the ladder meets the rate at its capacity and not with an article more, and has twice the bits of the
// one before.
func TestLadder(t *testing.T) {
	family := build(t, classes.Ladder)
	for i, class := range classes.Ladder.Classes {
		if family.Class(i).FPR(class.Capacity) > 0.02 || i < 4 && family.Class(i).FPR(class.Capacity+1) <= 0.02 {
			t.Errorf("class %d is of the wrong capacity: %+v", i, class)
		}
		strategytest.Equal(t, class.Geometry.Bits, 255<<i, "class %d has bits", i)
	}
}

func TestSizingErrors(t *testing.T) {
	ok := []int64{0, 1}
	says := func(histogram []int64, most int, fpr float64, want string) {
		t.Helper()
		if _, err := classes.Best(histogram, most, fpr); err == nil || !strings.HasPrefix(err.Error(), "classes: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	says(ok, 0, 0.02, "classes is 0, want 1 to 256")
	says(ok, 257, 0.02, "classes is 257, want 1 to 256")
	says(nil, 2, 0.02, "no user of an article")
	says([]int64{9, 0}, 2, 0.02, "no user of an article")
	says([]int64{0, 3, -1}, 2, 0.02, "-1 users of 2 articles, want")
	says([]int64{0, 1 << 40, 1}, 2, 0.02, "1 users of 2 articles")
	says(ok, 2, 1, "fpr is 1, want it between 0 and 1")
	says(ok, 2, 0, "fpr is 0, want it between 0 and 1")
	says(ok, 2, math.NaN(), "fpr is NaN")
	says([]int64{99: 0, 100: 1}, 1, 1e-300, "least 1.7e-219")
}

// A population counted by hand: ten users of 31 articles fill the first class of the ladder, two of 32 are in the
// second, three of one article in the first again, and one of 600 outgrows the last.
func TestShares(t *testing.T) {
	histogram := make([]int64, 700)
	histogram[0], histogram[1], histogram[31], histogram[32], histogram[600] = 1000, 3, 10, 2, 1
	g := func(i int) bloom.Geometry { return classes.Ladder.Classes[i].Geometry }
	want := []classes.Share{
		{Users: 13, Bytes: 13 * 33, End: (3*bloom.Exact(1, g(0)) + 10*bloom.Exact(31, g(0))) / 13},
		{Users: 2, Bytes: 2 * 65, End: bloom.Exact(32, g(1))},
		{},
		{},
		{Users: 1, Bytes: 511, End: bloom.Exact(600, g(4))},
	}
	same := func(what string, got, want classes.Share) {
		if got.Users != want.Users || got.Bytes != want.Bytes || math.Abs(got.End-want.End) > 1e-12*want.End {
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
		Users: 16, Bytes: 13*33 + 2*65 + 511, End: (13*want[0].End + 2*want[1].End + want[4].End) / 16,
	})
	same("nobody", classes.Total(build(t, classes.Ladder).Shares(nil)), classes.Share{})
}
