package experiment_test

import (
	"testing"

	"dejavu/experiments/experimenttest"
)

func TestGolden(t *testing.T) { experimenttest.Golden(t, Experiment, 1000) }
