package mix

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/internal/kernel"
)

// A number is found again from its mix, whatever it is.
func TestUnmix(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 100_000 {
		x := r.Uint64() >> (i % 64)
		if got := Unmix(Mix(x)); got != x {
			t.Fatalf("Unmix(Mix(%#x)) = %#x", x, got)
		}
	}
}

// Every bit of the result changes with each bit of the number, and of the word before, about every other time. The
// bound is six standard deviations of 20,000 tries: it fails for one seed in 60,000. A round less fails it.
func TestAvalanche(t *testing.T) {
	const tries, bound = 20_000, 6 * 0.5 / 141.4
	r := rand.New(rand.NewPCG(2, 1))
	var flips [2][64][64]int
	for range tries {
		x, before, between := r.Uint64(), r.Uint64(), r.Uint64()
		was := Salt(x, before, between)
		for bit := range 64 {
			b := uint64(1) << bit
			for i, now := range []uint64{Salt(x^b, before, between), Salt(x, before^b, between)} {
				for d := was ^ now; d != 0; d &= d - 1 {
					flips[i][bit][bits.TrailingZeros64(d)]++
				}
			}
		}
	}
	for i, word := range []string{"the number", "before"} {
		worst := 0.
		for in := range 64 {
			for out := range 64 {
				worst = max(worst, math.Abs(float64(flips[i][in][out])/tries-0.5))
			}
		}
		t.Logf("%s: a bit changes another with a chance off one half by %.4f at most", word, worst)
		if worst > bound {
			t.Errorf("%s: a bit changes another with a chance off one half by %.4f, want %.4f", word, worst, bound)
		}
	}
}

// Vectors make what the definition does, of any number of numbers, and touch nothing behind them.
func TestVectors(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for n := range 70 {
		src := make([]uint64, n+9)
		for i := range src {
			src[i] = r.Uint64()
		}
		dst, before, between := slices.Clone(src), r.Uint64(), r.Uint64()
		SaltAll(dst[:n], src[:n], before, between)
		for i := range dst {
			want := src[i]
			if i < n {
				want = Salt(src[i], before, between)
			}
			if dst[i] != want {
				t.Fatalf("%d numbers: number %d is %#x, want %#x", n, i, dst[i], want)
			}
		}
	}
}

func BenchmarkSaltAll(b *testing.B) {
	for _, n := range []int{10, 40, 400} {
		ids := make([]uint64, n)
		for _, kind := range kernel.Kinds() {
			b.Run(fmt.Sprintf("n=%d/vectors=%v", n, kind), func(b *testing.B) {
				defer kernel.Use(kind)()
				for b.Loop() {
					SaltAll(ids, ids, 1, 2)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/number")
			})
		}
	}
}
