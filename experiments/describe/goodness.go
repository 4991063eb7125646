package describe

import (
	"fmt"
	"math"
	"strings"

	"dejavu/experiments/row"
	"dejavu/workload"
)

// A Goodness is how far a fitted distribution lies from the log's: the Kolmogorov-Smirnov distance, the
// largest difference of their cumulative shares, 0 to 1. Logs are large, so that a test would refuse any
// model; the distance says whether it matters.
type Goodness struct {
	What string  `json:"what"`
	KS   float64 `json:"ks"`
	Of   int64   `json:"of"` // observations
	Poor bool    `json:"poor"`
}

// PoorKS is the distance above which a fit is poor: any share that is read off the
// population may be wrong by as much. A log that was simulated is within 0.05 of the
// population that is fitted to it, and further than this from another.
const PoorKS = 0.1

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

// goodness compares the population with the log.
func goodness(d *Description, c workload.DailyConfig) (all []Goodness) {
	add := func(what string, counts []int64, upTo func(k int) float64) {
		ks := distance(counts, upTo)
		all = append(all, Goodness{what, ks, row.Sum(counts), ks > PoorKS})
	}
	sessions, _ := d.sessionShares(c.Sessions, c.Sigma, most)
	upTo, none := cumulative(sessions), sessions[0]
	add(ofSessions, d.SessionsOf[:], func(k int) float64 { return (upTo(k) - none) / (1 - none) })
	add(ofRefreshes, d.PerSession[:], func(k int) float64 { return 1 - math.Pow(1-1/c.Refreshes, float64(k)) })
	add(ofPauses, d.Pauses, func(s int) float64 {
		over := float64(max(0, s+1-c.LeastPause))
		return -math.Expm1(-over / max(float64(c.PauseMean), 1e-9))
	})
	add(ofArticles, d.PerRefresh[:], func(k int) float64 {
		if k < c.PerRefresh {
			return 0
		}
		return 1
	})
	var counts [33]int64
	ages := make([]float64, len(counts))
	for n, of := range d.Octaves {
		repeats := float64(row.Sum(of[:]))
		for i, share := range octaveShares(c.Octave, n) {
			ages[i] += repeats * share / max(1, float64(d.Repeats))
			counts[i] += of[i]
		}
	}
	add(ofAges, counts[:], cumulative(ages))
	return all
}

// cumulative is the sum of shares up to a place.
func cumulative(shares []float64) func(k int) float64 {
	sums, sum := make([]float64, len(shares)), 0.
	for k, share := range shares {
		sum += share
		sums[k] = sum
	}
	return func(k int) float64 { return sums[k] }
}

// distance is the largest difference of the cumulative shares of a histogram and
// those expected; the last, where the histogram ends, is both times all.
func distance(counts []int64, upTo func(k int) float64) (most float64) {
	total := float64(row.Sum(counts))
	if total == 0 {
		return 0
	}
	sum := int64(0)
	for k, n := range counts[:len(counts)-1] {
		sum += n
		most = max(most, math.Abs(float64(sum)/total-upTo(k)))
	}
	return most
}

// Poor says in which respects the fit is poor, and what that makes worthless; it is empty
// where the fit is good.
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
	return fmt.Sprintf("The fit is POOR, above %v, of %s. "+
		"What 'daily --population' finds of these is not this log's: %s. "+
		"'replay' and 'choose --log' take the log itself.",
		PoorKS, strings.Join(which, ", "), strings.Join(what, "; "))
}
