package describe

import "testing"

// What has no exposure is left out; of 1 and 2 the Gini is 1/6.
func TestSkewLeavesOutZeros(t *testing.T) {
	got := skewOf([]uint32{0, 2, 0, 1})
	want := Skew{N: 2, Sum: 3, Quantiles: [...]int64{1, 1, 2, 2, 2, 2}, Once: 1, Top: 2}
	gini := got.Gini
	if got.Gini = 0; got != want || gini < 1./6-1e-12 || gini > 1./6+1e-12 {
		t.Errorf("%+v, Gini %v, want %+v, 1/6", got, gini, want)
	}
	if got := skewOf([]uint32{0, 0}); got != (Skew{}) {
		t.Errorf("of nothing: %+v", got)
	}
}
