package workload

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// DailyConfig describes the habits of a daily population's users. Begin with DefaultDaily.
type DailyConfig struct {
	_ struct{}

	Sessions   float64 `json:"sessions"`    // that a user begins a day, the median, 0.001 to 1000
	Sigma      float64 `json:"sigma"`       // how far users are apart: its logarithm's standard deviation, 0 to 5
	Refreshes  float64 `json:"refreshes"`   // of a session, the mean, 1 to 10000; between two of them lie
	LeastPause int     `json:"least_pause"` // seconds, 0 to 3600,
	PauseMean  int     `json:"pause_mean"`  // and an exponential of this mean, 0 to 86400
	Recalled   int     `json:"recalled"`    // candidates of a refresh, 1 to 4096
	PerRefresh int     `json:"per_refresh"` // articles that it shows at most, 1 to Recalled

	// Repeats is the chance that a candidate is an article shown before, 0 to 1. Octave, 0.01 to 100, is how many
	// times as likely each octave of ages is as the one before. With 1, ages of 1 to 10 and of 10 to 100 are equally
	// likely.
	Repeats float64 `json:"repeats"`
	Octave  float64 `json:"octave"`
}

// DefaultDaily returns the configuration of this module's experiments: see Daily.
func DefaultDaily() DailyConfig {
	return DailyConfig{
		Sessions: 0.4, Sigma: 1.1,
		Refreshes: 3, LeastPause: 10, PauseMean: 170,
		Recalled: Recalled, PerRefresh: PerRefresh, Repeats: 0.2, Octave: 1,
	}
}

// Validate returns an error that names the first field out of its range.
func (c DailyConfig) Validate() error {
	for _, f := range []struct {
		name          string
		value, lo, hi float64
	}{
		{"Sessions", c.Sessions, 0.001, 1000},
		{"Sigma", c.Sigma, 0, 5},
		{"Refreshes", c.Refreshes, 1, 10000},
		{"LeastPause", float64(c.LeastPause), 0, 3600},
		{"PauseMean", float64(c.PauseMean), 0, day},
		{"Recalled", float64(c.Recalled), 1, MaxRecalled},
		{"PerRefresh", float64(c.PerRefresh), 1, float64(c.Recalled)},
		{"Repeats", c.Repeats, 0, 1},
		{"Octave", c.Octave, 0.01, 100},
	} {
		if !(f.value >= f.lo && f.value <= f.hi) { // also if it is NaN
			return fmt.Errorf("workload: %s is %v, want %v to %v", f.name, f.value, f.lo, f.hi)
		}
	}
	return nil
}

// MaxRecalled bounds the candidates of a refresh.
const MaxRecalled = 4096

// NewDailyOf returns a population with the given habits, or an error if users is not 1 to MaxUsers, or a field of c is
// out of range. With DefaultDaily it equals NewDaily.
func NewDailyOf(c DailyConfig, seed uint64, users int) (Daily, error) {
	if err := c.Validate(); err != nil {
		return Daily{}, err
	}
	p, err := newPopulation(seed, users)
	return Daily{p, newHabits(c)}, err
}

// Config returns the habits of the population's users.
func (d Daily) Config() DailyConfig { return d.habits.config }

// habits holds a DailyConfig in whole numbers, so that a draw is the same on every machine.
type habits struct {
	config     DailyConfig
	gaps       [classes]uint64 // mean seconds between sessions, by class of users
	last       uint64          // a refresh is its session's last, in 1/2^32
	leastPause uint64
	pauseMean  uint64
	repeats    uint64       // in 1/65536
	sums       *[33]float64 // sums of the octaves' chances before each; nil if all are equal
}

func newHabits(c DailyConfig) *habits {
	h := &habits{
		config:     c,
		last:       uint64(math.Ceil((1 << 32) / c.Refreshes)),
		leastPause: uint64(c.LeastPause),
		pauseMean:  uint64(c.PauseMean),
		repeats:    uint64(math.Round(c.Repeats * 65536)),
	}
	for i := range h.gaps {
		z := distuv.UnitNormal.Quantile((float64(i) + 0.5) / classes)
		rate := c.Sessions * math.Exp(c.Sigma*z)
		h.gaps[i] = uint64(math.Round(min(max(day/rate, 60), 1<<26))) // to two years, for the clock's 32 bits
	}
	if c.Octave != 1 {
		h.sums = new([33]float64)
		for i, chance := 0, 1.; i < 32; i++ {
			h.sums[i+1] = h.sums[i] + chance
			chance = float64(chance * c.Octave) // rounded here, on every machine
		}
	}
	return h
}

// octave draws the octave of an age, one of n.
func (h *habits) octave(d *draws, n int) int {
	if h.sums == nil {
		return d.below(n)
	}
	at := float64(float64(d.next()>>32) / (1 << 32) * h.sums[n])
	i := 0
	for i < n-1 && at >= h.sums[i+1] {
		i++
	}
	return i
}
