package paper

import (
	"testing"

	"dejavu/experiments/experimenttest"
)

// TestGolden runs each experiment whole, over few users, and compares what it prints.
func TestGolden(t *testing.T) {
	experimenttest.Golden(t, Extend, 1000)
	experimenttest.Golden(t, Fill, 1000)
	experimenttest.Golden(t, FPR, 1000)
	experimenttest.Golden(t, Hashes, 1000)
	experimenttest.Golden(t, Latency, 1000)
	experimenttest.Golden(t, Memory, 1000)
	experimenttest.Golden(t, Sizing, 1000)
	experimenttest.Golden(t, Table1, 1200, "chain-sized")
	experimenttest.Golden(t, Window, 1000, "chain-literal")
}
