package plots

import (
	"math"
	"slices"
)

// Where are the points for which keep is true.
func Where(points []Point, keep func(Point) bool) []Point {
	return slices.DeleteFunc(slices.Clone(points), func(p Point) bool { return !keep(p) })
}

// Map applies change to each of the points.
func Map(points []Point, change func(Point) Point) []Point {
	out := make([]Point, len(points))
	for i, p := range points {
		out[i] = change(p)
	}
	return out
}

// alone are points without their intervals.
func alone(points []Point) []Point {
	return Map(points, func(p Point) Point { return At(p.X, p.Y) })
}

func positive(points []Point) []Point {
	return Where(points, func(p Point) bool { return p.Y > 0 })
}

// PerThousand are the points in thousandths.
func PerThousand(points []Point) []Point {
	return Map(points, func(p Point) Point { return Point{X: p.X, Y: 1000 * p.Y, Low: 1000 * p.Low, High: 1000 * p.High} })
}

// FewDays leaves out most days after the first week.
func FewDays(points []Point) []Point {
	return Where(points, func(p Point) bool { return p.X <= 7 || int(p.X)%3 == 0 })
}

// Thin keeps about n of the points, first and last among them, so that marks do not hide the line below.
func Thin(points []Point, n int) []Point {
	if len(points) <= n {
		return points
	}
	out := make([]Point, 0, n)
	for i := range n {
		out = append(out, points[i*(len(points)-1)/(n-1)])
	}
	return out
}

// Aside moves the points of the i-th of n series on a logarithmic x axis to its place
// beside the others with the same x, so that whiskers do not lie on each other.
func Aside(points []Point, i, n int) []Point {
	const step = 1.14
	return Map(points, func(p Point) Point {
		p.X *= math.Pow(step, float64(i)-float64(n-1)/2)
		return p
	})
}

// ActivityAxis counts articles in powers of two from 1, the bins of the groups' rows by
// activity; 0, whose logarithm has no place, stands one step to the left.
func ActivityAxis(label string, all ...Groups) Axis {
	a := Axis{Label: label, Min: -0.5, Max: 1, Format: PowerOfTwo}
	for _, groups := range all {
		for _, g := range groups {
			for _, p := range ByBin(g.Points()) {
				a.Min, a.Max = min(a.Min, p.X-0.5), max(a.Max, p.X+0.5)
			}
		}
	}
	return a
}

// ByBin moves points to the places of their bins on an ActivityAxis.
func ByBin(points []Point) []Point {
	return Map(Where(points, func(p Point) bool { return p.X >= 0 }), func(p Point) Point {
		p.X = max(math.Log2(p.X), -1)
		return p
	})
}
