package apbf

import (
	"fmt"
	"sort"

	"dejavu/bloom"
)

// Sized returns the smallest filter that remembers at least window articles at
// every moment and takes a fresh article for seen with a probability of at most
// fpr, in (0, 1), at the end of a generation, when there are most ones. It looks
// among those where k divides l, up to 25 lanes, which are the ones that are
// quick to query: from windows of 400 articles on they come within 2 % of the
// smallest of all, at 50 articles within 7 %. Of two filters of a size it returns
// the one of fewer hashes. It returns an error where window is not 1 to 1048576
// or no filter meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	const most = 1 << 20
	if window < 1 || window > most {
		return Config{}, fmt.Errorf("apbf: window is %d, want 1 to %d", window, most)
	}
	if !(fpr > 0 && fpr < 1) {
		return Config{}, fmt.Errorf("apbf: fpr is %v, want it between 0 and 1, both excluded", fpr)
	}
	var best Config
	limit := bloom.MaxBits // of all slices of a filter that is good enough
	for hashes := 1; hashes <= maxHashes; hashes++ {
		for lanes := 2; lanes <= maxLanes && lanes*hashes <= maxSlices; lanes++ {
			c := Config{Hashes: hashes, Shifts: (lanes - 1) * hashes}
			c.Generation = max(1, (window-1+c.Shifts-1)/c.Shifts)
			if c.Generation > maxGeneration {
				continue
			}
			least := max(2, (bloom.MinLaneBits+hashes-1)/hashes)
			if bits := c.smallest(least, limit/c.slices(), fpr); bits > 0 {
				c.Bits = bits
				best, limit = c, bits*c.slices()-1
			}
		}
	}
	if best.Bits == 0 {
		return Config{}, fmt.Errorf("apbf: no filter of at most %d bits and %d hashes holds %d articles at a false-positive rate of %g",
			bloom.MaxBits, maxHashes, window, fpr)
	}
	return best, nil
}

// smallest returns the fewest bits a slice, from least to most, with which the
// filter meets fpr, or 0. It relies on the rate falling as bits are added.
func (c Config) smallest(least, most int, fpr float64) int {
	// A full generation, long after the first turn of the wheel.
	read := 2 * c.slices() * c.Generation
	meets := func(bits int) bool {
		c.Bits = bits
		return c.run(read, ones) <= fpr
	}
	if most < least || !meets(most) {
		return 0
	}
	return least + sort.Search(most-least, func(i int) bool { return meets(least + i) })
}
