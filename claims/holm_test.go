package claims

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestHolm(t *testing.T) {
	for _, c := range []struct{ p, want []float64 }{
		// By hand: in order 0.005·4, 0.01·3, 0.03·2, and 0.04·1, which may not be below the one before.
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		// Holm's own use of α: 0.0125, 0.0167, 0.025 and 0.05 for four; the third is the first that fails at 5 %.
		{[]float64{0.0124, 0.0166, 0.0251, 0.0001}, []float64{0.0372, 0.0372, 0.0372, 0.0004}},
		{[]float64{0.5, 0.9}, []float64{1, 1}},
		{[]float64{0.02, 0.02, 0.02}, []float64{0.06, 0.06, 0.06}},
		{nil, nil},
	} {
		got := Holm(c.p)
		for i := range c.want {
			if math.Abs(got[i]-c.want[i]) > 1e-12 {
				t.Errorf("Holm(%v) = %v, want %v", c.p, got, c.want)
				break
			}
		}
	}
}

// Holm's method rejects what the closed test with Bonferroni's correction does: every intersection that a hypothesis is
// part of has a p-value of at most α over its size (Marcus, Peritz and Gabriel, 1976). That is tried over all subsets.
func TestHolmIsTheClosedTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 0.2), 1, 7).Draw(t, "p")
		alpha := rapid.Float64Range(0.001, 0.2).Draw(t, "alpha")
		adjusted := Holm(p)
		for i := range p {
			all := true
			for subset := range 1 << len(p) {
				if subset>>i&1 == 0 {
					continue
				}
				least, size := 1., 0.
				for j := range p {
					if subset>>j&1 == 1 {
						least, size = min(least, p[j]), size+1
					}
				}
				all = all && least*size <= alpha
			}
			if (adjusted[i] <= alpha) != all {
				t.Fatalf("p = %v at %v: number %d is %v by Holm, %v by the closed test", p, alpha, i, adjusted[i], all)
			}
		}
	})
}
