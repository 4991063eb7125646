package describe

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/experiments/row"
	"dejavu/store"
	"dejavu/workload"
)

// A Fit is the daily population that is most like a log.
type Fit struct {
	Population workload.DailyConfig `json:"population"`

	// Users is how many users such a population has where as many of them come
	// in the log's time as the log has.
	Users int `json:"users"`

	Goodness []Goodness `json:"goodness"`
}

// A Goodness is how far a fitted distribution lies from the log's: the
// Kolmogorov-Smirnov distance, the largest difference of their cumulative shares,
// 0 to 1. Logs are large, so that a test would refuse any model; the distance
// says whether it matters.
type Goodness struct {
	What string  `json:"what"`
	KS   float64 `json:"ks"`
	Of   int64   `json:"of"` // observations
	Poor bool    `json:"poor"`
}

// PoorKS is the distance above which a fit is poor: any share that is read off the
// population may be wrong by as much. A log that was simulated is within 0.05 of the population
// that is fitted to it, and further than this from another.
const PoorKS = 0.1

// activityClasses is how many classes of users stand for the log-normal.
const activityClasses = 256

// FitDaily fits the daily population to a log.
//
//   - Activity is the maximum of the likelihood of users' numbers of sessions:
//     Poisson, of a rate that is log-normal, of those who came at all. A session
//     that begins within Session of the one before is taken for its continuation,
//     as in the log.
//   - Pauses are by quartiles, which the sessions taken for continuations hardly
//     move; refreshes and articles by their means.
//   - Octave is the maximum of the likelihood of the ages of repeats, and Repeats
//     the chance that gives as many as the log has, once a user has been shown
//     anything. What a log has are repeats shown: behind a memory they are fewer
//     than were recalled.
//   - Recalled keeps the ratio of the default to PerRefresh.
//
// It is an error where the log has fewer than 100 users, or of less than an hour.
// Values outside of what a population can have are moved to the nearest it can.
func FitDaily(d *Description) (Fit, error) {
	days := float64(d.Last-d.First) / float64(store.Day)
	switch {
	case d.Users < 100:
		return Fit{}, errors.New("describe: fewer than 100 users are too few to fit a population to")
	case days < 1./24:
		return Fit{}, errors.New("describe: less than an hour is too little to fit a population to")
	}
	var f Fit
	c := workload.DefaultDaily()
	recall := float64(c.Recalled) / float64(c.PerRefresh)

	c.PauseMean, c.LeastPause = fitPauses(d.Pauses, c)
	perSession := float64(d.Refreshes) / float64(d.Sessions)
	length := (perSession - 1) * float64(c.LeastPause+c.PauseMean) / float64(store.Day)
	a := activity{days: days, length: length, apart: float64(d.Session) / float64(store.Day)}
	c.Sessions, c.Sigma = a.fit(d.SessionsOf)
	came, told, begun := a.seen(math.Log(c.Sessions), c.Sigma)
	f.Users = int(math.Round(float64(d.Users) / came))
	c.Refreshes = max(1, perSession*told/begun)
	c.PerRefresh = int(math.Round(float64(d.Exposures) / float64(d.Refreshes)))
	c.Recalled = int(math.Round(recall * float64(c.PerRefresh)))
	if c.Repeats = 0; d.Repeats > 0 {
		c.Octave = fitOctave(&d.Octaves)
		c.Repeats = fitRepeats(d, c)
	}
	f.Population = within(c)
	f.Goodness = a.goodness(d, f.Population)
	return f, nil
}

// within moves values to where a population can have them, and rounds them to
// what a log can tell.
func within(c workload.DailyConfig) workload.DailyConfig {
	digits := func(v, lo, hi float64) float64 {
		v = min(max(v, lo), hi)
		scale := math.Pow(10, 3-math.Floor(math.Log10(max(v, 1e-6))))
		return min(max(math.Round(v*scale)/scale, lo), hi)
	}
	c.Sessions = digits(c.Sessions, 0.001, 1000)
	c.Sigma = digits(c.Sigma, 0, 5)
	c.Refreshes = digits(c.Refreshes, 1, 10000)
	c.Repeats = digits(c.Repeats, 0, 1)
	c.Octave = digits(c.Octave, 0.01, 100)
	c.LeastPause = min(max(c.LeastPause, 0), 3600)
	c.PauseMean = min(max(c.PauseMean, 0), int(store.Day))
	c.PerRefresh = min(max(c.PerRefresh, 1), workload.MaxRecalled)
	c.Recalled = min(max(c.Recalled, c.PerRefresh), workload.MaxRecalled)
	return c
}

// fitPauses is the exponential, behind a least pause, with the quartiles of these.
func fitPauses(pauses []int64, c workload.DailyConfig) (mean, least int) {
	if total := row.Sum(pauses); total < 10 {
		return c.PauseMean, c.LeastPause
	}
	lower, upper := float64(Quantile(pauses, 0.25)), float64(Quantile(pauses, 0.75))
	m := (upper - lower) / math.Log(3)
	return int(math.Round(m)), max(0, int(math.Round(lower+0.5-m*math.Log(4./3))))
}

// An activity is how users' sessions come about, in days.
type activity struct{ days, length, apart float64 }

// rates are the expected sessions of the classes of users: those begun, and those
// that a log tells apart.
func (a activity) rates(mu, sigma float64) (begun, told [activityClasses]float64) {
	for i := range begun {
		z := distuv.UnitNormal.Quantile((float64(i) + 0.5) / activityClasses)
		rate := math.Exp(mu + sigma*z)
		begun[i] = a.days * rate / (1 + rate*a.length)
		told[i] = begun[i] * math.Exp(-rate*a.apart)
		// The first is told from nothing before it.
		told[i] += (1 - math.Exp(-begun[i])) * (1 - math.Exp(-rate*a.apart))
	}
	return begun, told
}

// shares are the chances of 0 to most sessions told.
func (a activity) shares(mu, sigma float64, most int) []float64 {
	shares := make([]float64, most+1)
	_, told := a.rates(mu, sigma)
	for _, mean := range told {
		p := distuv.Poisson{Lambda: mean}
		// Only where the chance is no speck.
		from, to := int(mean-9*math.Sqrt(mean)-9), int(mean+9*math.Sqrt(mean)+20)
		for k := max(from, 0); k <= min(to, most); k++ {
			shares[k] += p.Prob(float64(k)) / activityClasses
		}
	}
	return shares
}

// fit is the median and the sigma under which these numbers of users with so many
// sessions, none not being among them, are likeliest.
func (a activity) fit(users []int64) (median, sigma float64) {
	most, mean := 1, 0.
	for k, n := range users {
		if n > 0 {
			most = k
		}
		mean += float64(k) * float64(n)
	}
	mean /= float64(row.Sum(users)) * a.days
	unlikely := func(x []float64) float64 {
		if math.Abs(x[0]) > 12 || math.Abs(x[1]) > 5 {
			return math.Inf(1)
		}
		shares := a.shares(x[0], math.Abs(x[1]), most)
		came := 1 - shares[0]
		sum := 0.
		for k, share := range shares {
			sum -= float64(users[k]) * math.Log(max(share, 1e-300)/max(came, 1e-300))
		}
		return sum / float64(row.Sum(users))
	}
	found, err := optimize.Minimize(optimize.Problem{Func: unlikely}, []float64{math.Log(mean / 2), 1},
		&optimize.Settings{FuncEvaluations: 400, Converger: &optimize.FunctionConverge{Absolute: 1e-9, Iterations: 30}}, &optimize.NelderMead{})
	if err != nil && found == nil {
		return mean, 0
	}
	return math.Exp(found.X[0]), math.Abs(found.X[1])
}

// seen is the share of users who come at all, and the sessions of a user that
// are told apart and that are begun.
func (a activity) seen(mu, sigma float64) (came, told, begun float64) {
	b, t := a.rates(mu, sigma)
	for i := range b {
		came += (1 - math.Exp(-b[i])) / activityClasses
		told += t[i] / activityClasses
		begun += b[i] / activityClasses
	}
	return came, told, begun
}

// octaveShares are the chances of the octaves of an age, of n.
func octaveShares(octave float64, n int) []float64 {
	shares := make([]float64, n)
	sum, chance := 0., 1.
	for i := range shares {
		shares[i] = chance
		sum += chance
		chance *= octave
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// fitRepeats is the chance of a repeat that gives the log's share of them, when a
// repeat of what its refresh has already becomes a fresh article: that befalls the
// i-th of a refresh with about i times the chance and the chance that two
// repeats are of one age.
func fitRepeats(d *Description, c workload.DailyConfig) float64 {
	share := float64(d.Repeats) / float64(d.Open)
	alike := 0.
	for n := 1; n < len(d.Octaves); n++ {
		for i, chance := range octaveShares(c.Octave, n) {
			alike += chance * chance * math.Exp2(-float64(i)) * float64(row.Sum(d.Octaves[n][:])) / float64(d.Repeats)
		}
	}
	repeats := share
	for range 50 {
		repeats = min(1, share/max(0.5, 1-repeats*alike*float64(c.PerRefresh-1)/2))
	}
	return repeats
}

// fitOctave is the likeliest ratio of an octave of ages to the one before.
func fitOctave(repeats *[33][33]int64) float64 {
	unlikely := func(log float64) (sum float64) {
		for n := 2; n < len(repeats); n++ {
			for i, share := range octaveShares(math.Exp(log), n) {
				if k := repeats[n][i]; k > 0 {
					sum -= float64(k) * math.Log(share)
				}
			}
		}
		return sum
	}
	// The likelihood has one maximum: the octaves are an exponential family.
	low, high := math.Log(0.01), math.Log(100)
	for range 60 {
		third := (high - low) / 3
		if unlikely(low+third) < unlikely(high-third) {
			high -= third
		} else {
			low += third
		}
	}
	return math.Exp((low + high) / 2)
}
