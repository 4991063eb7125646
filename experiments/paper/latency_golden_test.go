package paper

import (
	"testing"

	"dejavu/experiments/roomtest"
)

// The whole experiment, over few users.
func TestLatencyGolden(t *testing.T) { roomtest.Golden(t, Latency, 1000) }
