package bloom

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dejavu/internal/mix"
	"dejavu/strategies/strategytest"

	"pgregory.net/rapid"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		g    Geometry
		want string // a part of the error; empty if g is valid
	}{
		{Geometry{Bits: 4064, Hashes: 6}, ""},
		{Geometry{Bits: 1, Hashes: 1}, ""},
		{Geometry{Bits: MaxBits, Hashes: MaxHashes}, ""},
		{Geometry{}, "Bits is 0, want 1 to 16777216"},
		{Geometry{Bits: -8, Hashes: 6}, "Bits is -8, want 1 to 16777216"},
		{Geometry{Bits: MaxBits + 1, Hashes: 6}, "Bits is 16777217, want 1 to 16777216"},
		{Geometry{Bits: 4064}, "Hashes is 0, want 1 to 64"},
		{Geometry{Bits: 6, Hashes: 4064}, "Hashes is 4064, want 1 to 64"}, // the two swapped
	}
	for _, tt := range tests {
		err := tt.g.Validate()
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%v: %v, want no error", tt.g, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%v: error %v, want %q", tt.g, err, tt.want)
		}
	}
}

func TestSizing(t *testing.T) {
	tests := []struct {
		name string
		rule func(int, float64) (Geometry, error)
		n    int
		fpr  float64
		want Geometry
	}{
		{"the paper's filter (§4)", PaperGeometry, 500, 0.02, Geometry{4064, 6}},
		{"its equations at 100, where it prints 812", PaperGeometry, 100, 0.02, Geometry{814, 6}},
		{"a power of two rounds nothing", PaperGeometry, 25, 0.5, Geometry{36, 1}}, // 1.44·25 is 36 exactly
		{"the lecture: 2·500·ln 50 = 3912.02", LectureGeometry, 500, 0.02, Geometry{3913, 6}},
		{"the lecture at 1 %: 2·100·ln 100 = 921.03", LectureGeometry, 100, 0.01, Geometry{922, 7}},
		// Golden values computed outside the project by exhaustive search.
		{"best for the paper's window", BestGeometry, 500, 0.02, Geometry{4078, 6}},
		{"best for a link", BestGeometry, 100, 0.02, Geometry{817, 6}},
		{"best for a fifth of the union", BestGeometry, 100, 0.0040324, Geometry{1150, 8}},
		{"best for a tenth of the union", BestGeometry, 100, 0.0020182, Geometry{1294, 9}},
		{"one item, one coin", BestGeometry, 1, 0.5, Geometry{2, 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.rule(tt.n, tt.fpr)
			if err != nil || got != tt.want {
				t.Errorf("%d articles at %g: %v, %v; want %v", tt.n, tt.fpr, got, err, tt.want)
			}
		})
	}
}

// Every size from one bit upwards and every number of hashes, rated by the
// recursion that Exact does not use: the first to meet the target is the best.
func TestBestGeometryIsBest(t *testing.T) {
	const hashes = 12 // more than a target of 2 % can use
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		fpr := rapid.Float64Range(0.02, 0.95).Draw(t, "fpr")
		got := strategytest.Value(BestGeometry(n, fpr))
		for m := 1; ; m++ {
			for k := 1; k <= hashes; k++ {
				g := Geometry{Bits: m, Hashes: k}
				f := bose(n, g)
				if relative(f, fpr) < 1e-9 {
					t.Skip("the target lies within rounding of a rate")
				}
				if f <= fpr {
					if g != got {
						t.Fatalf("BestGeometry(%d, %v) = %v, but %v has rate %v", n, fpr, got, g, f)
					}
					return
				}
			}
		}
	})
}

// At every target the result meets it and one bit less does not, whatever k.
func TestBestGeometryIsTight(t *testing.T) {
	for _, n := range []int{1, 3, 100, 1000, 20000} {
		for _, fpr := range []float64{0.9, 0.5, 0.1, 0.02, 1e-3, 1e-6, 1e-12} {
			g, err := BestGeometry(n, fpr)
			if err != nil {
				t.Errorf("BestGeometry(%d, %g): %v", n, fpr, err)
				continue
			}
			strategytest.AtMost(t, Exact(n, g), fpr, "BestGeometry(%d, %g) = %v, whose rate is", n, fpr, g)
			for k := 1; g.Bits > 1 && k <= MaxHashes; k++ {
				if less := (Geometry{Bits: g.Bits - 1, Hashes: k}); Exact(n, less) <= fpr {
					t.Errorf("BestGeometry(%d, %g) = %v, but %v meets it too", n, fpr, g, less)
				}
			}
		}
	}
}

func TestSizingErrors(t *testing.T) {
	rules := map[string]func(int, float64) (Geometry, error){
		"PaperGeometry": PaperGeometry, "LectureGeometry": LectureGeometry, "BestGeometry": BestGeometry,
	}
	tests := []struct {
		n    int
		fpr  float64
		want string
	}{
		{0, 0.02, "n is 0, want 1 to 16777216"},
		{-5, 0.02, "n is -5, want 1 to 16777216"},
		{500, 0, "fpr is 0, want it between 0 and 1, both excluded"},
		{500, 1, "fpr is 1, want it between 0 and 1, both excluded"},
		{500, -0.02, "fpr is -0.02, want"},
		{500, 2, "fpr is 2, want"},
		{500, math.NaN(), "fpr is NaN, want"},
		{500, math.Inf(1), "fpr is +Inf, want"},
		{math.MaxInt, 0.02, "16777216"}, // more bits than a lane may have
		{100_000_000, 0.02, "16777216"},
	}
	for name, rule := range rules {
		for _, tt := range tests {
			g, err := rule(tt.n, tt.fpr)
			strategytest.ErrorSays(t, fmt.Sprintf("%s(%d, %g)", name, tt.n, tt.fpr), err, tt.want)
			strategytest.Equal(t, g, (Geometry{}), "%s(%d, %g) beside an error", name, tt.n, tt.fpr)
		}
	}
	// Near 1 the equations round to no hashes, which is no filter.
	strategytest.ErrorSays(t, "0.9", strategytest.ErrorOf(PaperGeometry(100, 0.9)), "Hashes is 0, want 1 to 64")
	strategytest.ErrorSays(t, "PaperGeometry(1, 1e-40)", strategytest.ErrorOf(PaperGeometry(1, 1e-40)), "133.1 hashes")
}

func ExampleBestGeometry() {
	paper, _ := PaperGeometry(500, 0.02)
	best, _ := BestGeometry(500, 0.02)
	fmt.Printf("%v: %.4f\n", paper, Exact(500, paper))
	fmt.Printf("%v: %.4f\n", best, Exact(500, best))
	// Output:
	// 4064/6: 0.0203
	// 4078/6: 0.0200
}

// The best for the paper's filter; among equals, the fewest hashes.
func TestBestHashes(t *testing.T) {
	for n, want := range map[int]int{0: 1, 500: 6, 1 << 20: 1} {
		strategytest.Equal(t, BestHashes(4064, n), (Geometry{4064, want}), "for %d articles", n)
	}
}

// Distinct positions, counted over every sequence of probes.
func TestDistinctCountsEverySequence(t *testing.T) {
	for _, g := range []Geometry{{1, 3}, {2, 4}, {5, 1}, {5, 3}, {4, 6}} {
		all := int(math.Pow(float64(g.Bits), float64(g.Hashes)))
		counts := make([]int, g.Hashes+1)
		for sequence := range all {
			met, rest := map[int]bool{}, sequence
			for range g.Hashes {
				met[rest%g.Bits] = true
				rest /= g.Bits
			}
			counts[len(met)]++
		}
		got := Distinct(g)
		if len(got) != min(g.Hashes, g.Bits)+1 {
			t.Fatalf("%v: %d chances", g, len(got))
		}
		for d, chance := range got {
			strategytest.Near(t, chance, float64(counts[d])/float64(all), 1e-14,
				"%v: %d distinct with the chance", g, d)
		}
	}
}

// A salt multiplies the mix of every ID, however many there are, and whatever the number of hashes.
func TestSalted(t *testing.T) {
	for hashes, n := range []int{0, 1, 127, 128, 129, 300, 5, 300, 127, 64, 128, 300, 1} {
		g := Geometry{Bits: 4064 - 99*hashes, Hashes: hashes + 1}
		ids, salted := make([]uint64, 2*n), make([]uint64, 2*n) // half of which are inserted
		for i := range ids {
			ids[i] = uint64(i+1) * 0x9e3779b97f4a7c15
			salted[i] = mix.Unmix(mix.Mix(ids[i]) * Salt(2))
		}
		for salt, want := range map[uint64][]uint64{1: ids, Salt(2): salted} {
			l := strategytest.Value(NewLanes(g, 1))
			got, plain := make([]byte, l.Bytes()), make([]byte, l.Bytes())
			InsertSalted(l, got, salt, ids[:n])
			Insert(l, plain, 1, want[:n])
			strategytest.EqualSlices(t, got, plain, "%d IDs under %#x are not those of the products", n, salt)
			held, seen := make([]bool, 2*n), make([]bool, 2*n)
			Query(l, plain, 1, want, held)
			for i := range seen {
				seen[i], held[i] = i%7 == 0, held[i] || i%7 == 0 // which stays
			}
			QuerySalted(l, got, salt, ids, seen)
			strategytest.EqualSlices(t, seen, held, "answers of %d IDs under %#x", n, salt)
		}
	}
}

// By hand: at 2 % an article takes log2 50 = 5.644 bits and, with slack as large as
// the window, log2 5.644 = 2.497 more; with a slack of one, log2 400 = 8.644 more.
func TestWindowBound(t *testing.T) {
	for _, c := range []struct {
		slack int
		want  float64
	}{{400, 400 * 8.1404}, {100, 400 * 8.1404}, {1, 400 * 14.2877}} {
		strategytest.Near(t, WindowBound(400, c.slack, 0.02)/c.want, 1, 1e-4, "400 articles, slack %d: bits", c.slack)
	}
	strategytest.Equal(t, WindowBound(1000, 1000, 0.5), 1000, "at a rate of a half: bits")
}

// Numbers in this package's comments.
func TestDocumentedNumbers(t *testing.T) {
	paper, link := Geometry{Bits: 4064, Hashes: 6}, Geometry{Bits: 812, Hashes: 6}
	e := Exact(100, link)
	for _, tt := range []struct {
		what      string
		got, want float64 // in per cent
	}{
		{"Asymptotic is low at 4064/6", 1 - Asymptotic(500, paper)/Exact(500, paper), 0.16},
		{"Asymptotic is low at 812/6", 1 - Asymptotic(100, link)/e, 0.79},
		{"links that share positions", 1 - ExactShared(link, 100, 100, 100, 100, 100)/Union(e, e, e, e, e), 0.06},
		{"the paper's filter", Exact(500, paper), 2.03},
	} {
		strategytest.Near(t, 100*tt.got, tt.want, 0.005, "%s: %%", tt.what)
	}
}

// A Theory evaluates the closed forms at the number of articles held.
func TestTheoryIsOfWhatIsHeld(t *testing.T) {
	g := Geometry{Bits: 812, Hashes: 6}
	theory := NewTheory(g, func(read int) int { return read % 100 })
	for read, held := range map[int]int{0: 0, 50: 50, 199: 99, 240: 40} {
		if theory.FPR(read) != Exact(held, g) || theory.Asymptotic(read) != Asymptotic(held, g) ||
			theory.Window(read) != held || theory.FillTheory(read) != Fill(held, g) {
			t.Errorf("after %d articles the theory is not that of %d", read, held)
		}
	}
	strategytest.Equal(t, All(7), 7, "of 7 articles are held")
}
