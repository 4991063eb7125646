package delivery

import (
	"testing"

	"dejavu/experiments/experimenttest"
)

// TestGolden runs each experiment whole, over few users, and compares what it prints.
func TestGolden(t *testing.T) {
	experimenttest.Golden(t, Month, 200)
	experimenttest.Golden(t, Pipeline, 1000)
	experimenttest.Golden(t, Ship, 1000)
	experimenttest.Golden(t, Snapshot, 1000)
}
