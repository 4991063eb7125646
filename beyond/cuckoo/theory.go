package cuckoo

import (
	"math"

	"dejavu/internal/cycle"
	"dejavu/strategies"
)

// Theory is for distinct articles, none of which was taken back.

// held is how many articles the generations alive hold after read.
func (f *Filter) held(read int) int {
	newest, full := cycle.Generations(read, f.Capacity, f.Generations)
	return newest + full*f.Capacity
}

// Bytes is the table that is meant for the articles alive, with a stash and the header, and stays when they
// are fewer again. A stash that is too short makes the history longer; of 3.1 million generations of users of
// Standard none ended with even one entry in it, and four fit (see Fillable).
func (f *Filter) Bytes(read int) int {
	return min(max(read, 0), 1) * f.enough(min(read, f.Generations*f.Capacity)).bytes
}

// classes is how many articles there can be that the filter can tell apart: a
// fingerprint and a pair of buckets, one of even and one of odd difference to it.
func (f *Filter) classes() float64 { return float64(f.fingerprints) * float64(f.Buckets) / 2 }

// FPR is the chance that an unseen article is like one of the n alive, that is, has its fingerprint and its
// pair of buckets: 1 − (1 − 1/M)^n with M = (2^b − 1)·m/2, exactly, wherever the entries lie and however full
// the table is. (Fan et al., 2014, §5.1, bound it for a full one, see Asymptotic.)
func (f *Filter) FPR(read int) float64 {
	return -math.Expm1(float64(f.held(read)) * math.Log1p(-1/f.classes()))
}

// Asymptotic is FPR by the formula of Fan et al. (2014, §5.1), 1 − (1 − 2^−b)^(2s), for as many slots of two
// buckets as are taken in the mean, 2n/m, and not for all the 2s that there are.
func (f *Filter) Asymptotic(read int) float64 {
	slots := 2 * float64(f.held(read)) / float64(f.Buckets)
	return -math.Expm1(slots * math.Log1p(-math.Exp2(-float64(f.Fingerprint))))
}

// Window is what the generations alive were shown: with a full one behind each
// that expired, (Generations-1)*Capacity + 1 to Generations*Capacity.
func (f *Filter) Window(read int) int { return f.held(read) }

// Fill counts the slots that are taken, those in the stash too, and all of the table.
func (f *Filter) Fill(history []byte) (taken, of int) {
	if len(history) == 0 {
		return 0, f.tables[0].buckets * f.Slots
	}
	t := f.table(history)
	for range f.entries(t, history) {
		taken++
	}
	return taken, t.buckets * t.slots
}

// FillTheory is the share of slots that are taken after read articles.
func (f *Filter) FillTheory(read int) float64 {
	t := f.enough(min(read, f.Generations*f.Capacity))
	return float64(f.held(read)) / float64(t.buckets*t.slots)
}

// Sized returns the filter of the fewest bytes that remembers at least window articles at every moment and
// reports an unseen article as seen with a probability of at most fpr, in (0, 1). Its table is no fuller than
// Fillable says. It returns an error where window is not 1 to 65535 or no filter meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.ValidTarget("cuckoo", window, maxCapacity, fpr); err != nil {
		return Config{}, err
	}
	var best Config
	least, lowest := math.MaxInt, 1. // of all, bytes and rate
	for generations := 2; generations <= MaxGenerations; generations++ {
		// When a generation begins, its first article and all the others stand.
		capacity := max(1, (window-1+generations-2)/(generations-1))
		articles := generations * capacity
		largest := Filter{Config: Config{Buckets: MaxBuckets}, fingerprints: 1<<MaxFingerprint - 1}
		lowest = min(lowest, -math.Expm1(float64(articles)*math.Log1p(-1/largest.classes())))
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
				if bytes := newFilter(c).layout(0, stashPlaces).bytes; bytes < least { // of a stash that was never too short
					best, least = c, bytes
				}
			}
		}
	}
	if least == math.MaxInt {
		return Config{}, strategies.Unmet("cuckoo", window, fpr, lowest)
	}
	return best, nil
}

// Fillable is the load, the articles alive by the slots of the table, up to which hardly any article ends in
// the stash. In a large table it could be nearly the threshold up to which a random graph, an edge for each
// article, can be oriented (Cain, Sanders and Wormald, "The random graph threshold for k-orientability", SODA
// 2007): 0.959 for buckets of three. A table of n articles strays from that by a multiple of 1/√n. The
// multiples are measured: with buckets of three slots or more, fewer than one generation in 10^4 ends with
// anything in the stash where up to 500 articles are alive, and one in 1000 or so where more are; with fewer
// slots one in 100. All that takes fingerprints of 4 bits up to 1000 articles, and of 6 for more.
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
