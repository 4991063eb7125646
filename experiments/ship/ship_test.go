package ship

import (
	"os"
	"slices"
	"testing"

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
