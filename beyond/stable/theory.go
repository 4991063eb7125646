package stable

import (
	"fmt"
	"math"

	"dejavu/bloom"
	"dejavu/strategies"
)

// Window is the newest Max articles, which is all that is certain: an article takes at most one from a cell,
// so that those of the newest Max articles cannot have come to zero.
func (f *Filter) Window(read int) int { return min(read, f.max()) }

// FPR is the chance that k uniform cells are all above zero after read articles. The mean share of such cells
// follows exactly from the recursion for one cell, and the covariance of two exactly from the recursion for
// two. What lies beyond the second moment is taken to be as in a Beta mixture of these moments (see
// together), which is off by less than 1e-3 of the rate at the sizes of a user.
func (f *Filter) FPR(read int) float64 {
	if read <= 0 {
		return 0
	}
	one, two := f.moments(0, read)
	return f.together(one, two)
}

// Remembered is the chance that the article shown age articles ago, 1 being the newest, is still recognised,
// be it because later articles set its cells again. It is 1 for the newest Max. It is as exact as FPR.
func (f *Filter) Remembered(age int) float64 {
	if age <= f.max() {
		return 1
	}
	one, two := f.moments(f.max(), age-1)
	return f.together(one, two)
}

// Asymptotic is FPR with the cells taken for independent and their number above zero for its mean.
func (f *Filter) Asymptotic(read int) float64 {
	return math.Pow(f.FillTheory(read), float64(f.Hashes))
}

// setChance is that an article sets a given cell.
func (c Config) setChance() float64 {
	return -math.Expm1(float64(c.Hashes) * math.Log1p(-1/float64(c.Cells)))
}

// FillTheory is the expected share of cells above zero after read articles.
func (f *Filter) FillTheory(read int) float64 { return f.above(0, read) }

// above is the chance that a cell which held value is above zero after so many
// articles: each takes one with the chance P/m, and then sets it with setChance.
func (c Config) above(value, articles int) float64 {
	set, taken := c.setChance(), float64(c.Decrements)/float64(c.Cells)
	var v [1 << maxCellBits]float64 // the chance of each value
	v[value] = 1
	most := c.max()
	for range articles {
		before := v[0]
		for x := range most {
			drop := taken * v[x+1]
			v[x], v[x+1] = (v[x]+drop)*(1-set), v[x+1]-drop
		}
		v[most] = v[most]*(1-set) + set
		if value == 0 && math.Abs(v[0]-before) < 1e-15 {
			break // at the stable point
		}
	}
	return 1 - v[0]
}

// together is the chance that the cells of an article are all above zero, where a cell is with the chance
// one, and two different ones with the chance two. The chance for d different cells is Π_i (one + iθ)/(1 +
// iθ), θ fitted to two: that of the Beta mixture with these moments, and also exact, with θ = -1/m, where the
// number of cells above zero is known. How many of k are different is exactly known.
func (f *Filter) together(one, two float64) float64 {
	if one <= two { // all or none
		return one
	}
	theta := (two - one*one) / (one - two)
	sum, all := 0.0, 1.0
	for d, chance := range bloom.Distinct(f.cells.Geometry()) {
		if d > 0 {
			i := float64(d - 1)
			all *= max(0, one+i*theta) / (1 + i*theta)
		}
		sum += chance * all
	}
	return min(sum, 1)
}

// maxWindow is the largest half-life that Sized provides.
const maxWindow = 1 << 16

// Sized returns the smallest filter, over cells of 1 to 3 bits and up to 16 hashes, in which the article
// shown window articles ago is recognised with a probability of at least 1/2, while a fresh one is reported
// as seen with a probability of at most fpr, in (0, 1/2), however many were shown. The window is a half-life,
// and no guarantee. It returns an error where window is not 1 to 65536 or no filter is large enough.
func Sized(window int, fpr float64) (Config, error) {
	if err := strategies.Within("stable: window", window, 1, maxWindow); err != nil {
		return Config{}, err
	}
	if !(fpr > 0 && fpr < 0.5) {
		return Config{}, fmt.Errorf("stable: fpr is %v, want it between 0 and 1/2, both excluded", fpr)
	}
	c, ok := sized(window, fpr)
	least := fpr
	for !ok && least < 0.05 { // in powers of ten
		least *= 10
		_, ok = sized(window, least)
	}
	if least > fpr {
		return Config{}, strategies.Unmet("stable", window, fpr, least)
	}
	return c, nil
}

// sized is Sized of what is in its range.
func sized(window int, fpr float64) (Config, bool) {
	// The search takes the cells for independent; the exact values say how much it has to aim lower and higher.
	rate, chance := fpr, 0.5
	more := 1e-6 // than the difference, and ever more, for whole numbers make the values jump
	for range 20 {
		c, ok := search(window, rate, chance)
		if !ok {
			break
		}
		f, err := New(c)
		if err != nil {
			break
		}
		limit, remembered := f.FPR(math.MaxInt32), f.Remembered(window)
		if limit <= fpr && remembered >= 0.5 {
			return c, true
		}
		rate -= max(0, (limit-fpr)*rate/limit) + more*rate
		chance += max(0, 0.5-remembered) + more
		more *= 2
	}
	return Config{}, false
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

// meets sets the decrements to the fewest that keep the rate, and reports whether the chance is met.
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

// nodes is at how many overlaps the recursion for two cells runs.
const nodes = 6

// moments is the chance that a cell is above zero, and that two at a uniform distance are, when all held value before.
//
// Two cells at distance d of the ring fall together where the run of P cells covers both: with the chance b =
// (P - d)/m. All else that happens to them does not depend on d. As the chance that both are above zero is an
// analytic function of b and b is small, it is computed at a few values, and those between are read off the
// polynomial through them (Chebyshev's extreme points, barycentric form).
func (c Config) moments(value, articles int) (one, two float64) {
	one = c.above(value, articles)
	m := c.Cells
	overlap := func(d int) float64 {
		return float64(max(0, c.Decrements-d)+max(0, c.Decrements-(m-d))) / float64(m)
	}
	low, high := overlap(m/2), overlap(1)
	var at, both [nodes]float64
	for i := range at {
		at[i] = low + (high-low)*(1-math.Cos(math.Pi*float64(i)/(nodes-1)))/2
		if i > 0 && high == low {
			both[i] = both[0]
			continue
		}
		both[i] = c.bothAbove(value, articles, at[i])
	}
	near := min(m-1, 2*(c.Decrements-1)) // distances that one run covers, on both sides of a cell
	sum := both[0] * float64(m-1-near)
	for i := range near {
		d := i/2 + 1 // on the one side, and then on the other
		sum += interpolate(overlap(d), at, both)
	}
	return one, sum / float64(m-1)
}

// interpolate is the polynomial through Chebyshev's extreme points, at x.
func interpolate(x float64, at, value [nodes]float64) float64 {
	above, below := 0.0, 0.0
	for i := range at {
		if math.Abs(x-at[i]) < 1e-15 {
			return value[i]
		}
		weight := 1 / (x - at[i])
		if i%2 == 1 {
			weight = -weight
		}
		if i == 0 || i == nodes-1 {
			weight /= 2
		}
		above, below = above+weight*value[i], below+weight
	}
	return above / below
}

// bothAbove is the chance that two cells which held value are both above zero
// after so many articles, each of which takes from both with the chance b.
func (c Config) bothAbove(value, articles int, b float64) float64 {
	m, k := float64(c.Cells), float64(c.Hashes)
	only := float64(c.Decrements)/m - b      // takes from the one and not from the other
	spared := math.Exp(k * math.Log1p(-2/m)) // sets neither
	alone := math.Exp(k*math.Log1p(-1/m)) - spared
	setBoth := 1 - 2*alone - spared

	const side = 1 << maxCellBits
	most := c.max()
	var v, w [side][side]float64 // the chance of each pair of values
	v[value][value] = 1
	for n := range articles {
		for x := range most + 1 {
			clear(w[x][:most+1])
		}
		for x := 0; x <= most; x++ {
			lower := max(0, x-1)
			for y := 0; y <= most; y++ {
				p := v[x][y]
				under := max(0, y-1)
				w[lower][under] += b * p
				w[lower][y] += only * p
				w[x][under] += only * p
				w[x][y] += (1 - b - 2*only) * p
			}
		}
		var rows, columns [side]float64 // the chance of each value of the one cell, and of the other
		for x := 0; x <= most; x++ {
			for y := 0; y <= most; y++ {
				rows[x] += w[x][y]
				columns[y] += w[x][y]
				w[x][y] *= spared
			}
		}
		for x := 0; x <= most; x++ {
			w[x][most] += alone * rows[x]
			w[most][x] += alone * columns[x]
		}
		w[most][most] += setBoth
		if value == 0 && n%64 == 63 && math.Abs(w[0][0]-v[0][0])+math.Abs(w[0][most]-v[0][most]) < 1e-14 {
			break // at the stable point
		}
		v = w
	}
	zero := v[0][0]
	for x := 1; x <= most; x++ {
		zero += v[x][0] + v[0][x]
	}
	return 1 - zero
}
