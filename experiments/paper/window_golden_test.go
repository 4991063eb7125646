package paper

import (
	"testing"

	"dejavu/experiments/roomtest"
)

// The whole experiment, over few users.
func TestWindowGolden(t *testing.T) { roomtest.Golden(t, Window, 1000, "chain-literal") }
