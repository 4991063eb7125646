package shared

import (
	"math"
	"testing"

	"dejavu/workload"
)

func TestMeanOverLives(t *testing.T) {
	if got := MeanOverLives(func(int) float64 { return 1 }); math.Abs(got-1) > 1e-12 {
		t.Errorf("the shares of all lives sum to %v, want 1", got)
	}
	// The mean life, of the shares and of a million users. A life is at most MaxShown articles with a
	// standard deviation well below that, so the mean of a million is within 5 standard errors, the bound
	// below, but for one run in a million; the seed is fixed, so it is all or never.
	const users = 1_000_000
	population, err := workload.NewFull(2016, users)
	if err != nil {
		t.Fatal(err)
	}
	sum, squares := 0., 0.
	for user := range users {
		shown := float64(population.Shown(user))
		sum, squares = sum+shown, squares+shown*shown
	}
	mean := sum / users
	deviation := math.Sqrt((squares/users - mean*mean) / users)
	want := MeanOverLives(func(shown int) float64 { return float64(shown) })
	if math.Abs(mean-want) > 5*deviation {
		t.Errorf("users are shown %.3f articles on average, the shares say %.3f ± %.3f", mean, want, deviation)
	}
}
