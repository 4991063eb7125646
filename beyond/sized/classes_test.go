package sized_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"dejavu/beyond/sized"
	"dejavu/bloom"
)

// total is the bytes of all readers' histories.
func total(t testing.TB, c sized.Config, histogram []int64) int64 {
	return sized.Total(build(t, c).Shares(histogram)).Bytes
}

// Up to 40 articles, 1000/n readers of n: golden values from a dynamic programme
// over every number of articles, with lengths by the recursion of Bose et al.
// (2008), computed outside the project. Four classes take 36 % of one.
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
		c, err := sized.Classes(histogram, len(tt.ends), 0.02)
		if err != nil {
			t.Fatal(err)
		}
		var ends []int
		for _, class := range c.Classes {
			ends = append(ends, class.Capacity)
		}
		if got := total(t, c, histogram); fmt.Sprint(ends) != fmt.Sprint(tt.ends) || got != tt.bytes {
			t.Errorf("%d classes end at %v and take %d bytes, want %v and %d", len(tt.ends), ends, got, tt.ends, tt.bytes)
		}
	}
}

// fewest is the fewest bytes of a population in so many classes, by trying every
// boundary. Lengths are bloom.BestGeometry's in whole bytes, and the header.
func fewest(histogram []int64, lengths []int64, from, classes int) int64 {
	if from == len(histogram) {
		return 0
	}
	if classes == 0 {
		return math.MaxInt64 / 4
	}
	least, readers := int64(math.MaxInt64/4), int64(0)
	for end := from; end < len(histogram); end++ {
		readers += histogram[end]
		least = min(least, readers*lengths[end]+fewest(histogram, lengths, end+1, classes-1))
	}
	return least
}

// Random populations, with gaps and with ties, against every partition there is;
// and every class meets the rate at its heaviest reader and is none too many.
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
			g, err := bloom.BestGeometry(n, fpr)
			if err != nil {
				t.Fatal(err)
			}
			lengths[n] = int64((g.Bits+7)/8 + 1)
		}
		for classes := 1; classes <= 4; classes++ {
			c, err := sized.Classes(histogram, classes, fpr)
			if err != nil {
				t.Fatal(err)
			}
			want := fewest(histogram, lengths, 1, classes)
			if got := total(t, c, histogram); got != want || len(c.Classes) > classes {
				t.Errorf("%v at %v: %d of %d classes take %d bytes, want %d", histogram, fpr, len(c.Classes), classes, got, want)
			}
			for _, s := range build(t, c).Shares(histogram) {
				if s.Readers == 0 || s.Worst > fpr {
					t.Errorf("%v at %v: class %+v", histogram, fpr, s)
				}
			}
		}
	}
}

// As many classes as lengths are as good as it gets: each reader has the filter
// that fits. More change nothing, and one class is Sized.
func TestClassesAtTheEnds(t *testing.T) {
	histogram := make([]int64, 101)
	fits := int64(0)
	for n := 1; n <= 100; n += 3 {
		histogram[n] = int64(n % 7)
		one, err := sized.Sized(n, 0.02)
		if err != nil {
			t.Fatal(err)
		}
		fits += histogram[n] * int64(build(t, one).Class(0).Bytes(n))
	}
	all, err := sized.Classes(histogram, sized.MaxClasses, 0.02)
	if err != nil || total(t, all, histogram) != fits {
		t.Errorf("with classes for all: %d bytes, %v, want %d", total(t, all, histogram), err, fits)
	}
	one, err := sized.Classes(histogram, 1, 0.02)
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := sized.Sized(100, 0.02); !reflect.DeepEqual(one, want) {
		t.Errorf("one class is %+v, want %+v", one, want)
	}
	if same, err := sized.Classes([]int64{0, 0, 5}, 7, 0.02); err != nil || len(same.Classes) != 1 || same.Classes[0].Capacity != 2 {
		t.Errorf("readers of two articles each: %+v, %v", same, err)
	}
}

// Formulas.md §1: 4078 bits and 6 hashes for 500 articles, 817 for 100, which
// are 510 and 103 bytes, of which all bits are used, so that for 100 five hashes
// do; and for 400 the 3263 bits of bloom.BestGeometry.
func TestSized(t *testing.T) {
	for window, want := range map[int]bloom.Geometry{
		500: {Bits: 4080, Hashes: 6}, 100: {Bits: 824, Hashes: 5}, 400: {Bits: 3264, Hashes: 6}, 1: {Bits: 16, Hashes: 2},
	} {
		c, err := sized.Sized(window, 0.02)
		if err != nil || len(c.Classes) != 1 || c.Classes[0] != (sized.Class{Capacity: window, Geometry: want}) {
			t.Errorf("Sized(%d, 0.02) = %+v, %v, want %v", window, c, err, want)
		}
	}
}

// Each class of a ladder keeps the rate at its capacity and not with an article
// more, has twice the bits of the one before, and the last is the smallest.
func TestDoubling(t *testing.T) {
	ladder, err := sized.Doubling(500, 5, 0.02)
	if err != nil || !reflect.DeepEqual(ladder, sized.Ladder) {
		t.Errorf("Doubling(500, 5, 0.02) = %+v, %v, want the preset", ladder, err)
	}
	for _, tt := range []struct {
		capacity, classes int
		fpr               float64
	}{{500, 1, 0.02}, {500, 5, 0.02}, {1000, 4, 1e-4}, {77, 3, 0.1}, {100_000, 12, 0.01}} {
		c, err := sized.Doubling(tt.capacity, tt.classes, tt.fpr)
		if err != nil {
			t.Fatal(err)
		}
		family := build(t, c)
		for i, class := range c.Classes {
			if family.Class(i).FPR(class.Capacity) > tt.fpr || i < tt.classes-1 && family.Class(i).FPR(class.Capacity+1) <= tt.fpr {
				t.Errorf("%+v: class %d is of the wrong capacity: %+v", tt, i, class)
			}
			if i > 0 && !family.Folds(i, i-1) || class.Geometry.Bits != c.Classes[0].Geometry.Bits<<i {
				t.Errorf("%+v: class %d cannot be folded: %+v", tt, i, class)
			}
		}
		best, _ := bloom.BestGeometry(tt.capacity, tt.fpr)
		last := c.Classes[tt.classes-1]
		if last.Capacity != tt.capacity || last.Geometry.Bits-best.Bits >= 1<<(tt.classes-1) {
			t.Errorf("%+v: the last class is %+v, where %v would do", tt, last, best)
		}
	}
}

func TestSizingErrors(t *testing.T) {
	ok := []int64{0, 1}
	for _, tt := range []struct {
		size func() (sized.Config, error)
		want string
	}{
		{func() (sized.Config, error) { return sized.Sized(0, 0.02) }, "window is 0, want at least 1"},
		{func() (sized.Config, error) { return sized.Sized(500, 0) }, "fpr is 0, want it between 0 and 1"},
		{func() (sized.Config, error) { return sized.Sized(500, math.NaN()) }, "fpr is NaN"},
		{func() (sized.Config, error) { return sized.Sized(math.MaxInt, 0.5) }, "at most 16777216 bits"},
		{func() (sized.Config, error) { return sized.Sized(100, 1e-300) }, "at most 16777216 bits and 64 hashes holds 100 articles"},
		{func() (sized.Config, error) { return sized.Classes(ok, 0, 0.02) }, "classes is 0, want 1 to 256"},
		{func() (sized.Config, error) { return sized.Classes(ok, 257, 0.02) }, "classes is 257, want 1 to 256"},
		{func() (sized.Config, error) { return sized.Classes(nil, 2, 0.02) }, "no reader of an article"},
		{func() (sized.Config, error) { return sized.Classes([]int64{9, 0}, 2, 0.02) }, "no reader of an article"},
		{func() (sized.Config, error) { return sized.Classes([]int64{0, 3, -1}, 2, 0.02) }, "-1 readers of 2 articles, want 0 to 2^40"},
		{func() (sized.Config, error) { return sized.Classes([]int64{0, 1 << 40, 1}, 2, 0.02) }, "1 readers of 2 articles, want 0 to 2^40"},
		{func() (sized.Config, error) { return sized.Classes(ok, 2, 1) }, "fpr is 1, want it between 0 and 1"},
		{func() (sized.Config, error) { return sized.Doubling(500, 0, 0.02) }, "classes is 0, want 1 to 24"},
		{func() (sized.Config, error) { return sized.Doubling(500, 25, 0.02) }, "classes is 25, want 1 to 24"},
		{func() (sized.Config, error) { return sized.Doubling(0, 5, 0.02) }, "the largest class: bloom: a filter for n = 0"},
		{func() (sized.Config, error) { return sized.Doubling(10, 9, 0.02) }, "has no room for an article more than the one before"},
	} {
		if _, err := tt.size(); err == nil || !strings.HasPrefix(err.Error(), "sized: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
}

func BenchmarkClasses(b *testing.B) {
	histogram := make([]int64, 4096)
	for n := range histogram {
		histogram[n] = int64(1e7 / (n + 1))
	}
	for _, classes := range []int{4, 16} {
		b.Run(fmt.Sprint(classes), func(b *testing.B) {
			for b.Loop() {
				if _, err := sized.Classes(histogram, classes, 0.02); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
