package flights

import (
	"testing"

	"dejavu/experiments/roomtest"
)

// The whole experiment.
func TestGolden(t *testing.T) { roomtest.Golden(t, Experiment, 1000) }
