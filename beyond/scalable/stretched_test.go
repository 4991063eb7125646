package scalable_test

import (
	"math"
	"strings"
	"testing"

	"dejavu/beyond/scalable"
	"dejavu/bloom"
	"dejavu/single"
	"dejavu/strategies/strategytest"
)

func stretched(t testing.TB, capacity int, g bloom.Geometry, doublings int) *scalable.Stretched {
	t.Helper()
	s, err := scalable.NewStretched(scalable.StretchedConfig{Capacity: capacity, Geometry: g, Doublings: doublings})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A link of the paper's over two doublings, and a small one, where the positions of
// an article coincide often: of an odd size and with more doublings.
func TestStretchedKit(t *testing.T) {
	for name, tt := range map[string]struct {
		s     *scalable.Stretched
		life  int
		reads []int
	}{
		"small": {stretched(t, 5, bloom.Geometry{Bits: 27, Hashes: 4}, 4), 150, []int{5, 6, 20, 80, 120}},
		"link":  {stretched(t, 100, bloom.Geometry{Bits: 812, Hashes: 6}, 2), 500, []int{101, 400}},
	} {
		t.Run(name, func(t *testing.T) {
			strategytest.Run(t, strategytest.Subject{Strategy: tt.s, Theory: tt.s, Life: tt.life, Reads: tt.reads})
		})
	}
}

func FuzzStretched(f *testing.F) {
	strategytest.Fuzz(f, stretched(f, 100, bloom.Geometry{Bits: 812, Hashes: 6}, 3))
}

func TestStretchedLayout(t *testing.T) {
	if got, want := strategytest.Digest(stretched(t, 100, bloom.Geometry{Bits: 812, Hashes: 6}, 3)), "467a2f84c225d81d"; got != want {
		t.Errorf("layout digest %s, want %s", got, want)
	}
}

// Before it doubles it is a single filter, whose rate Exact has by another sum,
// and doubling alone leaves the rate where it is but for the coincidences of a
// larger filter. At 1000 articles it stands at 9 %, by hand: 52.21 % of ones at
// 500, and 500 more in twice the bits leave 47.79 % * e^(-3000/8128) clear, and
// (1 - 0.3304)^6 = 0.0901; a filter made for 1000 would have 2 %.
func TestStretchedTheory(t *testing.T) {
	s := stretched(t, 500, single.Paper.Geometry, 2)
	for _, read := range []int{0, 200, 500} {
		want := bloom.Exact(read, single.Paper.Geometry)
		if got := s.FPR(read); math.Abs(got-want) > 1e-12 {
			t.Errorf("FPR(%d) = %v, want %v", read, got, want)
		}
	}
	if before, after := s.FPR(500), s.FPR(501); after < 0.998*before || after > 1.01*before {
		t.Errorf("doubling takes the rate from %v to %v, want hardly a change", before, after)
	}
	if got := s.FPR(1000); math.Abs(got-0.0901) > 0.0003 {
		t.Errorf("FPR(1000) = %.5f, want about 0.0901", got)
	}
}

func TestStretchedErrors(t *testing.T) {
	paper := single.Paper.Geometry
	for _, tt := range []struct {
		config scalable.StretchedConfig
		want   string
	}{
		{scalable.StretchedConfig{Capacity: 500, Geometry: paper}, "Doublings is 0, want 1 to 20"},
		{scalable.StretchedConfig{Capacity: 500, Geometry: paper, Doublings: 21}, "Doublings is 21, want 1 to 20"},
		{scalable.StretchedConfig{Geometry: paper, Doublings: 2}, "Capacity is 0, want 1 to 4194303"},
		{scalable.StretchedConfig{Capacity: 500, Doublings: 2}, "Bits is 0, want 1 to 16777216"},
		{scalable.StretchedConfig{Capacity: 1, Geometry: paper, Doublings: 13}, "Geometry.Bits is 4064, want at most 2048 to double 13 times"},
	} {
		if _, err := scalable.NewStretched(tt.config); err == nil || !strings.HasPrefix(err.Error(), "scalable: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error %v, want %q", tt.config, err, tt.want)
		}
	}
}
