package advice

import (
	"testing"

	"dejavu/experiments/experimenttest"
)

// TestGolden runs each experiment whole, over few users, and compares what it prints.
func TestGolden(t *testing.T) {
	experimenttest.Golden(t, Arithmetic, 1000)
	experimenttest.Golden(t, Proposals, 1000)
}
