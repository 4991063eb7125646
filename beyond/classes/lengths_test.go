package classes

import (
	"math"
	"testing"

	"dejavu/bloom"
)

// The rate in float64 is off by no more than it says, and that is little where
// it decides: below a hundredth of the rate up to twenty hashes.
func TestRounded(t *testing.T) {
	for _, n := range []int{1, 7, 31, 500, 1_000_000} {
		for _, bits := range []int{1, 8, 255, 4080, bloom.MaxBits} {
			for _, hashes := range []int{1, 2, 6, 13, 20, 64} {
				g := bloom.Geometry{Bits: bits, Hashes: hashes}
				rate, within := rounded(n, g)
				exact := bloom.Exact(n, g)
				if !(math.Abs(rate-exact) <= within) {
					t.Errorf("%d articles in %v: %v ± %v, exactly %v", n, g, rate, within, exact)
				}
				if fill := bloom.Fill(n, g); hashes <= 20 && 0.4 < fill && fill < 0.6 && within > exact/100 {
					t.Errorf("%d articles in %v: %v ± %v says too little", n, g, rate, within)
				}
			}
		}
	}
}

// Lengths are those of bloom.BestGeometry in whole bytes; what is asked for is
// met, and not with a hash less, and not in a byte less.
func TestShortest(t *testing.T) {
	counts := []int{1, 2, 3, 5, 30, 31, 100, 400, 1000, 4095}
	for _, fpr := range []float64{0.9, 0.5, 0.1, 0.02, 0.001, 1e-6} {
		got, err := shortest(counts, fpr)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range counts {
			best, err := bloom.BestGeometry(n, fpr)
			if err != nil {
				t.Fatal(err)
			}
			if want := (best.Bits + 7) / 8 * 8; got[i].Bits != want {
				t.Errorf("%d articles at %v take %v, want %d bits", n, fpr, got[i], want)
			}
			if bloom.Exact(n, got[i]) > fpr {
				t.Errorf("%d articles at %v: %v misses the rate", n, fpr, got[i])
			}
			if less := (bloom.Geometry{Bits: got[i].Bits, Hashes: got[i].Hashes - 1}); bloom.Exact(n, less) <= fpr {
				t.Errorf("%d articles at %v: %v would do for %v", n, fpr, less, got[i])
			}
		}
	}
}
