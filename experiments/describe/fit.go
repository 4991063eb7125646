package describe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat/distuv"

	"dejavu/experiments/row"
	"dejavu/results"
	"dejavu/store"
	"dejavu/workload"
)

// A Fit is the daily population that is most like a log.
type Fit struct {
	Population workload.DailyConfig `json:"population"`

	// Users is the population's size at which the log's number of users appears in the log's time.
	Users    int          `json:"users"`
	Goodness []Goodness   `json:"goodness"`
	Log      *results.Log `json:"log,omitempty"` // what it was fitted to, in a file
}

// FitDaily fits the daily population to a log of at least 100 users and an hour. Sessions and Sigma maximise the
// likelihood of users' numbers of sessions: Poisson, of a log-normal rate, of those who came at all. Pauses are fitted
// by quartiles, refreshes and articles by their means, Octave and Repeats by the ages and the share of repeats.
// Recalled keeps the default's ratio to PerRefresh. Values that no population can have are moved to the nearest.
func FitDaily(d *Description) (*Fit, error) {
	switch {
	case d.Users < 100:
		return nil, errors.New("describe: fewer than 100 users are too few to fit a population to")
	case d.Days() < 1./24:
		return nil, errors.New("describe: less than an hour is too little to fit a population to")
	}
	c := workload.DefaultDaily()
	recall := float64(c.Recalled) / float64(c.PerRefresh)
	c.PauseMean, c.LeastPause = fitPauses(d.Pauses, c)
	c.PerRefresh = int(math.Round(float64(d.Exposures) / float64(d.Refreshes)))
	c.Recalled = int(math.Round(recall * float64(c.PerRefresh)))
	c.Sessions, c.Sigma = d.fitSessions()
	none, told := d.sessionShares(c.Sessions, c.Sigma, 0)
	c.Refreshes = told * float64(d.Refreshes) / float64(d.Sessions)
	c.Octave = fitOctave(&d.Octaves, c.Octave)
	c.Repeats = d.recalled(c.PerRefresh, c.Octave)
	f := &Fit{Population: within(c), Users: int(math.Round(float64(d.Users) / (1 - none[0])))}
	f.Goodness = goodness(d, f.Population)
	return f, nil
}

// within moves values into a population's ranges, and rounds them to what a log can tell.
func within(c workload.DailyConfig) workload.DailyConfig {
	digits := func(v *float64, lo, hi float64) {
		scale := math.Pow(10, 3-math.Floor(math.Log10(max(*v, 1e-6))))
		*v = min(max(math.Round(*v*scale)/scale, lo), hi)
	}
	digits(&c.Sessions, 0.001, 1000)
	digits(&c.Sigma, 0, 5)
	digits(&c.Refreshes, 1, 10000)
	digits(&c.Repeats, 0, 1)
	digits(&c.Octave, 0.01, 100)
	c.LeastPause = min(max(c.LeastPause, 0), 3600)
	c.PauseMean = min(max(c.PauseMean, 0), int(store.Day))
	c.PerRefresh = min(max(c.PerRefresh, 1), workload.MaxRecalled)
	c.Recalled = min(max(c.Recalled, c.PerRefresh), workload.MaxRecalled)
	return c
}

// fitPauses returns the exponential, behind a least pause, with these quartiles.
func fitPauses(pauses []int64, c workload.DailyConfig) (mean, least int) {
	if row.Sum(pauses) < 10 {
		return c.PauseMean, c.LeastPause
	}
	lower, upper := float64(Quantile(pauses, 0.25)), float64(Quantile(pauses, 0.75))
	m := (upper - lower) / math.Log(3)
	return int(math.Round(m)), max(0, int(math.Round(lower+0.5-m*math.Log(4./3))))
}

// sessionShares returns the chances of 0 to most sessions of a user: Poisson, with 256 classes of users for the
// log-normal means. In the log a session within Session of the one before continues it: told is the share of the
// others.
func (d *Description) sessionShares(median, sigma float64, most int) (shares []float64, told float64) {
	const classes = 256
	shares = make([]float64, most+1)
	begun, sum := 0., 0.
	for i := range classes {
		rate := median * math.Exp(sigma*distuv.UnitNormal.Quantile((float64(i)+0.5)/classes))
		mean := d.Days() * rate * math.Exp(-rate*float64(d.Session)/float64(store.Day))
		begun += d.Days() * rate
		sum += mean
		p := distuv.Poisson{Lambda: mean}
		// Skip negligible chances.
		from, to := int(mean-9*math.Sqrt(mean)-9), int(mean+9*math.Sqrt(mean)+20)
		for k := max(from, 0); k <= min(to, most); k++ {
			shares[k] += p.Prob(float64(k)) / classes
		}
	}
	return shares, sum / begun
}

// fitSessions returns the likeliest median and sigma for the log's numbers of sessions per user. Users without a
// session are not counted.
func (d *Description) fitSessions() (median, sigma float64) {
	most, sum := 1, 0.
	for k, n := range d.SessionsOf {
		if n > 0 {
			most = k
		}
		sum += float64(k) * float64(n)
	}
	all := float64(row.Sum(d.SessionsOf))
	unlikely := func(x []float64) (sum float64) {
		if math.Abs(x[0]) > 12 || math.Abs(x[1]) > 5 {
			return math.Inf(1)
		}
		shares, _ := d.sessionShares(math.Exp(x[0]), math.Abs(x[1]), most)
		for k, share := range shares[1:] {
			sum -= float64(d.SessionsOf[k+1]) / all * math.Log(max(share, 1e-300)/max(1-shares[0], 1e-300))
		}
		return sum
	}
	mean := sum / all / d.Days()
	converged := &optimize.FunctionConverge{Absolute: 1e-9, Iterations: 30}
	found, err := optimize.Minimize(optimize.Problem{Func: unlikely}, []float64{math.Log(mean / 2), 1},
		&optimize.Settings{FuncEvaluations: 400, Converger: converged}, &optimize.NelderMead{})
	if err != nil && found == nil {
		return mean, 0
	}
	return math.Exp(found.X[0]), math.Abs(found.X[1])
}

// octaveShares returns the chances of an age's n octaves.
func octaveShares(octave float64, n int) []float64 {
	shares := make([]float64, n)
	for i := range shares {
		shares[i] = math.Pow(octave, float64(i))
	}
	floats.Scale(1/floats.Sum(shares), shares)
	return shares
}

// fitOctave returns the ratio of an octave of ages to the one before: the repeats of all octaves but the newest,
// divided by the repeats of all but the oldest.
func fitOctave(repeats *[33][33]int64, unknown float64) float64 {
	older, newer := int64(0), int64(0)
	for n := 2; n < len(repeats); n++ {
		older += row.Sum(repeats[n][1:n])
		newer += row.Sum(repeats[n][:n-1])
	}
	if newer == 0 {
		return unknown
	}
	return float64(older) / float64(newer)
}

// recalled returns the share p of candidates that are repeats. The log has fewer, r: an article recalled twice in a
// refresh comes as an unseen one. Two are the same with the chance same, so that among n articles r = p -
// p²·same·(n-1)/2, to the first order.
func (d *Description) recalled(n int, octave float64) float64 {
	r, same := row.Mean(d.Repeats, d.Open), 0.
	for bits, of := range d.Octaves {
		for i, share := range octaveShares(octave, bits) {
			same += float64(row.Sum(of[:])) / float64(max(d.Repeats, 1)) * share * share / math.Exp2(float64(i))
		}
	}
	pairs := same * float64(n-1) / 2
	if pairs == 0 || 4*r*pairs > 1 {
		return r
	}
	return (1 - math.Sqrt(1-4*r*pairs)) / (2 * pairs)
}

// A Goodness is the distance of a fitted distribution from the log's (Kolmogorov-Smirnov): the largest difference of
// their cumulative shares. Logs are so large that a test would refuse any model; the distance shows what matters.
type Goodness struct {
	What string  `json:"what"`
	KS   float64 `json:"ks"`
	Of   int64   `json:"of"` // observations
	Poor bool    `json:"poor"`
}

// PoorKS is the distance above which a fit is poor: a share read off the population may be wrong by it. A simulated log
// is within 0.05 of its fit, and further than PoorKS from another population.
const PoorKS = 0.1

// The fitted distributions.
const (
	ofSessions  = "sessions of a user"
	ofRefreshes = "refreshes of a session"
	ofPauses    = "pauses in a session"
	ofArticles  = "articles of a refresh"
	ofAges      = "ages of repeats, by octave"
)

// rests names the results that depend on each distribution of a simulation.
var rests = map[string]string{
	ofSessions:  "bytes by activity, and how many users have a history",
	ofRefreshes: "how full the histories of a visit get",
	ofPauses:    "the repeats that a late stream shows",
	ofArticles:  "the size of requests, and what a visit adds to a history",
	ofAges:      "repeats shown, and the window that they need",
}

func goodness(d *Description, c workload.DailyConfig) (all []Goodness) {
	add := func(what string, counts []int64, upTo func(k int) float64) {
		ks := distance(counts, upTo)
		all = append(all, Goodness{what, ks, row.Sum(counts), ks > PoorKS})
	}
	sessions, _ := d.sessionShares(c.Sessions, c.Sigma, most)
	upTo, none := cumulative(sessions), sessions[0]
	add(ofSessions, d.SessionsOf, func(k int) float64 { return (upTo(k) - none) / (1 - none) })
	add(ofRefreshes, d.PerSession, func(k int) float64 { return 1 - math.Pow(1-1/c.Refreshes, float64(k)) })
	add(ofPauses, d.Pauses, func(s int) float64 {
		over := float64(max(0, s+1-c.LeastPause))
		return -math.Expm1(-over / max(float64(c.PauseMean), 1e-9))
	})
	add(ofArticles, d.PerRefresh, func(k int) float64 { return float64(min(k/c.PerRefresh, 1)) })
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

// cumulative returns the sum of shares up to a place.
func cumulative(shares []float64) func(k int) float64 {
	sums := floats.CumSum(make([]float64, len(shares)), shares)
	return func(k int) float64 { return sums[k] }
}

// distance returns the largest difference between a histogram's cumulative shares and the expected ones, upTo.
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

// Poor says in which respects the fit is poor and what that makes worthless, or "" if it is good.
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
	return fmt.Sprintf("The fit is POOR (above %v) for %s. '--population' would not show what this log does for: "+
		"%s. Use 'replay' or 'choose --log' with the log itself.",
		PoorKS, strings.Join(which, ", "), strings.Join(what, "; "))
}

// Write writes a population's file, whole or not at all.
func (f Fit) Write(path string) error {
	return results.Replace(path, func(w io.Writer) error {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(f)
	})
}

// ReadPopulation reads such a file, and says in which respects its fit is poor, as Fit.Poor does, or "" if a file
// written by hand lacks that. An error names the file and what is wrong in it.
func ReadPopulation(path string) (c workload.DailyConfig, poor string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return c, "", err
	}
	if c, poor, err = parsePopulation(data); err != nil {
		return c, "", fmt.Errorf("%s: %w", path, err)
	}
	return c, poor, nil
}

// parsePopulation reads one: every field of the population must be there, and none that is unknown.
func parsePopulation(data []byte) (c workload.DailyConfig, poor string, err error) {
	var file struct {
		Population workload.DailyConfig
		Goodness   []Goodness
	}
	var given struct{ Population map[string]any }
	if err := errors.Join(json.Unmarshal(data, &given), json.Unmarshal(data, &file)); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			err = fmt.Errorf("byte %d of %d: %w", syntax.Offset, len(data), syntax)
		}
		return c, "", err
	}
	if len(given.Population) == 0 {
		return c, "", errors.New(`no "population" in it; 'describe --fit' writes such a file`)
	}
	for field := range reflect.TypeFor[workload.DailyConfig]().Fields() {
		name := field.Tag.Get("json")
		if field.IsExported() && given.Population[name] == nil {
			return c, "", fmt.Errorf("population has no %q", name)
		}
		delete(given.Population, name)
	}
	for name := range given.Population {
		return c, "", fmt.Errorf("population has an unknown %q", name)
	}
	return file.Population, Fit{Goodness: file.Goodness}.Poor(), file.Population.Validate()
}
