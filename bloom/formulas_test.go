package bloom

import (
	"fmt"
	"math"
	"testing"

	"dejavu/strategies/strategytest"
	_ "dejavu/strategies/strategytest/seeded"

	"pgregory.net/rapid"
)

// bose returns the false positive rate by the recursion of Bose et al. (2008), which is slower than Exact: p[i] is the
// chance that the probes so far have set exactly i bits, and every term is positive, so float64 is enough.
func bose(n int, g Geometry) float64 {
	m := float64(g.Bits)
	p := make([]float64, g.Bits+1)
	p[0] = 1
	for t := range n * g.Hashes {
		for i := min(t+1, g.Bits); i >= 1; i-- {
			p[i] = p[i]*float64(i)/m + p[i-1]*(m-float64(i)+1)/m
		}
		p[0] = 0
	}
	var f float64
	for i, chance := range p {
		f += chance * math.Pow(float64(i)/m, float64(g.Hashes))
	}
	return f
}

// relative returns the difference between got and want as a share of want.
func relative(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}

// The rates of the geometries that the sources use, to six decimal places: golden values computed outside the
// project from the asymptotic formula (the paper's eq. 1) and from the recursion of Bose et al. (2008).
func TestGoldenRates(t *testing.T) {
	tests := []struct {
		n, m, k    int
		asymptotic float64 // NaN if none was computed
		exact      float64
	}{
		{n: 500, m: 4064, k: 6, asymptotic: 0.020236, exact: 0.020268}, // the paper's filter, full
		{n: 100, m: 812, k: 6, asymptotic: 0.020317, exact: 0.020480},  // one link of its chain, full
		{n: 50, m: 812, k: 6, asymptotic: 0.000869, exact: 0.000878},
		{n: 200, m: 4064, k: 6, asymptotic: 0.000279, exact: 0.000280}, // the dual filter just after a switch
		{n: 300, m: 4064, k: 6, asymptotic: 0.002099, exact: 0.002104},
		{n: 1000, m: 4064, k: 6, asymptotic: 0.210930, exact: 0.211128},
		{n: 1500, m: 4064, k: 6, asymptotic: 0.499665, exact: 0.499930},
		{n: 2000, m: 4064, k: 6, asymptotic: math.NaN(), exact: 0.725167},
		{n: 3000, m: 4064, k: 6, asymptotic: math.NaN(), exact: 0.930626},
		{n: 100, m: 1148, k: 8, asymptotic: 0.004024, exact: 0.004064},
		{n: 58, m: 723, k: 9, asymptotic: 0.002514, exact: 0.002562},
	}
	for _, tt := range tests {
		g := Geometry{Bits: tt.m, Hashes: tt.k}
		t.Run(fmt.Sprintf("%d in %v", tt.n, g), func(t *testing.T) {
			if got := Asymptotic(tt.n, g); !math.IsNaN(tt.asymptotic) && math.Abs(got-tt.asymptotic) > 0.5e-6 {
				t.Errorf("Asymptotic = %.7f, want %.6f", got, tt.asymptotic)
			}
			got := Exact(tt.n, g)
			strategytest.Near(t, got, tt.exact, 0.5e-6, "Exact")
			strategytest.AtMost(t, relative(got, bose(tt.n, g)), 1e-10, "Exact = %v differs from the recursion by", got)
		})
	}
}

// Shares of set bits in the paper's filter, to four decimal places, computed outside the project.
func TestGoldenFill(t *testing.T) {
	g := Geometry{Bits: 4064, Hashes: 6}
	for n, want := range map[int]float64{100: 0.1373, 500: 0.5221, 1000: 0.7716, 1500: 0.8908, 2000: 0.9478} {
		strategytest.Near(t, Fill(n, g), want, 0.5e-4, "Fill(%d, %v)", n, g)
	}
}

// All digits, where cancellation, exponents or the number of probes are at their worst. The values come from the
// occupancy sum in 700-digit decimal arithmetic, computed outside the project.
func TestExactToTheLastDigits(t *testing.T) {
	tests := []struct {
		n, m, k int
		want    float64
	}{
		{500, 4064, 6, 2.02684793941077038e-02},
		{100, 812, 6, 2.04795740167807092e-02},
		{1, 4064, 6, 1.03304426791135527e-17},
		{1, 1 << 20, 50, 8.28289112111067150e-217},   // nearly everything cancels
		{1, 1 << 24, 40, 1.24048340489190836e-225},   // at the largest lane
		{100, 1 << 24, 64, 1.61499262655265882e-219}, // at the limits of both fields
		{1_000_000, 1 << 24, 64, 2.40118897510705698e-01},
		{1_000_000, 8_151_553, 6, 1.99999998531336064e-02},
		{10_000_000, 1 << 24, 1, 4.49014323438052643e-01},
		{100_000_000, 1 << 24, 2, 9.99986700518181060e-01},
		{100_000_000, 1 << 24, 64, 1},
		{3, 2, 5, 9.99940872192382812e-01}, // more probes than positions
		{40, 64, 64, 9.99999999999999889e-01},
	}
	for _, tt := range tests {
		g := Geometry{Bits: tt.m, Hashes: tt.k}
		strategytest.AtMost(t, relative(Exact(tt.n, g), tt.want), 1e-12, "Exact(%d, %v) is off by", tt.n, g)
	}
}

// enumerate returns the false positive rate by counting: every sequence of the probes of n items and of one fresh item
// is equally likely.
func enumerate(n int, g Geometry) float64 {
	total, hits := 0, 0
	probes := make([]int, (n+1)*g.Hashes)
	for {
		set := make([]bool, g.Bits)
		for _, p := range probes[g.Hashes:] {
			set[p] = true
		}
		hit := true
		for _, p := range probes[:g.Hashes] {
			hit = hit && set[p]
		}
		total++
		if hit {
			hits++
		}
		i := 0 // count up in base m
		for ; i < len(probes) && probes[i] == g.Bits-1; i++ {
			probes[i] = 0
		}
		if i == len(probes) {
			return float64(hits) / float64(total)
		}
		probes[i]++
	}
}

func TestExactCountsEverySequence(t *testing.T) {
	compared := 0
	for m := 1; m <= 5; m++ {
		for k := 1; k <= 6; k++ {
			for n := 0; n <= 6; n++ {
				if math.Pow(float64(m), float64(k*(n+1))) > 5e4 {
					continue
				}
				g := Geometry{Bits: m, Hashes: k}
				if got, want := Exact(n, g), enumerate(n, g); relative(got, want) > 1e-14 {
					t.Errorf("Exact(%d, %v) = %v, counting gives %v", n, g, got, want)
				}
				compared++
			}
		}
	}
	strategytest.AtLeast(t, compared, 80, "cases that were small enough to count")
}

func TestExactAgainstTheRecursion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := Geometry{Bits: rapid.IntRange(1, 300).Draw(t, "bits"), Hashes: rapid.IntRange(1, MaxHashes).Draw(t, "hashes")}
		n := rapid.IntRange(0, 40).Draw(t, "n")
		got, want := Exact(n, g), bose(n, g)
		if relative(got, want) > 1e-10 {
			t.Fatalf("Exact(%d, %v) = %v, the recursion gives %v", n, g, got, want)
		}
		if lower := math.Pow(Fill(n, g), float64(g.Hashes)); got < lower*(1-1e-12) {
			t.Fatalf("Exact(%d, %v) = %v is below its Jensen bound %v", n, g, got, lower)
		}
	})
}

func TestFormulasAtTheirEdges(t *testing.T) {
	formulas := map[string]func(int, Geometry) float64{"Asymptotic": Asymptotic, "Exact": Exact, "Fill": Fill}
	valid := []Geometry{{1, 1}, {1, MaxHashes}, {2, 3}, {4064, 6}, {MaxBits, 1}, {MaxBits, MaxHashes}}
	invalid := []Geometry{{}, {0, 6}, {4064, 0}, {-1, 6}, {4064, -1}, {MaxBits + 1, 6}, {4064, MaxHashes + 1}}
	for name, f := range formulas {
		for _, g := range valid {
			for _, n := range []int{math.MinInt, -1, 0} {
				if got := f(n, g); got != 0 || math.Signbit(got) {
					t.Errorf("%s(%d, %v) = %v, want 0", name, n, g, got)
				}
			}
			for _, n := range []int{1, 7, 1 << 30, math.MaxInt} {
				if got := f(n, g); !(got >= 0 && got <= 1) {
					t.Errorf("%s(%d, %v) = %v, want a share", name, n, g, got)
				}
			}
			strategytest.Equal(t, f(math.MaxInt, g), 1, "%s(MaxInt, %v)", name, g)
		}
		for _, g := range invalid {
			for _, n := range []int{-1, 0, 500} {
				strategytest.Equal(t, f(n, g), 1, "%s(%d, %v), of no filter,", name, n, g)
			}
		}
	}
}

func TestUnion(t *testing.T) {
	full := Exact(100, Geometry{Bits: 812, Hashes: 6})
	many := func(n int) []float64 {
		fs := make([]float64, n)
		for i := range fs {
			fs[i] = full
		}
		return fs
	}
	tests := []struct {
		name string
		fprs []float64
		want float64
		tol  float64
	}{
		{"nothing", nil, 0, 0},
		{"one", []float64{0.25}, 0.25, 1e-15},
		{"a certain one", []float64{0.25, 1}, 1, 0},
		{"tiny ones keep their digits", []float64{1e-20, 2e-20}, 3e-20, 1e-35},
		// The paper's chain by links full, computed outside the project.
		{"two links", many(2), 0.040540, 0.5e-6},
		{"three links", many(3), 0.060189, 0.5e-6},
		{"four links", many(4), 0.079436, 0.5e-6},
		{"five links", many(5), 0.098289, 0.5e-6},
		{"nine links", many(9), 0.169917, 0.5e-6},
		{"ten links", many(10), 0.186917, 0.5e-6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Union(tt.fprs...)
			if !(math.Abs(got-tt.want) <= tt.tol) || math.Signbit(got) {
				t.Errorf("Union = %v, want %v", got, tt.want)
			}
		})
	}
}

func ExampleExact() {
	paper := Geometry{Bits: 4064, Hashes: 6}
	fmt.Printf("asymptotic %.6f\n", Asymptotic(500, paper))
	fmt.Printf("exact     %.6f\n", Exact(500, paper))
	// Output:
	// asymptotic 0.020236
	// exact     0.020268
}

// Empty filters add nothing, wherever they stand.
func TestExactSharedPassesOverEmptyFilters(t *testing.T) {
	g := Geometry{Bits: 812, Hashes: 6}
	if got, want := ExactShared(g, 0, 50, -3, 70, 0), ExactShared(g, 50, 70); got != want ||
		ExactShared(g, 0, 50) != Exact(50, g) {
		t.Errorf("with empty filters %v, without %v", got, want)
	}
}

// Every low, limit and threshold, with tight and loose bounds: Least returns the least number that meets the target,
// and asks about no number out of range.
func TestLeast(t *testing.T) {
	for low := range 4 {
		for limit := range 20 {
			for threshold := range 23 {
				for loose := -1; loose <= threshold; loose++ { // -1 for no bound
					within := func(i int) {
						if i < low || i > limit {
							t.Fatalf("asked about %d, not in %d to %d", i, low, limit)
						}
					}
					var possible func(int) bool
					if loose >= 0 {
						possible = func(i int) bool { within(i); return i >= threshold-loose }
					}
					got := Least(low, limit, possible, func(i int) bool { within(i); return i >= threshold })
					want := max(low, threshold)
					if want > limit {
						want = limit + 1
					}
					if limit >= low && got != want || limit < low && got != limit+1 {
						t.Fatalf("Least(%d, %d) for %d, a bound of %d less: %d, want %d", low, limit, threshold, loose, got, want)
					}
				}
			}
		}
	}
}
