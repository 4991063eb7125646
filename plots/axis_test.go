package plots

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"dejavu/strategies/strategytest"
)

// The range that an axis takes from its data.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		axis     Axis
		values   []float64
		min, max float64
		floor    bool
	}{
		{Axis{}, nil, 0.1, 1, false},
		{Axis{}, []float64{5}, 0, 5.15, false},
		{Axis{}, []float64{-2, 3}, -2, 3.15, false},
		{Axis{}, []float64{0}, 0, 1, false},
		{Axis{}, []float64{-1e9, -1e9}, -1e9, -1e9 + 1000, false},
		{Axis{Min: 2, Max: 3}, []float64{1, 9}, 2, 3, false},
		{Axis{Names: []string{"a", "b"}}, []float64{7}, -0.6, 1.6, false},
		{Axis{Scale: Log}, []float64{5}, 1, 10, false},
		{Axis{Scale: Log}, []float64{10}, 10, 100, false},
		{Axis{Scale: Log}, []float64{0.2, 3000}, 0.1, 10000, false},
		{Axis{Scale: Log}, []float64{tiniest, 1}, tiniest, 1, false},
		{Axis{Scale: Log}, []float64{tiniest / 2, 1, 2}, 1, 10, true},
		{Axis{Scale: Log, Min: 1, Max: 10}, []float64{1, 20}, 1, 10, false},
		{Axis{Scale: Log, Min: 1, Max: 10}, []float64{0.9, 20}, 1, 10, true},
	} {
		a := c.axis
		a.fit(c.values)
		far := func(got, want float64) bool { return math.Abs(got-want) > 1e-9*math.Abs(want) }
		if far(a.Min, c.min) || far(a.Max, c.max) || a.floor != c.floor {
			t.Errorf("%v: %v to %v, floor %t; want %v to %v, %t", c.values, a.Min, a.Max, a.floor, c.min, c.max, c.floor)
		}
	}
	for v, want := range map[float64]float64{1: 1, 1.1: 2, 2: 2, 2.1: 5, 5: 5, 5.1: 10, 0.03: 0.05, 300: 500} {
		strategytest.Near(t, niceStep(v), want, 1e-12*want, "the step of %v is", v)
	}
}

// An axis that is tight ends a bit beyond the outermost points, also where there is one.
func TestTightX(t *testing.T) {
	p := Panel{X: Axis{Scale: Log}}
	if p.TightX(); p.X.Min != 0 || p.X.Max != 0 {
		t.Errorf("without points from %v to %v", p.X.Min, p.X.Max)
	}
	p.Add(Series{Points: []Point{At(0, 1), At(23, 1)}})
	if p.TightX(); math.Abs(p.X.Min-20) > 1e-9 || math.Abs(p.X.Max-26.45) > 1e-9 {
		t.Errorf("of one point from %v to %v", p.X.Min, p.X.Max)
	}
	p.Add(Series{Points: []Point{At(46, 1), At(2.3, 1)}})
	if p.TightX(); math.Abs(p.X.Min-2) > 1e-9 || math.Abs(p.X.Max-52.9) > 1e-9 {
		t.Errorf("of three points from %v to %v", p.X.Min, p.X.Max)
	}
}

// An interval around zero has no place on a logarithmic axis: it does not count for the range.
func TestFitWithoutIntervalsAroundZero(t *testing.T) {
	p := Panel{X: Axis{Scale: Log}, Y: Axis{Scale: Log}}
	p.Add(Series{Points: []Point{{X: 2, Y: 0.02, Low: 0.02, High: 0.02}, {X: 3, Y: 0, Low: 0, High: 0.5}}})
	p.fit()
	if p.Y.Min != 0.01 || math.Abs(p.Y.Max-0.1) > 1e-9 || p.X.Min != 1 || math.Abs(p.X.Max-10) > 1e-9 {
		t.Errorf("%v to %v, and x from %v to %v", p.Y.Min, p.Y.Max, p.X.Min, p.X.Max)
	}
}

// All ticks, also those without a label.
func TestTicksAreAll(t *testing.T) {
	for _, c := range []struct {
		axis Axis
		want string
	}{
		{Axis{Scale: Log, Min: 1, Max: 10}, "[1 2 . . 5 . . . . 10]"},
		{Axis{Scale: Log, Min: 1, Max: 10, Labels: 4}, "[1 . . . 5 . . . . 10]"},
		{Axis{Scale: Log, Min: 1, Max: 100}, "[1 . . . . . . . . 10 . . . . . . . . 100]"},
		{Axis{Scale: Log, Min: 1, Max: 1e3, Labels: 3, floor: true}, "[none" + strings.Repeat(" .", 9) + " 10" +
			strings.Repeat(" .", 17) + " 1000]"},
		{Axis{Scale: Log, Min: 3, Max: 30}, "[. . 5 . . . . 10 20 .]"},
		{Axis{Min: 0, Max: 1, Labels: 2}, "[0 0.5 1]"},
		{Axis{Min: 0, Max: 0.3}, "[0 0.05 0.1 0.15 0.2 0.25 0.3]"},
		{Axis{Names: []string{"a", "b"}}, "[a b]"},
	} {
		var got []string
		for _, tick := range c.axis.ticks() {
			if tick.Label == "" {
				tick.Label = "."
			}
			got = append(got, tick.Label)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%+v: %v, want %s", c.axis, got, c.want)
		}
	}
}

// An axis whose range is too small for numbers of its size has few ticks, and ends.
func TestTicksOfHugeNumbers(t *testing.T) {
	for _, a := range []Axis{
		{Min: 1e308, Max: math.Nextafter(1e308, math.Inf(1))},
		{Min: -1e30, Max: math.Nextafter(-1e30, 0)},
		{Min: 1e30, Max: 1e30 + 1e15},
		{Min: -1e308, Max: 1e308},
		{Min: 0, Max: 5e-324},
	} {
		if n := len(a.ticks()); n > 8 {
			t.Errorf("%v to %v: %d ticks", a.Min, a.Max, n)
		}
	}
}
