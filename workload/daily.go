package workload

import (
	"math"
	"math/bits"
	"slices"

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

// exponential draws from the exponential of the given mean, in whole units.
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

// Next moves to the next refresh and returns its time in seconds, and whether that is before Horizon. Users go on
// reading beyond it: call Next again for more days.
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
// ages[i] is 0 if it is fresh, and otherwise its age, 1 being the newest. The caller keeps shown, all articles shown so
// far, oldest first.
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

// Delays returns the user's.
func (d Daily) Delays(user int) Delays { return Delays{newDraws(d.seed, user, forDelays).key} }

// Exponential returns the step-th delay, of the given mean, at most 2^32, in whole units. Steps may be in any order.
func (d Delays) Exponential(step int, mean uint64) uint64 {
	own := draws{key: mix(d.key + uint64(step)*golden)}
	return own.exponential(mean)
}
