package main

import (
	"math"
	"path/filepath"
	"testing"

	"dejavu/results"
)

// What is counted on the wire is the closed form to the byte, and a restart loses
// what theory says, within 4.5 standard errors: one seed in a hundred thousand misses.
func TestServiceRows(t *testing.T) {
	if raceDetector {
		t.Skip("theory is slow, and holds no goroutines")
	}
	out := filepath.Join(t.TempDir(), "out")
	wants(t, program(t.Context(), "ship", "snapshot", "--users", "40000", "--out", out), exitOK, "")
	run, err := results.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	counted, timed := 0, 0
	for _, r := range run.Rows {
		value, ok := r.Value.Get()
		theory, both := r.Theory.Get()
		if !ok || !both {
			continue
		}
		counted++
		switch r.Quantity {
		case results.QForgotten:
			if off := math.Abs(value-theory) / ((r.High.Or(0) - r.Low.Or(0)) / 2 / 1.96); !(off < 4.5) {
				t.Errorf("%v is %v, theory %v: %.1f standard errors apart", r.Key(), value, theory, off)
			}
		case results.QForgottenEach:
		default:
			if value != theory {
				t.Errorf("%v is %v, want %v", r.Key(), value, theory)
			}
		}
	}
	for _, r := range run.Timing {
		if value, ok := r.Value.Get(); !ok || value <= 0 {
			t.Errorf("%v is %v", r.Key(), r.Value)
		}
		timed++
	}
	// Four histories, three sizes and three counts; two strategies and five counts. Of
	// times, four for each size and one round trip; seven of a restart.
	if counted != 4*3*3+2*5 || timed != 4*3*4+1+2*7 {
		t.Errorf("%d counts and %d times were looked at", counted, timed)
	}
}
