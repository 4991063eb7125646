package bloom

import (
	"bytes"
	"math"
	"testing"

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
				if got := ExactBlocked(n, blocks, g); math.Abs(got-rate) > 1e-12*rate {
					t.Errorf("%d items in %d blocks of %v: rate %v, want %v", n, blocks, g, got, rate)
				}
				if got := FillBlocked(n, blocks, g); math.Abs(got-fill) > 1e-12*fill {
					t.Errorf("%d items in %d blocks of %v: fill %v, want %v", n, blocks, g, got, fill)
				}
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

// A salt multiplies every ID, however many there are.
func TestInsertSalted(t *testing.T) {
	g := Geometry{Bits: 4064, Hashes: 6}
	for _, n := range []int{0, 1, 127, 128, 129, 300} {
		ids, salted := make([]uint64, n), make([]uint64, n)
		for i := range ids {
			ids[i] = uint64(i+1) * 0x9e3779b97f4a7c15
			salted[i] = ids[i] * Salt(2)
		}
		for salt, want := range map[uint64][]uint64{1: ids, Salt(2): salted} {
			l, err := NewLanes(g, 1)
			strategytest.Must(t, err)
			got, plain := make([]byte, l.Bytes()), make([]byte, l.Bytes())
			InsertSalted(l, got, salt, ids)
			Insert(l, plain, 1, want)
			if !bytes.Equal(got, plain) {
				t.Errorf("%d IDs under %#x are not those of the products", n, salt)
			}
		}
	}
}
