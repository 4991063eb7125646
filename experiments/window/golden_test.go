package window

import (
	"testing"

	"dejavu/experiments/roomtest"
)

// The whole experiment, over few users.
func TestGolden(t *testing.T) { roomtest.Golden(t, Experiment, 1000, "chain-literal") }
