package plots

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
)

func labels(a Axis) []string {
	var out []string
	for _, t := range a.ticks() {
		if t.Label != "" {
			out = append(out, t.Label)
		}
	}
	return out
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		name string
		axis Axis
		want string
	}{
		{"from zero", Axis{Min: 0, Max: 2060}, "[0 500 1000 1500 2000]"},
		{"around zero", Axis{Min: -500, Max: 1560}, "[−500 0 500 1000 1500]"},
		{"percent", Axis{Min: 0, Max: 0.22, Format: Percent}, "[0 % 5 % 10 % 15 % 20 %]"},
		{"decades", Axis{Scale: Log, Min: 1e-4, Max: 1, Format: Power}, "[10^{−4} 10^{−3} 10^{−2} 10^{−1} 10^{0}]"},
		{"with a floor", Axis{Scale: Log, Min: 1e-2, Max: 1, floor: true, Format: Power}, "[≈ 0 10^{−2} 10^{−1} 10^{0}]"},
		{"one decade", Axis{Scale: Log, Min: 100, Max: 1000, Format: Duration}, "[100 ns 200 ns 500 ns 1 µs]"},
		{"bytes", Axis{Scale: Log, Min: 1e8, Max: 1e12, Format: Bytes}, "[100 MB 1 GB 10 GB 100 GB 1 TB]"},
		{"differences", Axis{Scale: SignedLog, Min: -0.002, Max: 0.9, Format: Percent}, "[1 % 10 %]"},
		{"differences with little room", Axis{Scale: SignedLog, Min: -0.2, Max: 0.9, Format: Percent, Labels: 3}, "[−10 % 10 %]"},
		{"differences with enough", Axis{Scale: SignedLog, Min: -0.02, Max: 0.2, Format: Percent, Labels: 3}, "[−1 % 1 % 10 %]"},
		{"names", Axis{Names: []string{"b", "a"}}, "[b a]"},
	} {
		if got := labels(c.axis); fmt.Sprint(got) != c.want {
			t.Errorf("%s: got %v, want %s", c.name, got, c.want)
		}
	}
}

// A rate of zero has a place on a logarithmic axis, below all others.
func TestZeroOnALogarithm(t *testing.T) {
	a := Axis{Scale: Log}
	a.fit([]float64{0, 0.003, 0.2})
	if a.Min != 0.001 || a.Max != 1 || !a.floor {
		t.Fatalf("got %v to %v, floor %v; want 0.001 to 1 with a floor", a.Min, a.Max, a.floor)
	}
	zero, least := a.at(0), a.at(a.Min)
	if zero >= least || math.IsInf(zero, 0) {
		t.Errorf("zero lies at %v, the lowest decade at %v", zero, least)
	}
	only := Axis{Scale: Log}
	only.fit([]float64{0, 0})
	if at := only.at(0); math.IsNaN(at) || math.IsInf(at, 0) {
		t.Errorf("nothing but zeros: zero lies at %v", at)
	}
}

func TestSpread(t *testing.T) {
	got := spread([]vg.Length{10, 11, 50}, 8)
	if got[1]-got[0] < 7.999 || math.Abs(float64(got[0]+got[1]-21)) > 1e-9 || got[2] != 50 {
		t.Errorf("got %v", got)
	}
}

func TestRaisedExponents(t *testing.T) {
	got := runs("a·10^{−8} b")
	want := []run{{"a·10", false}, {"−8", true}, {" b", false}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, s := range []string{"", "plain", "open ^{ brace"} {
		if got := runs(s); s != "" && (len(got) != 1 || got[0].text != s) {
			t.Errorf("%q: got %v", s, got)
		}
	}
	sty := textStyle(10, ink)
	if raised, plain := sty.Width("10^{−8}"), sty.Width("10−8"); raised >= plain {
		t.Errorf("a raised exponent is as wide as a plain one: %v and %v", raised, plain)
	}
}

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
		{Axis{Scale: SignedLog}, []float64{0}, -0.001, 0.001, false},
		{Axis{Scale: SignedLog}, []float64{-1, 2}, -1.3, 2.6, false},
	} {
		a := c.axis
		a.fit(c.values)
		if math.Abs(a.Min-c.min) > 1e-9*math.Abs(c.min) || math.Abs(a.Max-c.max) > 1e-9*math.Abs(c.max) || a.floor != c.floor {
			t.Errorf("%+v of %v: %v to %v, floor %t; want %v to %v, %t", c.axis, c.values, a.Min, a.Max, a.floor, c.min, c.max, c.floor)
		}
	}
	for v, want := range map[float64]float64{1: 1, 1.1: 2, 2: 2, 2.1: 5, 5: 5, 5.1: 10, 0.03: 0.05, 300: 500} {
		if got := niceStep(v); math.Abs(got-want) > 1e-12*want {
			t.Errorf("the step of %v is %v, want %v", v, got, want)
		}
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

// An interval around zero has no place on a logarithm: it does not count for the range.
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
		{Axis{Scale: Log, Min: 1, Max: 1000, Labels: 3, floor: true}, "[≈ 0 . . . . . . . . . 10 . . . . . . . . . . . . . . . . . 1000]"},
		{Axis{Scale: Log, Min: 3, Max: 30}, "[. . 5 . . . . 10 20 .]"},
		{Axis{Scale: SignedLog, Min: -0.01, Max: 1}, "[−0.01 . . . 0.01 0.1 1]"},
		{Axis{Scale: SignedLog, Min: -1, Max: 1, Labels: 6}, "[−1 −0.1 −0.01 . . . 0.01 0.1 1]"},
		{Axis{Scale: SignedLog, Min: -1, Max: 1, Labels: 5}, "[. −0.1 . . . . . 0.1 .]"},
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

// An axis whose range is below what numbers of its size can tell apart has few ticks, and comes to an end.
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
