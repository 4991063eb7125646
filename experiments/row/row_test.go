package row_test

import (
	"testing"

	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/results"
)

func TestMean(t *testing.T) {
	if row.Mean(7, 2) != 3.5 || row.Mean(7, 0) != 0 {
		t.Errorf("the means are %v and %v, want 3.5 and 0", row.Mean(7, 2), row.Mean(7, 0))
	}
}

// Rows can be written: keys of their own, and numbers that are some.
func TestActivity(t *testing.T) {
	var r measure.Regime
	r.Users[0], r.Users[3] = 2, 1
	r.ByActivity[0] = measure.Rate{Users: 2, Queries: 2}
	r.ByActivity[3] = measure.Rate{Users: 1, Queries: 8, Hits: 1}
	r.Bytes[0], r.Bytes[3] = 9, 512
	rows := row.Activity("replay", "single", r)
	if len(rows) != 6 {
		t.Fatalf("%d rows, want three for each of two bins", len(rows))
	}
	keys := map[results.Key]bool{}
	for _, r := range rows {
		keys[r.Key()] = true
	}
	if len(keys) != 6 {
		t.Error("rows share a key")
	}
	for _, c := range []struct {
		at    int
		x, v  float64
		count int64
	}{{0, 1, 2, 0}, {1, 1, 0, 2}, {2, 1, 4.5, 2}, {3, 8, 1, 0}, {4, 8, 0.125, 8}, {5, 8, 512, 1}} {
		if r := rows[c.at]; r.X != results.Num(c.x) || r.Value != results.Num(c.v) || r.Count != c.count {
			t.Errorf("row %d is %+v, want x %v, %v of %d", c.at, r, c.x, c.v, c.count)
		}
	}
}
