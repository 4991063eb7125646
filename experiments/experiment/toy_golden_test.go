package experiment_test

// experiment test example
import (
	"testing"

	"dejavu/experiments/experimenttest"
)

func TestGolden(t *testing.T) { experimenttest.Golden(t, Experiment, 1000) }

// end of the experiment test example
