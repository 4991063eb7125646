package describe

import (
	"fmt"
	"math"
	"strings"

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
	good := func(what string, ks float64, of int64) Goodness { return Goodness{what, ks, of, ks > PoorKS} }
	return []Goodness{
		good(ofSessions, distance(d.SessionsOf, sessions), d.Users),
		good(ofRefreshes, distance(d.PerSession, refreshes), d.Sessions),
		good(ofPauses, distance(d.Pauses, pauses), row.Sum(d.Pauses)),
		good(ofArticles, distance(d.PerRefresh, articles), d.Refreshes),
		good(ofAges, distance(of[:], ages), d.Repeats),
	}
}

// What is fitted.
const (
	ofSessions  = "sessions of a user"
	ofRefreshes = "refreshes of a session"
	ofPauses    = "pauses in a session"
	ofArticles  = "articles of a refresh"
	ofAges      = "ages of repeats, by octave"
)

// rests is what rests on each distribution, where it is simulated.
var rests = map[string]string{
	ofSessions:  "bytes by activity, and how many users have a history",
	ofRefreshes: "how full the histories of a visit get",
	ofPauses:    "the repeats that a late stream shows",
	ofArticles:  "the size of requests, and what a visit adds to a history",
	ofAges:      "repeats shown, and the window that they need",
}

// Poor says in which respects the fit is poor, and what that makes worthless; it is empty where
// the fit is good.
func (f Fit) Poor() string {
	var which, what []string
	for _, g := range f.Goodness {
		if g.Poor {
			which = append(which, fmt.Sprintf("%s (%.2g)", g.What, g.KS))
			what = append(what, rests[g.What])
		}
	}
	if which == nil {
		return ""
	}
	return fmt.Sprintf("The fit is POOR, above %v, of %s. What 'daily --population' finds of these is not this log's: %s. 'replay' and 'choose --log' take the log itself.",
		PoorKS, strings.Join(which, ", "), strings.Join(what, "; "))
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
