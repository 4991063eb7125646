package bloom

import (
	"math"
	"testing"
)

// What comments of this package say in numbers.
func TestDocumentedNumbers(t *testing.T) {
	paper, link := Geometry{Bits: 4064, Hashes: 6}, Geometry{Bits: 812, Hashes: 6}
	e := Exact(100, link)
	for _, tt := range []struct {
		what      string
		got, want float64 // in per cent
	}{
		{"Asymptotic is low at 4064/6", 1 - Asymptotic(500, paper)/Exact(500, paper), 0.16},
		{"Asymptotic is low at 812/6", 1 - Asymptotic(100, link)/e, 0.79},
		{"links that share positions", 1 - ExactShared(link, 100, 100, 100, 100, 100)/Union(e, e, e, e, e), 0.06},
		{"the paper's filter", Exact(500, paper), 2.03},
	} {
		if math.Abs(100*tt.got-tt.want) > 0.005 {
			t.Errorf("%s: %.4f %%, want %.2f", tt.what, 100*tt.got, tt.want)
		}
	}
}
