package stable

import (
	"math"

	"dejavu/bloom"
)

// Window is the newest Max articles, which is all that is certain: an article takes at most one from a cell,
// so that those of the newest Max articles cannot have come to zero.
func (f *Filter) Window(read int) int { return min(read, f.max()) }

// FPR is the chance that k uniform cells are all above zero after read articles. The mean share of such cells
// follows exactly from the recursion for one cell, and the covariance of two exactly from the recursion for
// two, at every distance that they can have: neighbours fall together, being taken from together. What lies
// beyond the second moment is taken to be as in a Beta mixture of these moments (see together), which is off
// by less than 1e-3 of the rate at the sizes of a user.
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
