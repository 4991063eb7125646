package cuckoo

import (
	"fmt"
	"math"
)

// Sized returns the filter of the fewest bytes that remembers at least window
// articles at every moment and takes a fresh article for seen with a probability
// of at most fpr, in (0, 1), when all its generations are full, which is the most
// there is. Its table is no fuller than Fillable says. It returns an error where
// window is not 1 to 65535 or no filter meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	if window < 1 || window > maxCapacity {
		return Config{}, fmt.Errorf("cuckoo: window is %d, want 1 to %d", window, maxCapacity)
	}
	if !(fpr > 0 && fpr < 1) {
		return Config{}, fmt.Errorf("cuckoo: fpr is %v, want it between 0 and 1, both excluded", fpr)
	}
	var best Config
	least := math.MaxInt
	for generations := 2; generations <= MaxGenerations; generations++ {
		// When a generation begins, its first article and all the others stand.
		capacity := max(1, (window-1+generations-2)/(generations-1))
		articles := generations * capacity
		classes := -1 / math.Expm1(math.Log1p(-fpr)/float64(articles)) // see Filter.FPR
		for slots := 3; slots <= MaxSlots; slots++ {
			enough := math.Ceil(float64(articles) / (float64(slots) * Fillable(slots, articles)))
			for bits := shortest(articles); bits <= MaxFingerprint; bits++ {
				buckets := max(enough, math.Ceil(2*classes/(math.Exp2(float64(bits))-1)*(1+1e-12)))
				if buckets > MaxBuckets {
					continue
				}
				c := Config{
					Generations: generations, Capacity: capacity,
					Buckets: (int(buckets) + 1) / 2 * 2, Slots: slots, Fingerprint: bits,
				}
				if bytes := c.bytes(); bytes < least {
					best, least = c, bytes
				}
			}
		}
	}
	if least == math.MaxInt {
		return Config{}, fmt.Errorf("cuckoo: no filter of at most %d buckets holds %d articles at a false-positive rate of %v", MaxBuckets, window, fpr)
	}
	return best, nil
}

// bytes is the length of the longest history whose stash was never too short.
func (c Config) bytes() int {
	f := newFilter(c)
	return f.layout(0, stashPlaces).bytes
}

// Fillable is the load, the articles alive by the slots of the table, up to which
// hardly any article ends in the stash. In a large table it could be nearly the
// threshold up to which a random graph, an edge for each article, can be oriented
// (Cain, Sanders and Wormald, "The random graph threshold for k-orientability",
// SODA 2007; Fernholz and Ramachandran, the same year): 0.959 for buckets of
// three. A table of n articles strays from that by a multiple of 1/√n, and near it
// entries move for long. The multiples are measured: with buckets of three slots or
// more, fewer than one generation in 10^4 ends with anything in the stash where up to
// 500 articles are alive, and one in 1000 or so where more are; each further entry
// there is rarer by half at least. With fewer slots it is one in 100. All that
// takes fingerprints of 4 bits up to 1000 articles, and of 6 for more: from one bucket
// as many others can be reached as there are fingerprints.
func Fillable(slots, articles int) float64 {
	slots = min(max(slots, 1), MaxSlots)
	threshold := [...]float64{0.500, 0.897, 0.959, 0.980, 0.989, 0.994, 0.996, 0.997}[slots-1]
	stray := [...]float64{2.6, 2.6, 1.75, 1.45, 1.3, 1.2, 1.15, 1.1}[slots-1]
	return max(threshold-max(stray/math.Sqrt(float64(max(articles, 1))), 0.03), 0.25)
}

// shortest is how many bits a fingerprint must have for Fillable to hold.
func shortest(articles int) int {
	if articles <= 1000 {
		return MinFingerprint
	}
	return 6
}
