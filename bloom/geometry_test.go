package bloom

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
	"pgregory.net/rapid"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		g    Geometry
		want string // a part of the error; empty where g is valid
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
			if f := Exact(n, g); f > fpr {
				t.Errorf("BestGeometry(%d, %g) = %v, whose rate is %v", n, fpr, g, f)
			}
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
			if g != (Geometry{}) {
				t.Errorf("%s(%d, %g) = %v beside an error", name, tt.n, tt.fpr, g)
			}
		}
	}
	// A rate so near 1 that the equations round to no hashes is no filter.
	if g, err := PaperGeometry(100, 0.9); err == nil {
		t.Errorf("PaperGeometry(100, 0.9) = %v, want an error", g)
	}
	if g, err := PaperGeometry(1, 1e-40); err == nil {
		t.Errorf("PaperGeometry(1, 1e-40) = %v, want an error: that takes 133 hashes", g)
	}
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

// The best for the paper's filter; of numbers of hashes that are as good, the smallest.
func TestBestHashes(t *testing.T) {
	for n, want := range map[int]int{0: 1, 500: 6, 1 << 20: 1} {
		if got := BestHashes(4064, n); got != (Geometry{4064, want}) {
			t.Errorf("for %d articles %v, want %d hashes", n, got, want)
		}
	}
}
