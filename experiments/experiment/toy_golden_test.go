package experiment_test

// experiment test example
import (
	"testing"

	"dejavu/experiments/roomtest"
)

func TestGolden(t *testing.T) { roomtest.Golden(t, Experiment, 1000) }

// end of the experiment test example
