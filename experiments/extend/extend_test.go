package extend

import (
	"math"
	"testing"

	"dejavu/experiments/roomtest"
	"dejavu/experiments/shared"
)

// The whole experiment, over few users.
func TestGolden(t *testing.T) { roomtest.Golden(t, Experiment, 1000) }

func TestMeanOver(t *testing.T) {
	held := func(shown int) int { return shown % 7 }
	square := func(n int) float64 { return float64(n * n) }
	got := meanOver(held, square)
	want := shared.MeanOverLives(func(shown int) float64 { return square(held(shown)) })
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("meanOver = %v, the plain sum is %v", got, want)
	}
}
