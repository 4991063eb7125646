package bloom_test

import (
	"math"
	"testing"

	"dejavu/bloom"
	"dejavu/internal/mix"
	"dejavu/strategies/strategytest"
)

// The rate by counting: of three fingerprints, two that are held cover 1, but for
// one time in three 2 that differ: 1 - (2/3)^2 = 5/9.
func TestFingerprintFPR(t *testing.T) {
	for _, tt := range []struct {
		n, fingerprints int
		want            float64
	}{{0, 3, 0}, {-1, 3, 0}, {1, 3, 1. / 3}, {2, 3, 5. / 9}, {400, 1 << 15, 0.012133012}, {1, 1, 1}, {1, 0, 1}} {
		strategytest.Near(t, bloom.FingerprintFPR(tt.n, tt.fingerprints), tt.want, 1e-9,
			"FingerprintFPR(%d, %d) =", tt.n, tt.fingerprints)
	}
}

// The least is enough, and one less is not.
func TestLeastFingerprints(t *testing.T) {
	for _, n := range []int{1, 2, 7, 400, 456, 100000} {
		for _, fpr := range []float64{0.999, 0.5, 1. / 3, 0.02, 0.001} {
			got, ok := bloom.LeastFingerprints(n, fpr, 1<<30)
			if !ok || bloom.FingerprintFPR(n, got) > fpr || got > 1 && bloom.FingerprintFPR(n, got-1) <= fpr {
				t.Errorf("LeastFingerprints(%d, %v) = %d, %v", n, fpr, got, ok)
			}
			if again, ok := bloom.LeastFingerprints(n, fpr, got); again != got || !ok {
				t.Errorf("LeastFingerprints(%d, %v) with %d at most is %d, %v", n, fpr, got, again, ok)
			}
			if _, ok := bloom.LeastFingerprints(n, fpr, got-1); ok {
				t.Errorf("LeastFingerprints(%d, %v) is at most %d", n, fpr, got-1)
			}
		}
	}
	if got, ok := bloom.LeastFingerprints(400, 0.02, 1<<30); got != 19800 || !ok {
		t.Errorf("400 articles at 2 %% want %d fingerprints, want 19800", got)
	}
}

// Digits are a share of the range of mixes: the k-th of b begins at k/b.
func TestDigit(t *testing.T) {
	for _, base := range []int{1, 2, 3, 22572, 1 << 30} {
		for _, tt := range []struct {
			mix  uint64
			want int
		}{{0, 0}, {1 << 63, base / 2}, {math.MaxUint64, base - 1}, {math.MaxUint64/3 + 1, base / 3}} {
			strategytest.Equal(t, bloom.Digit(mix.Unmix(tt.mix), base), tt.want,
				"Digit of mix %#x, %d is", tt.mix, base)
		}
	}
}
