package arithmetic

import (
	"math"
	"testing"

	"dejavu/results"
)

// The sums, against values computed outside the project: with a pocket
// calculator from the equations beside them, or by a program that sums the exact
// distribution (Bose et al. 2008) term by term.
func TestArithmetic(t *testing.T) {
	rows, timing, err := Experiment.Rows(nil)
	if err != nil || timing != nil {
		t.Fatal(err, timing)
	}
	c := results.NewCells(rows)
	keys := map[results.Key]bool{}
	for _, r := range rows {
		if keys[r.Key()] {
			t.Errorf("%v is there twice", r.Key())
		}
		keys[r.Key()] = true
		if r.Value.IsSet() || !r.Theory.IsSet() || r.Experiment != results.Arithmetic {
			t.Errorf("%v: want theory alone", r.Key())
		}
	}
	for _, want := range []struct {
		source, x, quantity string
		value, within       float64
	}{
		{"paper", "1000000", results.QQueuesBytes, 4e9, 0},
		{"paper", "10000000", results.QFiltersBytes, 5e9, 0},
		{"paper", "", results.QBitsEq3, 2821.9, 0.05},      // 500 log2 50
		{"paper", "10000", results.QBitsEq3, 2277, 0.5},    // eq. 3 with log gamma
		{"paper", "100000", results.QBitsEq3, 2740, 0.5},   // in place of
		{"paper", "1000000", results.QBitsEq3, 2813, 0.5},  // factorials
		{"paper", "", results.QFactorEq4, 1.442695, 1e-6},  // log2 e
		{"paper", "", results.QBitsPrinted, 4063.68, 1e-6}, // 1.44 · 2822
		{"paper", "", results.QBitsEq4, 4071.2, 0.05},      // 500 log2 50 log2 e
		{"paper", "8", results.QBestHashes, 5.545, 5e-4},
		{"paper", "8.128", results.QBestHashes, 5.634, 5e-4},
		{"paper", "6", results.QHalves, 1. / 64, 0},
		{"paper", "6", results.QFPRByHashes, 0.020268, 5e-7},
		{"paper", "4064", results.QFPRByBits, 0.020268, 5e-7},
		{"paper", "4000", results.QFPRByBits, 0.0216, 5e-5},
		{"article", "100000000", results.QBitsAt1, 958505838, 0}, // 958,505,837.7, rounded up
		{"article", "100000000", results.QBytesAt1, 114.26 * (1 << 20), 6000},
		{"article", "1000000000", results.QBytesAt1, 1.198e9, 5e5},
		{"article", "100000000", results.QHashesAt1, 6.64, 5e-3},
		{"article", "100000000", results.QFPRAt1, 0.01004, 5e-6},
		{"lecture", "", results.QPerNatM, 2.0814, 5e-5}, // 1/(ln 2)^2
		{"lecture", "10", results.QFPRAtBits, 0.0082, 5e-5},
		{"ten links", "0.02", results.QBits, 1294, 0},
		{"ten links", "0.02", results.QHashes, 9, 0},
	} {
		r, ok := c.Find(results.Arithmetic, want.source, want.x, want.quantity)
		if !ok {
			t.Errorf("%s of %s at %s: no such row", want.quantity, want.source, want.x)
			continue
		}
		if got := r.Theory.Or(0); math.Abs(got-want.value) > want.within+1e-12*want.value {
			t.Errorf("%s of %s at %s is %v, want %v", want.quantity, want.source, want.x, got, want.value)
		}
	}
	// What is smallest, or first, is: one bit or one article less does not do.
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
