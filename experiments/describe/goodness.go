package describe

import (
	"math"

	"dejavu/experiments/row"
	"dejavu/workload"
)

// goodness holds the population against the log.
func (a activity) goodness(d *Description, c workload.DailyConfig) []Goodness {
	shares := a.shares(math.Log(c.Sessions), c.Sigma, countMost)
	came := 1 - shares[0]
	sessions, past := make([]float64, len(d.SessionsOf)), 0.
	for k := 1; k < len(sessions); k++ {
		past += shares[k] / came
		sessions[k] = past
	}
	refreshes, pauses := make([]float64, len(d.PerSession)), make([]float64, len(d.Pauses))
	for k := range refreshes {
		refreshes[k] = 1 - math.Pow(1-1/c.Refreshes, float64(k))
	}
	for s := range pauses {
		if over := float64(s + 1 - c.LeastPause); over > 0 {
			pauses[s] = 1
			if c.PauseMean > 0 {
				pauses[s] = -math.Expm1(-over / float64(c.PauseMean))
			}
		}
	}
	articles := make([]float64, len(d.PerRefresh))
	for k := c.PerRefresh; k < len(articles); k++ {
		articles[k] = 1
	}
	var of [33]int64
	ages := make([]float64, len(of))
	for n := range d.Octaves {
		held := row.Sum(d.Octaves[n][:])
		if held == 0 {
			continue
		}
		for i, share := range octaveShares(c.Octave, n) {
			ages[i] += float64(held) * share / float64(d.Repeats)
		}
		for i, k := range d.Octaves[n] {
			of[i] += k
		}
	}
	for i := 1; i < len(ages); i++ {
		ages[i] += ages[i-1]
	}
	return []Goodness{
		{"sessions of a user", distance(d.SessionsOf, sessions), d.Users},
		{"refreshes of a session", distance(d.PerSession, refreshes), d.Sessions},
		{"pauses in a session", distance(d.Pauses, pauses), row.Sum(d.Pauses)},
		{"articles of a refresh", distance(d.PerRefresh, articles), d.Refreshes},
		{"ages of repeats, by octave", distance(of[:], ages), d.Repeats},
	}
}

// distance is the largest difference of the cumulative shares of a histogram and
// those expected; the last, where the histogram ends, is both times all.
func distance(counts []int64, cumulative []float64) (most float64) {
	total := row.Sum(counts)
	if total == 0 {
		return 0
	}
	sum := int64(0)
	for i := range len(counts) - 1 {
		sum += counts[i]
		most = max(most, math.Abs(float64(sum)/float64(total)-cumulative[i]))
	}
	return most
}
