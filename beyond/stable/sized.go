package stable

import (
	"fmt"
	"math"

	"dejavu/bloom"
	"dejavu/strategies"
)

// maxWindow is the largest half-life that Sized provides.
const maxWindow = 1 << 16

// Sized returns the smallest filter, over cells of 1 to 3 bits and up to 16 hashes, in which an article has
// an even chance: the one shown window articles ago is recognised with a probability of at least 1/2, while a
// fresh one is reported as seen with a probability of at most fpr, in (0, 1/2), however many were shown. The
// window is a half-life, and no guarantee; a filter that was sized for a guarantee cannot be compared with
// this by its bytes alone. It returns an error where window is not 1 to 65536 or no filter is large enough.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.Within("stable: window", window, 1, maxWindow); err != nil {
		return Config{}, err
	}
	if !(fpr > 0 && fpr < 0.5) {
		return Config{}, fmt.Errorf("stable: fpr is %v, want it between 0 and 1/2, both excluded", fpr)
	}
	// The search takes the cells for independent; the exact values then say how
	// much it has to aim lower and higher.
	rate, chance := fpr, 0.5
	more := 1e-6 // than the difference, and ever more, for whole numbers make the values jump
	for range 20 {
		c, ok := search(window, rate, chance)
		if !ok {
			break
		}
		f, err := New(c)
		if err != nil {
			return Config{}, err
		}
		limit, remembered := f.FPR(math.MaxInt32), f.Remembered(window)
		if limit <= fpr && remembered >= 0.5 {
			return c, nil
		}
		rate -= max(0, (limit-fpr)*rate/limit) + more*rate
		chance += max(0, 0.5-remembered) + more
		more *= 2
	}
	return Config{}, fmt.Errorf(
		"stable: no filter of at most %d cells recognises one in two articles of age %d at a false-positive rate of %g",
		bloom.MaxBits, window, fpr)
}

// search finds the filter of the fewest bytes by the moments of one cell.
func search(window int, fpr, chance float64) (best Config, ok bool) {
	const mostHashes = 16
	for bits := 1; bits <= maxCellBits; bits++ {
		for k := 1; k <= mostHashes; k++ {
			c := Config{CellBits: bits, Hashes: k}
			most := bloom.MaxBits
			if ok { // only what is smaller is of interest
				most = ((best.Cells*best.CellBits+7)/8*8 - 8) / bits
			}
			c.Cells = bloom.Least(minCells, most, nil, func(cells int) bool {
				c.Cells = cells
				return c.meets(window, fpr, chance)
			})
			if c.Cells <= most && c.meets(window, fpr, chance) {
				best, ok = c, true
			}
		}
	}
	return best, ok
}

// meets sets the decrements to the fewest that keep the rate, and reports whether an
// article is then recognised with the chance.
func (c *Config) meets(window int, fpr, chance float64) bool {
	var possible bool
	if c.Decrements, possible = decrements(*c, fpr); !possible {
		return false
	}
	share := 1.0
	if window > c.max() {
		share = c.above(c.max(), window-1)
	}
	return math.Pow(share, float64(c.Hashes)) >= chance
}

// decrements is the fewest that keep the stable point at fpr or below: the share of cells above zero must be
// fpr^(1/k), by Theorem 2 of Deng and Rafiei (2006) read backwards.
func decrements(c Config, fpr float64) (n int, ok bool) {
	set := c.setChance()
	share := math.Pow(fpr, 1/float64(c.Hashes))
	ratio := math.Expm1(-math.Log1p(-share) / float64(c.max())) // set over what is taken and not set
	needed := math.Ceil(float64(c.Cells) * set / (ratio * (1 - set)))
	if !(needed <= float64(c.Cells)) {
		return 0, false
	}
	return int(max(1, needed)), true
}
