package apbf

import (
	"math"
	"slices"

	"dejavu/bloom"
	"dejavu/internal/cycle"
	"dejavu/strategies"
)

// held returns how many articles the slice of this age, 0 being the youngest, holds: its generation and k-1 later ones.
func (c Config) held(read, age int) int {
	young, shifts := cycle.Generations(read, c.Generation, math.MaxInt)
	first, last := max(0, shifts-age), min(shifts, shifts-age+c.Hashes-1)
	articles := (last - first + 1) * c.Generation
	if last == shifts {
		articles += young - c.Generation
	}
	return max(articles, 0)
}

// Bytes returns the length of the lanes in use and the header.
func (f *Filter) Bytes(read int) int { return f.SizeAt(read, f.used(read)-1) }

func (f *Filter) used(read int) int {
	_, shifts := cycle.Generations(read, f.Generation, math.MaxInt)
	return min((f.Hashes-1+shifts)/f.Hashes+1, f.lanes)
}

// FPR returns the chance of k consecutive slices with an unseen article's bits, by the recursion of Shtul et al., §4:
//
//	F(a, i) = 1 if a = k, 0 if i > l+a, else r_i F(a+1, i+1) + (1-r_i) F(0, i+1)
//
// where r_i is the expected share of set bits in slice i. It is exact: slices less than k apart have different hashes,
// and slices that share a hash hold different articles.
func (f *Filter) FPR(read int) float64 { return f.run(read, ones) }

// Asymptotic is FPR with r = 1 - e^(-n/m), the textbook's share of set bits.
func (f *Filter) Asymptotic(read int) float64 {
	return f.run(read, func(n, m int) float64 { return -math.Expm1(-float64(n) / float64(m)) })
}

// ones returns the expected share of set bits of m bits after n articles set one each.
func ones(n, m int) float64 { return -math.Expm1(float64(n) * math.Log1p(-1/float64(m))) }

// run evaluates the recursion of FPR with a share of set bits r(n, m).
func (c Config) run(read int, r func(n, m int) float64) float64 {
	shares := make([]float64, c.slices())
	for age := range shares {
		shares[age] = r(c.held(read, age), c.Bits)
	}
	return consecutive(shares, c.Hashes)
}

// consecutive returns the chance of k matches in a row among independent ones, by the recursion of FPR in reverse.
func consecutive(chances []float64, k int) float64 {
	row := make([]float64, k+1)
	row[0] = 1
	done := 0.
	for _, r := range chances {
		broken := 0.
		for a := k; a > 0; a-- {
			broken += row[a-1] * (1 - r)
			row[a] = row[a-1] * r
		}
		row[0] = broken
		done += row[k]
	}
	return min(done, 1)
}

// Window returns the articles of the youngest generation and the l before it: l*g+1 to (l+1)*g.
func (f *Filter) Window(read int) int {
	young, full := cycle.Generations(read, f.Generation, f.Shifts+1)
	return full*f.Generation + young
}

// Remembered returns the chance that the article shown age articles ago is recognised, averaged over a generation,
// after many articles: 1 for the newest l*g+1. After s > l shifts its bits are left in slices s and older.
func (f *Filter) Remembered(age int) float64 {
	if age <= f.Shifts*f.Generation+1 {
		return 1
	}
	sum := 0.
	for young := 1; young <= f.Generation; young++ {
		// A ring that has turned once stays the same.
		read := f.slices()*f.Generation + young
		shifts := max(0, age-young+f.Generation-1) / f.Generation // since the article
		shares := slices.Repeat([]float64{1}, f.slices())
		for i := range min(shifts, len(shares)) {
			shares[i] = ones(f.held(read, i), f.Bits)
		}
		sum += consecutive(shares, f.Hashes)
	}
	return sum / float64(f.Generation)
}

// Fill counts the set bits in all slices in use, and their bits.
func (f *Filter) Fill(history []byte) (set, of int) {
	return f.array.First(f.Index(history)+1).Fill(history, ^uint64(0))
}

// FillTheory returns the expected share of set bits in the slices in use after read articles.
func (f *Filter) FillTheory(read int) float64 {
	sum := 0.
	for age := range f.slices() {
		sum += ones(f.held(read, age), f.Bits)
	}
	return sum / float64(f.used(read)*f.Hashes)
}

// Sized returns the smallest filter that remembers at least window articles at every moment and reports an unseen
// article as seen with a probability of at most fpr, in (0, 1), at the end of a generation. Of two filters of one size
// it returns the one with fewer hashes. It returns an error if window is not 1 to 1048576 or no filter meets fpr.
func Sized(window int, fpr float64) (Config, error) {
	const most = 1 << 20
	if err := strategies.ValidTarget("apbf", window, most, fpr); err != nil {
		return Config{}, err
	}
	var best Config
	limit := bloom.MaxBits // of all slices of a filter that is good enough
	lowest := 1.           // rate of all that were looked at
	for hashes := 1; hashes <= maxHashes; hashes++ {
		for lanes := 2; lanes <= maxLanes && lanes*hashes <= maxSlices; lanes++ {
			c := Config{Hashes: hashes, Shifts: (lanes - 1) * hashes}
			c.Generation = max(1, (window-1+c.Shifts-1)/c.Shifts)
			if c.Generation > maxGeneration {
				continue
			}
			least, most := leastBits(hashes), limit/c.slices()
			read := 2 * c.slices() * c.Generation // a full generation, long after the first cycle of the ring
			meets := func(bits int) bool {
				c.Bits = bits
				rate := c.run(read, ones)
				lowest = min(lowest, rate)
				return rate <= fpr
			}
			if c.Bits = bloom.Least(least, most, nil, meets); c.Bits <= most {
				best, limit = c, c.Bits*c.slices()-1
			}
		}
	}
	if best.Bits == 0 {
		return Config{}, strategies.Unmet("apbf", window, fpr, lowest)
	}
	return best, nil
}
