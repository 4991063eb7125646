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
	zero, ok := a.at(0)
	least, _ := a.at(a.Min)
	if !ok || zero >= least || math.IsInf(zero, 0) {
		t.Errorf("zero lies at %v, the lowest decade at %v", zero, least)
	}
	only := Axis{Scale: Log}
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
