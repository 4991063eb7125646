package ship

import (
	"io"
	"os"
	"slices"
	"testing"

	"dejavu/experiments/engine"
	"dejavu/experiments/roomtest"
	"dejavu/experiments/text"
	"dejavu/results"
)

// Times are of no concern here.
func TestMain(m *testing.M) {
	Requests = 1
	os.Exit(m.Run())
}

// The whole experiment, over few users.
func TestGolden(t *testing.T) { roomtest.Golden(t, Experiment, 1000) }

// What is counted on the wire is the closed form to the byte.
func TestRows(t *testing.T) {
	scope := engine.Scope{Users: 1, Seed: results.DefaultSeed}
	all, timing, err := Experiment.Rows(engine.New(t.Context(), scope, engine.NewProgress(io.Discard)))
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
			t.Errorf("%v is %v, want %v", r.Name(), value, theory)
		}
	}
	for _, r := range timing {
		if value, ok := r.Value.Get(); !ok || value <= 0 {
			t.Errorf("%v is %v", r.Name(), r.Value)
		}
	}
	// Four histories, three sizes and three counts. Of times, four for each size, and one round trip.
	if counted != 4*3*3 || len(timing) != 4*3*4+1 {
		t.Errorf("%d counts and %d times were looked at", counted, len(timing))
	}
}

// The committed rows of the real service make a table; where there are none it has no lines.
func TestReal(t *testing.T) {
	live, err := results.Committed(results.LiveDir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"4000", text.None, "933 B / 36419 B", "623 B / 36110 B", "576 B",
		text.None, "126 µs / 205 µs", "212 µs / 306 µs", "32.6 µs",
	}
	got := Real.Of(results.NewCells(live.All())).Rows
	if len(got) != 3 || !slices.Equal(got[2], want) {
		t.Errorf("%q, want three lines, the last %q", got, want)
	}
	if got := Real.Of(results.NewCells(nil)).Rows; got != nil {
		t.Errorf("of nothing: %q", got)
	}
}
