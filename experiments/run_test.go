package main

import (
	"path/filepath"
	"testing"

	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/sizing"
	"dejavu/results"
)

// A failed experiment is a visible row and a non-zero exit; the others go on.
func TestFailedExperiment(t *testing.T) {
	before := experiments
	t.Cleanup(func() { experiments = before })
	experiments = []experiment.Experiment{
		{Name: "wild", About: "panics", Rows: func(*engine.Run) (rows, timing []results.Row, err error) {
			panic("the wick is wet")
		}},
		sizing.Experiment,
	}
	out := filepath.Join(t.TempDir(), "out")
	r := program(t.Context(), "wild", "sizing", "--users", "300", "--verbose", "--out", out)
	wants(t, r, exitFailed, r.stdout, "failed: panic: the wick is wet", "sizing", "Bits for 500 articles")
	wants(t, r, exitFailed, r.stderr, "wild failed: panic: the wick is wet", "1 experiments failed")
	r = program(t.Context(), "verify", "--out", out)
	wants(t, r, exitFailed, r.stderr, "1 experiments failed: wild: panic: the wick is wet")
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}
}
