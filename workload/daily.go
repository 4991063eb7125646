package workload

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/strategies"
)

// Daily simulates days of reading, as a service sees them. Each distribution is one line:
//
//   - activity: a user starts sessions at a rate that is log-normal over users, median 0.4 a day, sigma 1.1
//     (mean 0.73), in 1024 equal classes;
//   - sessions: a Poisson process of that rate;
//   - refreshes in a session: geometric, mean 3;
//   - time between refreshes: 10 seconds plus an exponential of mean 170, in whole seconds;
//   - a refresh recalls 16 candidates. Each is with probability 0.2 an article that the user was shown before, of
//     log-uniform age, otherwise (or if there is none or the request has it already) a fresh one. The refresh shows
//     the first 10 that are not recognised.
//
// These are the values of DefaultDaily; NewDailyOf takes others.
type Daily struct {
	population
	habits *habits
}

const (
	Horizon    = 2 * day // the time in seconds at whose end Next reports false
	Recalled   = 16      // candidates that a refresh recalls by default,
	PerRefresh = 10      // and how many it shows at most

	day     = 24 * 60 * 60
	classes = 1024 // of users, by activity
)

// NewDaily returns the population, or an error if users is not 1 to MaxUsers.
func NewDaily(seed uint64, users int) (Daily, error) {
	return NewDailyOf(DefaultDaily(), seed, users)
}

// exponential[i] is the quantile i/len of the unit exponential, in 1/65536, the same on every machine.
var exponential = func() (quantiles [1024]uint64) {
	for i := range quantiles {
		quantiles[i] = uint64(math.Round(-math.Log1p(-float64(i)/float64(len(quantiles))) * 65536))
	}
	return quantiles
}()

func (d *draws) exponential(mean uint64) uint64 {
	past := uint64(0)
	for {
		u := d.next()
		cell, within := u>>54, u>>22&(1<<32-1)
		if cell < 1023 {
			from, to := exponential[cell], exponential[cell+1]
			return (past + from + (to-from)*within>>32) * mean >> 16
		}
		past += exponential[1023] // an exponential beyond any point is the same exponential
	}
}

// A Visitor simulates one user's days, refresh by refresh.
type Visitor struct {
	Reader
	habits  *habits
	draws   draws
	gap     uint64 // mean seconds between sessions
	at      uint64 // seconds since the beginning
	started bool
	within  bool // a session: the refresh follows another of it
	fresh   int  // articles of the user's order already recalled as fresh
}

// Visitor returns the user's days, at their beginning.
func (d Daily) Visitor(user int) Visitor {
	v := Visitor{Reader: reader(d.seed, user), habits: d.habits, draws: newDraws(d.seed, user, forVisits)}
	v.gap = v.habits.gaps[v.draws.below(classes)]
	return v
}

// Next moves to the next refresh and returns its time in seconds, and whether that is before Horizon.
func (v *Visitor) Next() (at uint32, ok bool) {
	if v.within = v.started && v.draws.next()>>32 >= v.habits.last; v.within {
		v.at += v.habits.leastPause + v.draws.exponential(v.habits.pauseMean)
	} else {
		v.at += v.draws.exponential(v.gap)
	}
	v.started = true
	return uint32(v.at), v.at < Horizon
}

// Recall fills the candidates of a refresh, none twice: articles[i] is a number in the user's order (Reader.ID), and
// ages[i] its age, 1 being the newest, or 0 if it is fresh. The caller keeps shown, all articles shown, oldest first.
func (v *Visitor) Recall(shown []int32, articles []int32, ages []int, ids []strategies.ID) {
	var coins uint64 // four to a draw
	for i := range articles {
		if i%4 == 0 {
			coins = v.draws.next()
		}
		repeat := coins&(1<<16-1) < v.habits.repeats
		coins >>= 16
		if repeat && len(shown) > 0 {
			// By default log-uniform: the power of two first, then the place within it.
			from := 1 << v.habits.octave(&v.draws, bits.Len(uint(len(shown))))
			age := from + v.draws.below(min(from, len(shown)-from+1))
			if article := shown[len(shown)-age]; !slices.Contains(articles[:i], article) {
				articles[i], ages[i] = article, age
				ids[i] = v.ID(int(article))
				continue
			}
		}
		articles[i], ages[i] = int32(v.fresh), 0
		ids[i] = v.ID(v.fresh)
		v.fresh++
	}
}

// InSession reports whether the present refresh follows another of its session.
func (v *Visitor) InSession() bool { return v.within }

// Delays draws how long each thing that happens to a user takes to be known elsewhere.
type Delays struct{ key uint64 }

// Delays returns the delays of one user.
func (d Daily) Delays(user int) Delays { return Delays{newDraws(d.seed, user, forDelays).key} }

// Exponential returns the step-th delay, of the given mean, at most 2^32, in whole units. Steps may be in any order.
func (d Delays) Exponential(step int, mean uint64) uint64 {
	own := draws{key: mix(d.key + uint64(step)*golden)}
	return own.exponential(mean)
}

// DailyConfig describes the habits of a daily population's users. Begin with DefaultDaily.
type DailyConfig struct {
	_ struct{}

	Sessions   float64 `json:"sessions"`    // sessions a day of the median user, 0.001 to 1000
	Sigma      float64 `json:"sigma"`       // standard deviation of its logarithm over users, 0 to 5
	Refreshes  float64 `json:"refreshes"`   // mean refreshes of a session, 1 to 10000; the pause between two is
	LeastPause int     `json:"least_pause"` // seconds, 0 to 3600,
	PauseMean  int     `json:"pause_mean"`  // and an exponential of this mean, 0 to 86400
	Recalled   int     `json:"recalled"`    // candidates of a refresh, 1 to 4096
	PerRefresh int     `json:"per_refresh"` // articles that a refresh shows at most, 1 to Recalled

	// Repeats is the chance that a candidate is an article shown before, 0 to 1. Octave, 0.01 to 100, is how many times
	// as likely each octave of ages is as the one before: with 1, ages of 1 to 10 and of 10 to 100 are equally likely.
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

// NewDailyOf returns a population with the given habits, or an error if users is not 1 to MaxUsers or c is not valid.
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
