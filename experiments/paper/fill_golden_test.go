package paper

import (
	"testing"

	"dejavu/experiments/roomtest"
)

// The whole experiment, over few users.
func TestFillGolden(t *testing.T) { roomtest.Golden(t, Fill, 1000) }
