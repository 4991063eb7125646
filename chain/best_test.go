package chain_test

import (
	"fmt"
	"math"
	"testing"

	"dejavu/bloom"
	"dejavu/chain"
	"dejavu/strategies/strategytest"
)

// length returns the bytes of a chain's longest history.
func length(t testing.TB, c chain.Config) int {
	t.Helper()
	return build(t, c).Sizes()[c.Links-1]
}

// full returns a chain's highest rate.
func full(t testing.TB, c chain.Config) float64 {
	t.Helper()
	return build(t, c).FPR(c.Links * c.Capacity)
}

// certain returns how many articles a chain's theory guarantees at every moment of a rotation after the first full
// one.
func certain(t testing.TB, c chain.Config) int {
	t.Helper()
	memory, held := build(t, c), math.MaxInt
	for read := c.Links * c.Capacity; read <= (c.Links+1)*c.Capacity; read++ {
		held = min(held, memory.Window(read))
	}
	return held
}

// fewest returns the smallest capacity with which this number of links holds a window, counted up from a lower one.
func fewest(t testing.TB, links, window int) int {
	t.Helper()
	c := chain.Config{Links: links, Capacity: max(1, window/(links-1)-2), Geometry: chain.Paper.Geometry}
	for c.Capacity < math.MaxUint16 && certain(t, c) < window {
		c.Capacity++
	}
	return c.Capacity
}

// Numbers in Best's comment.
func TestBest(t *testing.T) {
	takes := func(window int, fpr float64, links, wantBest, wantSized int) {
		t.Helper()
		best := strategytest.Value(chain.Best(window, fpr))
		sized := strategytest.Value(chain.Sized(window, fpr))
		if best.Links != links || length(t, best) != wantBest || length(t, sized) != wantSized {
			t.Errorf("Best(%d, %v) has %d links in %d bytes and Sized takes %d, want %d in %d and %d",
				window, fpr, best.Links, length(t, best), length(t, sized), links, wantBest, wantSized)
		}
	}
	takes(400, 0.1, 5, 510, 510)
	takes(400, 0.02, 8, 717, 723)
	takes(400, 0.001, 8, 1074, 1114)
	takes(400, 1e-6, 20, 1857, 2014)
	takes(1000, 0.02, 6, 1785, 1799)
	takes(5000, 0.02, 6, 8899, 8971)
	takes(100_000, 0.02, 7, 177_713, 179_311)
}

// All possible chains, by brute force: every number of links and hashes, the fewest articles a link that the window
// allows, and every number of bits from the least on.
func TestBestAgainstBruteForce(t *testing.T) {
	for _, tt := range []struct {
		window int
		fpr    float64
		hashes int // the most that could pay
	}{{1, 0.02, 8}, {12, 0.1, 6}, {25, 0.02, 8}} {
		least, shortest := math.MaxInt, chain.Config{}
		for hashes := 1; hashes <= tt.hashes; hashes++ {
			for links := 2; links <= chain.MaxLinks; links++ {
				c := chain.Config{Links: links, Capacity: fewest(t, links, tt.window)}
				for bits := bloom.MinLaneBits; (bits*links+7)/8+4 < least; bits++ {
					c.Geometry = bloom.Geometry{Bits: bits, Hashes: hashes}
					if full(t, c) <= tt.fpr {
						least, shortest = length(t, c), c
						break
					}
				}
			}
		}
		strategytest.Equal(t, strategytest.Value(chain.Best(tt.window, tt.fpr)), shortest,
			"Best(%d, %v)", tt.window, tt.fpr)
	}
}

// Within 512 bytes the paper's own chain is the best for 400 articles: at its rate, 9.82 %, the search finds it again.
func TestBestWithinThePapersBytes(t *testing.T) {
	strategytest.Equal(t, strategytest.Value(chain.Best(400, full(t, chain.Paper))), chain.Paper, "Best")
	c, err := chain.Best(400, 0.9999*full(t, chain.Paper))
	if err != nil || length(t, c) <= 512 {
		t.Errorf("a lower rate takes %d bytes, %v, want more than 512", length(t, c), err)
	}
}

func TestBestErrors(t *testing.T) {
	strategytest.RefusesTargets(t, chain.Best, map[string]strategytest.Target{
		"window is 0, want 1 to 3669961":                                 {0, 0.02},
		"window is 3669962, want 1 to 3669961":                           {3_669_962, 0.02},
		"fpr is 0, want it between 0 and 1":                              {400, 0},
		"fpr is 1, want it between 0 and 1":                              {400, 1},
		"fpr is NaN":                                                     {400, math.NaN()},
		"chain: fpr is 1e-300, want at least 7e-41 for 3669961 articles": {3_669_961, 1e-300},
	})
}

// Eight links of 57 take less than the five of Sized for the same window and rate: seven full ones and an article in
// the active link are 400.
func ExampleBest() {
	sized, _ := chain.Sized(400, 0.02)
	best, err := chain.Best(400, 0.02)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, config := range []chain.Config{sized, best} {
		memory, _ := chain.New(config)
		most := config.Links * config.Capacity
		fmt.Printf("%d links of %d in %v: %.2f %% in %d bytes\n",
			config.Links, config.Capacity, config.Geometry, 100*memory.FPR(most), memory.Bytes(most))
	}
	// Output:
	// 5 links of 100 in 1150/8: 2.00 % in 723 bytes
	// 8 links of 57 in 713/9: 1.99 % in 717 bytes
}
