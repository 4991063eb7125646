package rolling_test

import (
	"math"
	"testing"

	"dejavu/beyond/rolling"
	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

// The rate is that of a filter of all articles remembered: golden values of bloom.Exact computed outside the
// project (Bose et al. 2008), here for three generations of 100 and of 500 in the paper's 4064 positions.
func TestTheory(t *testing.T) {
	paper := bloom.Geometry{Bits: 4064, Hashes: 6}
	for _, tt := range []struct {
		generation, read, window int
		fpr                      float64
	}{
		{100, 0, 0, 0},
		{100, 200, 200, 0.000280},
		{100, 300, 300, 0.002104},
		{100, 900, 300, 0.002104},
		{500, 500, 500, 0.020268},
		{500, 1000, 1000, 0.211128},
		{500, 1500, 1500, 0.499930},
		{500, 2000, 1500, 0.499930},
		{500, 1_000_000, 1500, 0.499930},
	} {
		f := build(t, rolling.Config{Generation: tt.generation, Geometry: paper})
		if got := f.FPR(tt.read); math.Abs(got-tt.fpr) > 0.5e-6 {
			t.Errorf("generations of %d: FPR(%d) = %.7f, want %.6f", tt.generation, tt.read, got, tt.fpr)
		}
		if got := f.Window(tt.read); got != tt.window {
			t.Errorf("generations of %d: Window(%d) = %d, want %d", tt.generation, tt.read, got, tt.window)
		}
	}
}

// 24.6 bits for each of 400 guaranteed articles at 2 %, computed outside the
// project for the filter sized by the textbook formula and in whole 64-bit
// words, which is core. Without that rounding it is 24.5, header included.
func TestBitsPerGuaranteedArticle(t *testing.T) {
	sized, err := rolling.Sized(400, 0.02)
	strategytest.Must(t, err)
	for _, tt := range []struct {
		name   string
		config rolling.Config
		header int // bytes to count
		want   float64
	}{
		{"core", core, 0, 24.64},
		{"sized", sized, 3, 24.54},
	} {
		f := build(t, tt.config)
		bits := float64(8*(f.Bytes(600)-f.HeaderBytes()+tt.header)) / 400
		if math.Abs(bits-tt.want) > 0.005 {
			t.Errorf("%s: %.3f bits for each of 400 articles, want %.2f", tt.name, bits, tt.want)
		}
		if f.FPR(600) > 0.02 {
			t.Errorf("%s: FPR(600) = %v, want at most 0.02", tt.name, f.FPR(600))
		}
	}
}

// The number of positions of core by the formula -k n / ln(1 - fpr^(1/k)), k being
// log2(1/fpr) rounded, for n = 600 articles, in whole 64-bit words.
func TestCoreIsSizedAsTheTextbookSays(t *testing.T) {
	k := math.Round(math.Log2(1 / 0.02))
	m := math.Ceil(-k * 600 / math.Log(1-math.Pow(0.02, 1/k)))
	want := rolling.Config{Generation: 200, Geometry: bloom.Geometry{Bits: int(math.Ceil(m/64)) * 64, Hashes: int(k)}}
	if core != want {
		t.Errorf("core is %+v, want %+v", core, want)
	}
}

// The geometry of small is the best that the 512 bytes of the paper's chain allow.
func TestSmallIsTheBestOf512Bytes(t *testing.T) {
	f := build(t, small)
	if got := f.Bytes(600); got != 512 {
		t.Errorf("%d bytes, want 512", got)
	}
	if got := f.FPR(600); math.Abs(got-0.198) > 0.0005 {
		t.Errorf("a rate of %.4f, want 0.198", got)
	}
	for k := 1; k <= 10; k++ {
		c := small
		c.Geometry.Hashes = k
		if got := build(t, c).FPR(600); got < f.FPR(600) {
			t.Errorf("%d hashes are better: %v instead of %v", k, got, f.FPR(600))
		}
	}
}

// Whatever is asked for is met at every moment, and a position less misses it.
func TestSizedKeepsItsPromise(t *testing.T) {
	for _, tt := range []struct {
		window int
		fpr    float64
	}{{1, 0.5}, {2, 0.01}, {3, 0.1}, {4, 0.1}, {399, 0.02}, {400, 0.02}, {401, 0.001}, {402, 0.3}, {1, 0.999}} {
		c, err := rolling.Sized(tt.window, tt.fpr)
		if err != nil {
			t.Fatalf("Sized(%d, %v): %v", tt.window, tt.fpr, err)
		}
		f := build(t, c)
		for read := range 7 * c.Generation {
			if f.Window(read) < min(read, tt.window) {
				t.Fatalf("Sized(%d, %v): the window is %d after %d articles", tt.window, tt.fpr, f.Window(read), read)
			}
			if read%c.Generation == 0 && f.FPR(read) > tt.fpr {
				t.Fatalf("Sized(%d, %v): the rate is %v after %d articles", tt.window, tt.fpr, f.FPR(read), read)
			}
		}
		if smaller := c; c.Generation > 1 {
			smaller.Generation--
			if got := build(t, smaller).Window(3*smaller.Generation + 1); got >= tt.window {
				t.Errorf("Sized(%d, %v): generations of %d would do, their window is %d", tt.window, tt.fpr, smaller.Generation,
					got)
			}
		}
		if smaller := c; c.Geometry.Bits > bloom.MinLaneBits {
			smaller.Geometry.Bits--
			if got := build(t, smaller).FPR(3 * c.Generation); got <= tt.fpr {
				t.Errorf("Sized(%d, %v): %v does with a position less: %v", tt.window, tt.fpr, c.Geometry, got)
			}
		}
	}
}

func TestSizedErrors(t *testing.T) {
	strategytest.RefusesTargets(t, rolling.Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 131071":      {0, 0.02},
		"window is 131072, want 1 to 131071": {131072, 0.02},
		"fpr is 0, want it between 0 and 1":  {400, 0},
		"fpr is 1, want it between 0 and 1":  {400, 1},
		"fpr is NaN":                         {400, math.NaN()},
		"holds 196605 articles":              {131071, 1e-300},
	})
}
