package stable

import (
	"fmt"
	"math"
	"testing"

	"dejavu/strategies/strategytest"
)

func build(t testing.TB, c Config) *Filter {
	t.Helper()
	return strategytest.Value(New(c))
}

// At a rate of 2 % in 4064 bits the filter forgets 26 % of the articles of age 50 and 69 % of those of age
// 200: computed outside the project, which does not say for which parameters. They are those of OneBit, 3
// cells of one bit and 8 decrements, or others with 24 for the product of the two, and no cell that was
// emptied is ever set again: 1 - (1 - P/m)^(K age). Later articles do set some again, so that the filter
// forgets a little less. Wider cells forget much less at age 50, and more at age 200.
func TestWhatItForgets(t *testing.T) {
	f := build(t, OneBit)
	for age, want := range map[int]float64{50: 0.26, 200: 0.69} {
		unset := -math.Expm1(float64(OneBit.Hashes*age) * math.Log1p(-float64(OneBit.Decrements)/float64(OneBit.Cells)))
		strategytest.Near(t, unset, want, 0.005, "age %d: forgotten where nothing is set again", age)
		if forgotten := 1 - f.Remembered(age+1); forgotten > unset || forgotten < unset-0.035 {
			t.Errorf("age %d: %.4f forgotten, want a little less than %.4f", age, forgotten, unset)
		}
	}
	// With two cells an article a whole number of decrements lies on either side of
	// 2 %, and what is forgotten on either side of the figures.
	more := Config{Cells: 4064, CellBits: 1, Hashes: 2, Decrements: 13}
	fewer := more
	fewer.Decrements--
	if low, high := build(t, more).Asymptotic(1<<30), build(t, fewer).Asymptotic(1<<30); low > 0.02 || high < 0.02 {
		t.Errorf("stable points %.4f and %.4f, want 0.02 between them", low, high)
	}
	for age, want := range map[int]float64{50: 0.26, 200: 0.69} {
		if low, high := 1-build(t, fewer).Remembered(age+1), 1-build(t, more).Remembered(age+1); low > want || high < want {
			t.Errorf("age %d: %.4f and %.4f forgotten, want %.2f between them", age, low, high, want)
		}
	}
	for _, tt := range []struct {
		config             Config
		limit, at50, at200 float64 // the rate, and what is forgotten with so many articles after it
	}{
		{OneBit, 0.0203, 0.252, 0.663},
		{TwoBits, 0.0189, 0.077, 0.795},
		{Config{Cells: 1354, CellBits: 3, Hashes: 4, Decrements: 58}, 0.0195, 0.018, 0.941},
	} {
		f := build(t, tt.config)
		strategytest.Near(t, f.Asymptotic(1<<30), tt.limit, 1e-4, "%+v: stable point", tt.config)
		for after, want := range map[int]float64{50: tt.at50, 200: tt.at200} {
			if got := 1 - f.Remembered(after+1); math.Abs(got-want) > 1e-3 {
				t.Errorf("%+v: %.4f forgotten after %d more articles, want %.3f", tt.config, got, after, want)
			}
		}
	}
}

// stablePoint is the limit of Asymptotic for ever more articles, in closed form (Deng and Rafiei, 2006,
// Theorem 2 and eq. 8), with the chance that an article sets a cell, which is K/m there and 1 - (1 - 1/m)^K
// here, since an article's cells need not be distinct.
func stablePoint(f *Filter, set float64) float64 {
	taken := float64(f.Decrements) / float64(f.Cells)
	return math.Pow(-math.Expm1(-float64(f.max())*math.Log1p(set/(taken*(1-set)))), float64(f.Hashes))
}

// The closed form for the stable point, with the chance as here and as in the
// paper, against the recursion run long enough.
func TestStablePoint(t *testing.T) {
	for _, c := range []Config{OneBit, TwoBits, {Cells: 1354, CellBits: 3, Hashes: 4, Decrements: 57}} {
		f := build(t, c)
		got, want := f.Asymptotic(1<<30), stablePoint(f, f.setChance())
		if math.Abs(got/want-1) > 1e-8 {
			t.Errorf("%+v: the recursion ends at %.9f, the closed form says %.9f", c, got, want)
		}
		if paper := stablePoint(f, float64(c.Hashes)/float64(c.Cells)); math.Abs(got/paper-1) > 0.005 {
			t.Errorf("%+v: stable point %.6f, the paper's formula gives %.6f", c, got, paper)
		}
		if with := f.FPR(1 << 30); with < got || with > 1.01*got {
			t.Errorf("%+v: with the cells' covariance %.6f, want a little above %.6f", c, with, got)
		}
	}
}

// recognised measures how many articles of an age are recognised: one of each user.
func recognised(f *Filter, read, age, readers int) strategytest.Estimate {
	e := strategytest.Estimate{Queries: 1}
	var history []byte
	var seen [1]bool
	for reader := range readers {
		ids := strategytest.IDs(uint64(reader)<<16+uint64(age), read)
		history = f.Record(history[:0], ids)
		f.Seen(history, ids[read-age:read-age+1], seen[:])
		e.Add(strategytest.Count(seen[:]))
	}
	return e
}

// What is remembered by age, simulated: within four standard errors, so that a right filter fails one of the twelve
// with a probability below 8e-4. An age that is one off is found where the chance falls fast: 6 and more of them.
func TestRemembered(t *testing.T) {
	for _, tt := range []struct {
		config  Config
		readers int
		ages    []int
	}{
		{OneBit, 1000, []int{1, 2, 51, 201}},
		{TwoBits, 1000, []int{3, 51, 201}},
		{Config{Cells: 100, CellBits: 2, Hashes: 4, Decrements: 20}, 5000, []int{3, 4, 8, 12}},
		{Config{Cells: 64, CellBits: 3, Hashes: 6, Decrements: 40}, 5000, []int{9}},
	} {
		f := build(t, tt.config)
		for _, age := range tt.ages {
			e := recognised(f, age+20, age, tt.readers)
			if z := e.Z(f.Remembered(age)); !(math.Abs(z) <= 4) {
				t.Errorf("%+v: age %d: %.5f recognised, theory says %.5f: %.1f standard errors off", tt.config, age, e.Rate(),
					f.Remembered(age), z)
			}
			if age == 8 {
				if z := e.Z(f.Remembered(age + 1)); math.Abs(z) < 6 {
					t.Errorf("%+v: an age one too high is only %.1f standard errors off", tt.config, z)
				}
			}
		}
	}
}

// Independent cells are not enough: in a small filter, where one run takes from
// a fifth of the cells, the covariance is 4 % of the rate, and the measurement
// finds it (4 standard errors: a right filter fails with a probability of 6e-5).
func TestCellsAreNotIndependent(t *testing.T) {
	f := build(t, Config{Cells: 100, CellBits: 2, Hashes: 4, Decrements: 20})
	e := strategytest.MeasureFPR(f, 30, 4000, 300, 1)
	if z := e.Z(f.FPR(30)); !(math.Abs(z) <= 4) {
		t.Errorf("rate %.6f, theory %.6f: %.1f standard errors apart", e.Rate(), f.FPR(30), z)
	}
	if z := e.Z(f.Asymptotic(30)); z < 4 {
		t.Errorf("rate %.6f is only %.1f standard errors above that of independent cells", e.Rate(), z)
	}
}

// together against counting, where the moments leave no choice: if all cells
// above zero are known to be n of m, the chance is that of k uniform probes.
func TestTogether(t *testing.T) {
	f := build(t, Config{Cells: 64, CellBits: 1, Hashes: 5, Decrements: 1})
	for n := range 65 {
		one := float64(n) / 64
		two := one * float64(n-1) / 63
		strategytest.Near(t, f.together(one, two), math.Pow(one, 5), 1e-12, "%d of 64 cells", n)
	}
	strategytest.Equal(t, f.together(0.25, 0.25), 0.25, "cells that are all alike")
}

// The polynomial through six overlaps against the recursion at every one, for
// runs far longer than a user's filter has.
func TestInterpolation(t *testing.T) {
	for _, c := range []Config{
		{Cells: 130, CellBits: 2, Hashes: 4, Decrements: 26}, {Cells: 64, CellBits: 3, Hashes: 3, Decrements: 50},
	} {
		_, got := c.moments(0, 40)
		sum := 0.0
		for d := 1; d < c.Cells; d++ {
			b := float64(max(0, c.Decrements-d)+max(0, c.Decrements-(c.Cells-d))) / float64(c.Cells)
			sum += c.bothAbove(0, 40, b)
		}
		if want := sum / float64(c.Cells-1); math.Abs(got-want) > 5e-6*want {
			t.Errorf("%+v: %.9f, want %.9f", c, got, want)
		}
	}
}

// Whatever is asked for is met by the full theory, and a lower rate never takes fewer bytes. At 400 and the
// last rate the search, which knows one cell's moments only, needs the most attempts.
func TestSized(t *testing.T) {
	for _, tt := range []struct {
		window int
		fpr    float64
		bytes  int
	}{{400, 0.02, 1607}, {400, 0.1, 662}, {50, 0.02, 196}, {1, 0.4, 8}, {400, 0.007889721967854582, 2194}} {
		c, err := Sized(tt.window, tt.fpr)
		if err != nil {
			t.Errorf("Sized(%d, %v): %v", tt.window, tt.fpr, err)
			continue
		}
		f := build(t, c)
		strategytest.Equal(t, f.Bytes(1), tt.bytes, "Sized(%d, %v) = %+v of bytes", tt.window, tt.fpr, c)
		if f.FPR(100_000) > tt.fpr || f.Remembered(tt.window) < 0.5 {
			t.Errorf("Sized(%d, %v) = %+v: rate %v, remembered %v", tt.window, tt.fpr, c, f.FPR(100_000),
				f.Remembered(tt.window))
		}
	}
	bytes := 0
	for fpr := 0.3; fpr > 0.004; fpr *= 0.93 {
		c, err := Sized(400, fpr)
		if err != nil || c.Cells*c.CellBits < bytes {
			t.Errorf("Sized(400, %v) = %+v, %v: smaller than for a higher rate", fpr, c, err)
		}
		bytes = c.Cells * c.CellBits / 8
	}
}

// No other filter of 1 to 3 bits and 16 hashes has fewer bytes by the moments of one cell, or as many and narrower
// cells, or as many of those and fewer hashes; 1 and 16 hashes and cells of 3 bits are the best of some.
func TestSearchFindsTheSmallest(t *testing.T) {
	ends := map[string]bool{}
	for _, window := range []int{1, 3, 10, 20, 50, 100} {
		for _, fpr := range []float64{0.499, 0.3, 0.1, 0.02, 1e-3, 1e-4, 1e-5, 1e-8} {
			best, ok := search(window, fpr, 0.5)
			if !ok || !best.meets(window, fpr, 0.5) {
				t.Fatalf("age %d at %v: %+v", window, fpr, best)
			}
			ends[fmt.Sprint(best.Hashes, " hashes")], ends[fmt.Sprint(best.CellBits, " bits")] = true, true
			most := (best.Cells*best.CellBits + 7) / 8 * 8 // bits
			for bits := 1; bits <= 3; bits++ {
				for k := 1; k <= 16; k++ {
					if bits == best.CellBits && k == best.Hashes {
						most -= 8
					}
					c := Config{Cells: most / bits, CellBits: bits, Hashes: k}
					if c.Cells >= minCells && c.meets(window, fpr, 0.5) {
						t.Errorf("age %d at %v: found %+v, %+v is smaller or simpler", window, fpr, best, c)
					}
				}
			}
		}
	}
	for _, end := range []string{"1 hashes", "16 hashes", "1 bits", "3 bits"} {
		if !ends[end] {
			t.Errorf("no filter that was found has %s", end)
		}
	}
}

func TestSizedErrors(t *testing.T) {
	strategytest.RefusesTargets(t, Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 65536":          {0, 0.02},
		"window is 65537, want 1 to 65536":      {65537, 0.02},
		"fpr is 0, want it between 0 and 1/2":   {400, 0},
		"fpr is 0.5, want it between 0 and 1/2": {400, 0.5},
		"fpr is NaN":                            {400, math.NaN()},
		"fpr is 1e-300, want at least ":         {400, 1e-300},
	})
}
