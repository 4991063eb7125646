package advice

import (
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// The sums, against values computed outside the project: with a pocket calculator from the equations beside
// them, or by a program that sums the exact distribution (Bose et al. 2008) term by term.
func TestArithmetic(t *testing.T) {
	rows, _ := Arithmetic.Rows(nil)
	c := results.NewCells(rows)
	keys := map[results.Query]bool{}
	for _, r := range rows {
		if keys[r.Name()] {
			t.Errorf("%v is there twice", r.Name())
		}
		keys[r.Name()] = true
		if r.Value.IsSet() || !r.Theory.IsSet() {
			t.Errorf("%v: want theory alone", r.Name())
		}
	}
	for _, want := range []struct {
		source, quantity string
		where            results.Conditions
		value, within    float64
	}{
		{"paper", results.QBytes, "structure=queue, users=1000000", 4e9, 0},
		{"paper", results.QBytes, "structure=filter, users=10000000", 5e9, 0},
		{"paper", results.QBits, "formula=eq. 3", 2821.9, 0.05},                   // 500 log2 50
		{"paper", results.QBits, "catalogue=10000, formula=eq. 3", 2277, 0.5},     // eq. 3 with log gamma
		{"paper", results.QBits, "catalogue=100000, formula=eq. 3", 2740, 0.5},    // in place of
		{"paper", results.QBits, "catalogue=1000000, formula=eq. 3", 2813, 0.5},   // factorials
		{"paper", results.QBitsRatio, "formula=eq. 4 over eq. 3", 1.442695, 1e-6}, // log2 e
		{"paper", results.QBits, "formula=eq. 4 rounded", 4063.68, 1e-6},          // 1.44 · 2822
		{"paper", results.QBits, "formula=eq. 4", 4071.2, 0.05},                   // 500 log2 50 log2 e
		{"paper", results.QHashes, "bits=8, formula=best", 5.545, 5e-4},
		{"paper", results.QHashes, "bits=8.128, formula=best", 5.634, 5e-4},
		{"paper", results.QFPR, "formula=half to the hashes, hashes=6", 1. / 64, 0},
		{"paper", results.QFPR, "hashes=6", 0.020268, 5e-7},
		{"paper", results.QFPR, "bits=4064", 0.020268, 5e-7},
		{"paper", results.QFPR, "bits=4000", 0.0216, 5e-5},
		{"article", results.QBits, "articles=100000000, target=0.01", 958505838, 0}, // 958,505,837.7, rounded up
		{"article", results.QBytes, "articles=100000000, target=0.01", 114.26 * (1 << 20), 6000},
		{"article", results.QBytes, "articles=1000000000, target=0.01", 1.198e9, 5e5},
		{"article", results.QHashes, "articles=100000000, target=0.01", 6.64, 5e-3},
		{"article", results.QFPR, "articles=100000000, target=0.01", 0.01004, 5e-6},
		{"lecture", results.QBits, "formula=per nat", 2.0814, 5e-5}, // 1/(ln 2)^2
		{"lecture", results.QFPR, "bits=10, formula=bits an article", 0.0082, 5e-5},
		{"ten links", results.QBits, "target=0.02", 1294, 0},
		{"ten links", results.QHashes, "target=0.02", 9, 0},
	} {
		q := results.Query{Strategy: want.source, Quantity: want.quantity, Where: want.where}
		r, ok := c.One(q)
		if !ok {
			t.Errorf("%s: no such row", q)
			continue
		}
		strategytest.Near(t, r.Theory.Or(0), want.value, want.within+1e-12*want.value, "%s is", q)
	}
	// The smallest, or first, is so: one bit or one article less does not suffice.
	for _, q := range []struct {
		f     func(n int) float64
		level float64
	}{{func(n int) float64 { return float64(n) / 7 }, 3}, {func(n int) float64 { return float64(n * n) }, 10}} {
		n := first(q.f, q.level)
		if q.f(n) < q.level || q.f(n-1) >= q.level {
			t.Errorf("the first n with f(n) at least %v is not %d", q.level, n)
		}
	}
}
