package paper

import (
	"testing"

	"dejavu/experiments/roomtest"
)

// The whole experiment, over few users.
func TestSizingGolden(t *testing.T) { roomtest.Golden(t, Sizing, 1000) }
