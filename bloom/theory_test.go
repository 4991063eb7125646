package bloom

import (
	"bytes"
	"math"
	"testing"

	"dejavu/internal/mix"
	"dejavu/strategies/strategytest"
)

// A block has Binomial(n, 1/blocks) of the articles: the rate and the fill are the means over how many.
func TestBlockedIsTheMeanOverBlocks(t *testing.T) {
	for _, g := range []Geometry{{64, 4}, {512, 6}, {5, 1}, {3, 8}} {
		for _, blocks := range []int{1, 2, 3, 8} {
			for _, n := range []int{0, 1, 2, 7, 60} {
				rate, fill, share := 0., 0., math.Pow(1-1/float64(blocks), float64(n)) // of i items in a block
				for i := 0; i <= n; i++ {
					if blocks == 1 {
						share = map[bool]float64{true: 1}[i == n]
					}
					rate, fill = rate+share*Exact(i, g), fill+share*Fill(i, g)
					share *= float64(n-i) / float64(i+1) / float64(max(blocks-1, 1))
				}
				strategytest.Near(t, ExactBlocked(n, blocks, g), rate, 1e-12*rate,
					"%d items in %d blocks of %v: rate", n, blocks, g)
				strategytest.Near(t, FillBlocked(n, blocks, g), fill, 1e-12*fill,
					"%d items in %d blocks of %v: fill", n, blocks, g)
			}
		}
	}
	if ExactBlocked(-1, 2, Geometry{Bits: 8, Hashes: 1}) != 0 || FillBlocked(-1, 2, Geometry{Bits: 8, Hashes: 1}) != 0 {
		t.Error("less than nothing is something")
	}
}

// Distinct positions, counted by going through every sequence of probes.
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
			if want := float64(counts[d]) / float64(all); math.Abs(chance-want) > 1e-14 {
				t.Errorf("%v: %d distinct with the chance %v, want %v", g, d, chance, want)
			}
		}
	}
}

// A salt multiplies the mix of every ID, however many there are.
func TestInsertSalted(t *testing.T) {
	g := Geometry{Bits: 4064, Hashes: 6}
	for _, n := range []int{0, 1, 127, 128, 129, 300} {
		ids, salted := make([]uint64, n), make([]uint64, n)
		for i := range ids {
			ids[i] = uint64(i+1) * 0x9e3779b97f4a7c15
			salted[i] = mix.Unmix(mix.Mix(ids[i]) * Salt(2))
		}
		for salt, want := range map[uint64][]uint64{1: ids, Salt(2): salted} {
			l := strategytest.Value(NewLanes(g, 1))
			got, plain := make([]byte, l.Bytes()), make([]byte, l.Bytes())
			InsertSalted(l, got, salt, ids)
			Insert(l, plain, 1, want)
			if !bytes.Equal(got, plain) {
				t.Errorf("%d IDs under %#x are not those of the products", n, salt)
			}
		}
	}
}

// A block of very many articles: the binomial chances leave the range of a float64 on the
// way, and are scaled. By logarithms the mean is the same.
func TestExactBlockedOfMany(t *testing.T) {
	const n, blocks = 4000, 4
	g := Geometry{Bits: 1 << 16, Hashes: 20}
	want, p := 0., 1./blocks
	all, _ := math.Lgamma(n + 1)
	for i := 800; i <= 1200; i++ { // seven standard deviations
		in, _ := math.Lgamma(float64(i) + 1)
		out, _ := math.Lgamma(float64(n-i) + 1)
		want += math.Exp(all-in-out+float64(i)*math.Log(p)+float64(n-i)*math.Log1p(-p)) * Exact(i, g)
	}
	if got := ExactBlocked(n, blocks, g); !(math.Abs(got-want) < 1e-6*want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// By hand: at 2 % an article takes log2 50 = 5.644 bits and, with slack as large as
// the window, log2 5.644 = 2.497 more; with a slack of one, log2 400 = 8.644 more.
func TestWindowBound(t *testing.T) {
	for _, c := range []struct {
		slack int
		want  float64
	}{{400, 400 * 8.1404}, {100, 400 * 8.1404}, {1, 400 * 14.2877}} {
		if got := WindowBound(400, c.slack, 0.02); math.Abs(got/c.want-1) > 1e-4 {
			t.Errorf("400 articles, slack %d: %v bits, want %v", c.slack, got, c.want)
		}
	}
	if got := WindowBound(1000, 1000, 0.5); got != 1000 {
		t.Errorf("at a rate of a half: %v bits, want one an article", got)
	}
}

// What comments of this package say in numbers.
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
		if math.Abs(100*tt.got-tt.want) > 0.005 {
			t.Errorf("%s: %.4f %%, want %.2f", tt.what, 100*tt.got, tt.want)
		}
	}
}

// A Theory is the closed forms at what the filter holds.
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
