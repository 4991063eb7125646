package stable

import "math"

// nodes is at how many overlaps the recursion for two cells runs.
const nodes = 6

// moments is the chance that a cell is above zero, and that two different cells at a uniform distance both
// are, when all cells held value so many articles ago.
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
		for x := 0; x <= most; x++ {
			for y := 0; y <= most; y++ {
				w[x][y] = 0
			}
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
