package blocked

import (
	"math"
	"testing"

	"dejavu/bloom"
	"dejavu/strategies/strategytest"
)

// At 4064 bits, 500 articles and 6 hashes, blocks cost 8.8 % more false positives than one filter of all the
// bits: simulated outside the project, with a standard error of 0.11 percentage points. 4064 is not a
// multiple of 512: that simulation's layout is not stated, and 8 blocks of 508 bits, the nearest that tile
// them, make it 8.60 % exactly, which is within two standard errors. Its row for 812 bits, 7.6 %, is not this
// structure's: 2 blocks of 406 bits make 6.1 %, and blocks of 512 do not fit.
func TestThePriceOfBlocks(t *testing.T) {
	whole := bloom.Exact(500, bloom.Geometry{Bits: 4096, Hashes: 6})
	if price := bloom.ExactBlocked(500, 8,
		bloom.Geometry{Bits: BlockBits, Hashes: 6})/whole - 1; math.Abs(price-0.0867) > 0.5e-4 {
		t.Errorf("8 blocks of 512 bits cost %+.3f %%, want +8.67 %%", 100*price)
	}
	single := bloom.Exact(500, bloom.Geometry{Bits: 4064, Hashes: 6})
	price := bloom.ExactBlocked(500, 8, bloom.Geometry{Bits: 508, Hashes: 6})/single - 1
	strategytest.Near(t, price, 0.0860, 0.5e-4, "8 blocks of 508 bits cost")
	if z := (price - 0.088) / 0.0011; math.Abs(z) > 2 {
		t.Errorf("8 blocks of 508 bits cost %+.3f %%, %.1f standard errors from the simulation's 8.8 %%", 100*price, z)
	}
	twice := bloom.ExactBlocked(100, 2, bloom.Geometry{Bits: 406, Hashes: 6})/bloom.Exact(100,
		bloom.Geometry{Bits: 812, Hashes: 6}) - 1
	strategytest.Near(t, twice, 0.0611, 0.5e-4, "2 blocks of 406 bits cost")
}

func TestRates(t *testing.T) {
	f := strategytest.Value(New(Default))
	for _, read := range []int{-1, 0} {
		if f.FPR(read) != 0 || f.Asymptotic(read) != 0 || f.FillTheory(read) != 0 {
			t.Errorf("after %d articles: FPR %v, Asymptotic %v, FillTheory %v, want 0", read, f.FPR(read), f.Asymptotic(read),
				f.FillTheory(read))
		}
	}
	// One article is in a fresh one's block once in eight, and all its bits
	// are there too by a chance that bloom.Exact gives.
	if got, want := f.FPR(1), bloom.Exact(1, f.inBlock)/8; math.Abs(got-want) > 1e-12*want {
		t.Errorf("FPR(1) = %v, want %v", got, want)
	}
	if f.FPR(1<<30) != 1 || f.Asymptotic(1_000_000) < 1-1e-9 {
		t.Errorf("a full filter: FPR %v, Asymptotic %v, want 1", f.FPR(1<<30), f.Asymptotic(1_000_000))
	}
	// The approximation is a little low here: 0.2 %.
	strategytest.Near(t, f.Asymptotic(500)/f.FPR(500), 0.9975, 0.0005, "Asymptotic is of FPR")
}

// Whatever is asked for is met, and a block less misses it with any number of hashes.
func TestSizedKeepsItsPromise(t *testing.T) {
	keeps := func(window int, fpr float64, want Config) {
		t.Helper()
		got, err := Sized(window, fpr)
		if err != nil || got != want {
			t.Errorf("Sized(%d, %v) = %+v, %v, want %+v", window, fpr, got, err, want)
			return
		}
		for k := 1; k <= 20; k++ {
			g := bloom.Geometry{Bits: BlockBits, Hashes: k}
			if got.Blocks > 1 && bloom.ExactBlocked(window, got.Blocks-1, g) <= fpr {
				t.Errorf("Sized(%d, %v): a block less does with %d hashes", window, fpr, k)
			}
			if k < got.Hashes && bloom.ExactBlocked(window, got.Blocks, g) <= fpr {
				t.Errorf("Sized(%d, %v): %d hashes would do", window, fpr, k)
			}
		}
	}
	keeps(400, 0.02, Config{Blocks: 7, Hashes: 4})
	keeps(500, 0.02, Config{Blocks: 9, Hashes: 4})
	keeps(1, 0.5, Config{Blocks: 1, Hashes: 1})
	keeps(400, 0.001, Config{Blocks: 13, Hashes: 7})
	keeps(1000, 0.3, Config{Blocks: 5, Hashes: 2})
}

func TestSizedErrors(t *testing.T) {
	strategytest.RefusesTargets(t, Sized, map[string]strategytest.Target{
		"window is 0, want 1 to 16777216":         {0, 0.02},
		"fpr is 0, want it between 0 and 1":       {400, 0},
		"fpr is 1, want it between 0 and 1":       {400, 1},
		"fpr is NaN":                              {400, math.NaN()},
		"window is 100000000, want 1 to 16777216": {100_000_000, 0.02},
	})
}
