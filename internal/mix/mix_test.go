package mix_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"dejavu/internal/kernel"
	"dejavu/internal/kernel/kerneltest"
	"dejavu/internal/mix"
	"dejavu/strategies/strategytest"
)

// A number is found again from its mix, whatever it is.
func TestUnmix(t *testing.T) {
	strategytest.Equal(t, mix.Mix(1), 643742024521740044, "Mix(1), on disk in every history,")
	one, mixed := []uint64{1}, []uint64{0}
	mix.All(mixed, one)
	strategytest.EqualSlices(t, append(mixed, one...), []uint64{mix.Mix(1), 1}, "All mixes one, and leaves it")
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 100_000 {
		x := r.Uint64() >> (i % 64)
		if got := mix.Unmix(mix.Mix(x)); got != x {
			t.Fatalf("Unmix(mix.Mix(%#x)) = %#x", x, got)
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
		was := mix.Salt(x, before, between)
		for bit := range 64 {
			b := uint64(1) << bit
			for i, now := range []uint64{mix.Salt(x^b, before, between), mix.Salt(x, before^b, between)} {
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

// All kernels mix as Salt does, any number of numbers in place or from memory to memory, and touch nothing beside them.
func TestDrawn(t *testing.T) {
	from, to := strategytest.Guarded(t, 1<<20), strategytest.Guarded(t, 1<<20)
	kerneltest.Draw(t, 1000, "57590693dfa211a5", func(_ int, r *rand.Rand) (about string, returned []byte) {
		n, behind := kerneltest.Length(r), r.IntN(2)*r.IntN(10)
		src := kerneltest.Place[uint64](from, n+behind, r)
		dst := kerneltest.Place[uint64](to, n+behind, r)
		for i := range src {
			src[i], dst[i] = r.Uint64(), r.Uint64()
		}
		if r.IntN(2) == 0 {
			dst = src
		}
		want, before, between := slices.Clone(dst), r.Uint64(), r.Uint64()
		for i, x := range src[:n] {
			want[i] = mix.Salt(x, before, between)
		}
		mix.SaltAll(dst[:n], src[:n], before, between)
		if !slices.Equal(dst, want) {
			t.Fatalf("kernels: %v: %d numbers and %d behind them are not what Salt makes", kernel.Now(), n, behind)
		}
		return fmt.Sprintf("%d numbers", n), strategytest.Value(binary.Append(nil, binary.LittleEndian, dst))
	})
}

func BenchmarkSaltAll(b *testing.B) {
	for _, n := range []int{10, 40, 400} {
		ids := make([]uint64, n)
		for _, kind := range kernel.Kinds() {
			b.Run(fmt.Sprintf("n=%d/vectors=%v", n, kind), func(b *testing.B) {
				defer kernel.Use(kind)()
				for b.Loop() {
					mix.SaltAll(ids, ids, 1, 2)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/number")
			})
		}
	}
}
