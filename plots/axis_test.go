package plots

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
)

func labels(a axis) []string {
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
		axis axis
		want string
	}{
		{"from zero", axis{min: 0, max: 2060}, "[0 500 1000 1500 2000]"},
		{"around zero", axis{min: -500, max: 1560}, "[−500 0 500 1000 1500]"},
		{"percent", axis{min: 0, max: 0.22, format: percent}, "[0 % 5 % 10 % 15 % 20 %]"},
		{"decades", axis{scale: logarithm, min: 1e-4, max: 1, format: power}, "[10^{−4} 10^{−3} 10^{−2} 10^{−1} 10^{0}]"},
		{"with a floor", axis{scale: logarithm, min: 1e-2, max: 1, floor: true, format: power}, "[≈ 0 10^{−2} 10^{−1} 10^{0}]"},
		{"one decade", axis{scale: logarithm, min: 100, max: 1000, format: duration}, "[100 ns 200 ns 500 ns 1 µs]"},
		{"bytes", axis{scale: logarithm, min: 1e8, max: 1e12, format: size}, "[100 MB 1 GB 10 GB 100 GB 1 TB]"},
		{"differences", axis{scale: signedLog, min: -0.002, max: 0.9, format: percent}, "[1 % 10 %]"},
		{"differences with little room", axis{scale: signedLog, min: -0.2, max: 0.9, format: percent, labels: 3}, "[−10 % 10 %]"},
		{"differences with enough", axis{scale: signedLog, min: -0.02, max: 0.2, format: percent, labels: 3}, "[−1 % 1 % 10 %]"},
		{"names", axis{names: []string{"b", "a"}}, "[b a]"},
	} {
		if got := labels(c.axis); fmt.Sprint(got) != c.want {
			t.Errorf("%s: got %v, want %s", c.name, got, c.want)
		}
	}
}

// A rate of zero has a place on a logarithmic axis, below all others.
func TestZeroOnALogarithm(t *testing.T) {
	a := axis{scale: logarithm}
	a.fit([]float64{0, 0.003, 0.2})
	if a.min != 0.001 || a.max != 1 || !a.floor {
		t.Fatalf("got %v to %v, floor %v; want 0.001 to 1 with a floor", a.min, a.max, a.floor)
	}
	zero, ok := a.at(0)
	least, _ := a.at(a.min)
	if !ok || zero >= least || math.IsInf(zero, 0) {
		t.Errorf("zero lies at %v, the lowest decade at %v", zero, least)
	}
	only := axis{scale: logarithm}
	only.fit([]float64{0, 0})
	if at, ok := only.at(0); !ok || math.IsNaN(at) || math.IsInf(at, 0) {
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
