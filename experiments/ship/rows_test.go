package ship

import (
	"io"
	"testing"

	"dejavu/experiments/run"
	"dejavu/results"
)

// What is counted on the wire is the closed form to the byte.
func TestRows(t *testing.T) {
	all, timing, err := Experiment.Rows(run.New(t.Context(), run.Scope{Users: 1, Seed: results.DefaultSeed}, run.NewProgress(io.Discard)))
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, r := range all {
		value, ok := r.Value.Get()
		theory, both := r.Theory.Get()
		if !ok || !both {
			continue
		}
		counted++
		if value != theory {
			t.Errorf("%v is %v, want %v", r.Key(), value, theory)
		}
	}
	for _, r := range timing {
		if value, ok := r.Value.Get(); !ok || value <= 0 {
			t.Errorf("%v is %v", r.Key(), r.Value)
		}
	}
	// Four histories, three sizes and three counts. Of times, four for each size, and
	// one round trip.
	if counted != 4*3*3 || len(timing) != 4*3*4+1 {
		t.Errorf("%d counts and %d times were looked at", counted, len(timing))
	}
}
