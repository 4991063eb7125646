package schemes

import (
	"fmt"
	"math"
	"testing"

	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

// The two filters of the paper, full: a link of its chain (§7) and the single filter (§5).
var (
	link   = bloom.Geometry{Bits: 812, Hashes: 6}
	filter = bloom.Geometry{Bits: 4064, Hashes: 6}
)

func named(t testing.TB, name string) Scheme {
	t.Helper()
	for _, s := range All {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no scheme is named %q", name)
	return Scheme{}
}

// rate returns the share of unseen articles that a scheme reports as seen, and its standard error with each filter as
// one observation.
func rate(t testing.TB, s Scheme, g bloom.Geometry, items, filters int) (mean, stderr float64) {
	t.Helper()
	const queries = 200
	hits, squared, err := Measure(s, g, items, queries, 0, filters, 2016)
	strategytest.Must(t, err)
	n := float64(filters)
	perFilter := float64(hits) / n
	variance := (float64(squared) - n*perFilter*perFilter) / (n - 1)
	return perFilter / queries, math.Sqrt(variance/n) / queries
}

// How much more than the exact rate each scheme reports as seen, as shares: golden values computed outside
// the project by simulation, with standard errors of 0.0011 at 4064 to 4096 bits and 0.0008 below. Those of
// the blocked schemes were computed at whole numbers of blocks. A right scheme fails one of these with a
// probability of 6e-5.
func TestKnownExcess(t *testing.T) {
	for _, tt := range []struct {
		scheme      string
		bits, items int
		excess      float64
	}{
		{"digits", 812, 100, 0},
		{"multiply-shift", 812, 100, 0},
		{"repeated multiply-shift", 812, 100, -0.0010},
		{"double hashing", 812, 100, 0.0413},
		{"double hashing, 32-bit halves", 812, 100, 0.0701},
		{"enhanced double hashing, multiply-shift", 812, 100, 0.0199},
		{"one word per item", 832, 100, 0.749},
		{"one 512-bit block per item", 1024, 100, 0.076},
		{"double hashing", 4064, 500, 0.0089},
		{"double hashing, 32-bit halves", 4064, 500, 0.0157},
		{"one word per item", 4096, 500, 0.776},
		{"one 512-bit block per item", 4096, 500, 0.088},
	} {
		g := bloom.Geometry{Bits: tt.bits, Hashes: 6}
		t.Run(fmt.Sprintf("%s at %v", tt.scheme, g), func(t *testing.T) {
			filters, golden := 8000, 0.0008
			if tt.items == 500 {
				filters, golden = 2400, 0.0011
			}
			exact := bloom.Exact(tt.items, g)
			got, stderr := rate(t, named(t, tt.scheme), g, tt.items, filters)
			excess, within := got/exact-1, 4*math.Hypot(stderr/exact, golden)
			strategytest.Near(t, excess, tt.excess, within, "above the exact rate")
		})
	}
}

// Blocks have a closed form of their own: an article's block is drawn in proportion to its width, and the
// articles that met there share a filter of that width (Putze, Sanders and Singler 2007, eq. 3, here with
// binomial instead of Poisson loads). It holds at sizes that are no multiple of a block too. The error rate
// is as above.
func TestBlocksAgainstTheirClosedForm(t *testing.T) {
	closed := func(n, width int, g bloom.Geometry) (f float64) {
		for from := 0; from < g.Bits; from += width {
			block := bloom.Geometry{Bits: min(width, g.Bits-from), Hashes: g.Hashes}
			p := float64(block.Bits) / float64(g.Bits)
			chance := math.Pow(1-p, float64(n)) // of j articles in this block
			for j := 0; j <= n && p < 1; j++ {
				f += p * chance * bloom.Exact(j, block)
				chance *= float64(n-j) / float64(j+1) * p / (1 - p)
			}
		}
		return f
	}
	for name, width := range map[string]int{"one word per item": 64, "one 512-bit block per item": 512} {
		want := closed(100, width, link)
		got, stderr := rate(t, named(t, name), link, 100, 3000)
		if z := (got - want) / stderr; math.Abs(z) > 4 {
			t.Errorf("%s: rate %.6f, want %.6f: %.1f standard errors apart", name, got, want, z)
		}
	}
}

// Shapes for which an index could leave the filter, and the paper's.
var shapes = []bloom.Geometry{
	link, filter,
	{Bits: 1, Hashes: 1},
	{Bits: 1, Hashes: bloom.MaxHashes},
	{Bits: 2, Hashes: 5},
	{Bits: 63, Hashes: 64},
	{Bits: 64, Hashes: 6},
	{Bits: 65, Hashes: 7},
	{Bits: bloom.MaxBits, Hashes: 1},
	{Bits: bloom.MaxBits, Hashes: bloom.MaxHashes},
}

// Every scheme gives Hashes positions inside the filter, the same ones each
// time, appended, whatever the geometry.
func TestPositions(t *testing.T) {
	ids := []uint64{0, 1, 1 << 31, 1 << 32, 1 << 63, 1<<64 - 1, second(1), second(2)}
	for _, s := range All {
		for _, g := range shapes {
			for _, id := range ids {
				got := s.Positions([]int{-7}, g, id)
				if len(got) != 1+g.Hashes || got[0] != -7 {
					t.Fatalf("%s at %v: Positions(%#x) appends %v, want %d positions", s.Name, g, id, got, g.Hashes)
				}
				again := s.Positions(nil, g, id)
				for i, p := range got[1:] {
					if p < 0 || p >= g.Bits || p != again[i] {
						t.Errorf("%s at %v: position %d of %#x is %d, then %d", s.Name, g, i, id, p, again[i])
					}
				}
			}
		}
	}
}

// Any cut of the filters into ranges counts the same.
func TestMeasureAddsUp(t *testing.T) {
	for _, s := range All {
		all, allSquared, _ := Measure(s, link, 150, 50, 0, 60, 3)
		var sum, sumSquared int64
		for _, r := range [][2]int{{41, 60}, {0, 7}, {7, 7}, {7, 41}} {
			hits, squared, err := Measure(s, link, 150, 50, r[0], r[1], 3)
			strategytest.Must(t, err)
			sum, sumSquared = sum+hits, sumSquared+squared
		}
		if all != sum || allSquared != sumSquared || all == 0 {
			t.Errorf("%s: %d hits, squares %d; in parts %d and %d", s.Name, all, allSquared, sum, sumSquared)
		}
	}
}

func TestGeometryOutOfRange(t *testing.T) {
	for _, g := range []bloom.Geometry{{}, {Bits: 812}, {Bits: bloom.MaxBits + 1, Hashes: 6}} {
		strategytest.ErrorSays(t, fmt.Sprintf("Measure accepts %v", g),
			strategytest.ErrorOf(Measure(All[0], g, 1, 1, 0, 1, 0)), "want 1 to ")
	}
}

// Plain double hashing is measurably worse than the suite's own probes on the
// bits of one link of the paper's chain.
func ExampleMeasure() {
	const items, queries, filters = 100, 200, 5000
	for _, s := range All[:4] {
		hits, _, err := Measure(s, bloom.Geometry{Bits: 812, Hashes: 6}, items, queries, 0, filters, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-24s %.2f %%\n", s.Name, 100*float64(hits)/(queries*filters))
	}
	// Output:
	// digits                   2.04 %
	// multiply-shift           2.05 %
	// repeated multiply-shift  2.03 %
	// double hashing           2.17 %
}

// Positions of each scheme, as the program once computed them: comparisons stay comparable. The second geometry is a
// power of two.
func TestPinned(t *testing.T) {
	want := map[string]string{
		"digits":                                  "[447 241 769 111 642][2256 1313 3564]",
		"multiply-shift":                          "[353 290 103 569 54][1785 1465 522]",
		"repeated multiply-shift":                 "[353 103 54 217 316][1785 522 275]",
		"double hashing":                          "[727 383 247 111 579][3567 3867 71]",
		"double hashing, 32-bit halves":           "[719 154 401 648 83][3567 854 2237]",
		"enhanced double hashing":                 "[727 383 40 511 173][3567 3867 72]",
		"enhanced double hashing, multiply-shift": "[3 570 325 80 647][18 2878 1642]",
		"MD5 halves":                              "[248 569 78 399 720][104 1265 2426]",
		"one word per item":                       "[539 520 516 529 536][2843 2824 2820]",
		"one 512-bit block per item":              "[642 550 532 592 628][2783 2625 2594]",
	}
	for _, s := range All {
		got := ""
		for _, g := range []bloom.Geometry{{Bits: 812, Hashes: 5}, {Bits: 4096, Hashes: 3}} {
			got += fmt.Sprint(s.Positions(nil, g, 0x0123456789abcdef))
		}
		strategytest.Equal(t, got, want[s.Name], "%q", s.Name)
	}
	strategytest.Equal(t, len(want), len(All), "schemes")
}
