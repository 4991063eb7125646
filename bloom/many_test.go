package bloom

import (
	"math"
	"testing"
)

// A block of very many articles: the binomial chances leave the range of a float64 on the
// way, and are scaled. By logarithms the mean is the same.
func TestExactBlockedOfMany(t *testing.T) {
	const n, blocks = 4000, 4
	g := Geometry{Bits: 1 << 16, Hashes: 20}
	want, p := 0., 1./blocks
	all, _ := math.Lgamma(n + 1)
	for i := 800; i <= 1200; i++ { // seven standard deviations
		in, _ := math.Lgamma(float64(i) + 1)
		out, _ := math.Lgamma(float64(n-i) + 1)
		want += math.Exp(all-in-out+float64(i)*math.Log(p)+float64(n-i)*math.Log1p(-p)) * Exact(i, g)
	}
	if got := ExactBlocked(n, blocks, g); !(math.Abs(got-want) < 1e-6*want) {
		t.Errorf("%v, want %v", got, want)
	}
}
