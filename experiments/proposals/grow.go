package proposals

import (
	"math"
	"slices"

	"dejavu/beyond/scalable"
	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

// Names of the ways to go on with a filter that is full (the article, §4).
const (
	copied     = "growing: bits copied as they stand"
	spreadOut  = "growing: each bit to both of its places"
	migrated   = "growing: data migrated from a log"
	unmoved    = "growing: not at all"
	madeLarge  = "growing: made for 1000 from the first"
	stagesName = results.Beyond + "scalable"
)

// twiceFull is after twice the articles that the paper's filter is made for.
var twiceFull = by.Articles.At(float64(2 * single.Paper.Capacity))

const (
	growFresh = 100 // unseen candidates that a user is asked about
	growSteps = 10  // in which data migrate from a log
)

// moving fills a filter, goes on in one twice the size, and fills that.
//
// The article has the data migrate step by step. With a log of the IDs they can: at
// each step some of the log go into the larger filter, beside what is shown meanwhile,
// and until all have, both filters are asked.
//
// Without a log there are only the bits. A bit tells its position, and the larger
// filter has two places that the position may have come from: setting both forgets
// nothing, and carries the old filter's false positives along. That takes probes that
// scale with the filter, as those of schemes.MultiplyShift do; the suite's own do not,
// past the first digit.
func moving() proposal {
	of, twice, full := single.Paper.Geometry, single.Paper.Geometry, single.Paper.Capacity
	twice.Bits *= 2
	build := func() (func() Trial, func(Tally) []results.Row, error) {
		begin := func() Trial {
			l := newLife(2*full, growFresh)
			old, naive, both, moved, ideal := newScaling(of), newScaling(twice), newScaling(twice), newScaling(twice), newScaling(twice)
			return func(_ int, reader workload.Reader, t *Tally) {
				l.begin(reader)
				for _, f := range []*scaling{old, naive, both, moved, ideal} {
					clear(f.set)
				}
				old.insert(l.shown[:full])
				copy(naive.set, old.set)
				for position, set := range old.set {
					both.set[2*position], both.set[2*position+1] = set, set
				}
				t.Rates[0].Add(full, naive.hits(l.shown[:full]))
				t.Sums[0] += int64(full - both.hits(l.shown[:full]))
				for step := range growSteps {
					from, to := step*full/growSteps, (step+1)*full/growSteps
					moved.insert(l.shown[full+from : full+to])
					moved.insert(l.shown[from:to])
					asked := l.shown[:full+to]
					t.Sums[1] += int64(len(asked))
					t.Sums[2] += int64(len(asked) - moved.hitsBeside(old, asked))
				}
				// All of the log has moved, and the old filter is gone.
				t.Sums[1] += int64(len(l.shown))
				t.Sums[2] += int64(len(l.shown) - moved.hits(l.shown))
				t.Rates[5].Add(growFresh, moved.hits(l.fresh))
				old.insert(l.shown[full:])
				both.insert(l.shown[full:])
				ideal.insert(l.shown)
				t.Rates[1].Add(full, both.hits(l.shown[:full]))
				t.Rates[2].Add(growFresh, old.hits(l.fresh))
				t.Rates[3].Add(growFresh, both.hits(l.fresh))
				t.Rates[4].Add(growFresh, ideal.hits(l.fresh))
			}
		}
		rows := func(t Tally) []results.Row {
			// The bits that the larger filter sets by itself, beside those moved: as in
			// eq. 1, for a fill that is the union of two.
			moved := 1 - (1-bloom.Fill(full, of))*(1-bloom.Fill(full, twice))
			chance := math.Pow(0.5, float64(of.Hashes)) // that all of an article's places are in the lower half
			return []results.Row{
				proposedRate(copied, results.QRecognised, t.Rates[0], chance*bloom.Exact(full, of)),
				proposedNumber(spreadOut, results.QInside, "", float64(t.Sums[0]), 0, t.Users*int64(full)),
				proposedRate(spreadOut, results.QRecognised, t.Rates[1], 1),
				proposedRate(unmoved, results.QFPR, t.Rates[2], bloom.Exact(2*full, of)).With(twiceFull),
				proposedRate(spreadOut, results.QFPR, t.Rates[3], math.Pow(moved, float64(of.Hashes))).With(twiceFull),
				proposedNumber(migrated, results.QInside, "", float64(t.Sums[2]), 0, t.Sums[1]),
				proposedRate(migrated, results.QFPR, t.Rates[5], bloom.Exact(2*full, twice)).With(twiceFull),
				proposedRate(madeLarge, results.QFPR, t.Rates[4], bloom.Exact(2*full, twice)).With(twiceFull),
			}
		}
		return begin, rows, nil
	}
	return proposal{name: "growing", of: 2000, cost: 250, rates: 6, sums: 3, build: build}
}

// A scaling filter is one of schemes.MultiplyShift, with a byte for a bit.
type scaling struct {
	geometry bloom.Geometry
	set      []bool
	probes   []int
}

func newScaling(g bloom.Geometry) *scaling {
	return &scaling{g, make([]bool, g.Bits), make([]int, 0, g.Hashes)}
}

func (f *scaling) insert(ids []strategies.ID) {
	for _, id := range ids {
		for _, p := range schemes.MultiplyShift.Positions(f.probes, f.geometry, uint64(id)) {
			f.set[p] = true
		}
	}
}

func (f *scaling) holds(id strategies.ID) bool {
	return !slices.ContainsFunc(schemes.MultiplyShift.Positions(f.probes, f.geometry, uint64(id)), func(p int) bool { return !f.set[p] })
}

// hits is how many of the articles it holds.
func (f *scaling) hits(ids []strategies.ID) (n int) { return f.hitsBeside(f, ids) }

// hitsBeside is how many of the articles it or another filter holds.
func (f *scaling) hitsBeside(other *scaling, ids []strategies.ID) (n int) {
	for _, id := range ids {
		if f.holds(id) || other != f && other.holds(id) {
			n++
		}
	}
	return n
}

// stageEnds are the articles at which so many stages end.
func stageEnds(c scalable.Config, stages int) (ends []int) {
	for sum, size := 0, c.First; len(ends) < stages; size *= c.Growth {
		sum += size
		ends = append(ends, sum)
	}
	return ends
}

// grownScalable is the article's other way: stage behind stage.
func grownScalable() proposal {
	c := scalable.Doubling
	ends := stageEnds(c, 8) // as far as a reader gets
	build := func() (func() Trial, func(Tally) []results.Row, error) {
		s, err := scalable.New(c)
		if err != nil {
			return nil, nil, err
		}
		begin := func() Trial {
			l := newLife(ends[len(ends)-1], growFresh*len(ends))
			return func(_ int, reader workload.Reader, t *Tally) {
				l.begin(reader)
				var history []byte
				from := 0
				for i, end := range ends {
					history = s.Record(history, l.shown[from:end])
					t.Rates[i].Add(growFresh, l.Count(s, history, l.fresh[i*growFresh:][:growFresh]))
					from = end
				}
				t.Sums[0] += int64(len(l.shown) - l.Count(s, history, l.shown))
			}
		}
		rows := func(t Tally) (rows []results.Row) {
			for i, end := range ends {
				bytes := float64(s.Bytes(end))
				rows = append(rows,
					proposedRate(stagesName, results.QFPR, t.Rates[i], s.FPR(end)).With(by.Articles.At(float64(end))),
					proposedNumber(stagesName, results.QBytesPerUser, results.Bytes, bytes, bytes, t.Users).With(by.Articles.At(float64(end))))
			}
			return append(rows,
				proposedNumber(stagesName, results.QInside, "", float64(t.Sums[0]), 0, t.Users*int64(ends[len(ends)-1])),
				proposedNumber(stagesName, results.QFPR, results.Ratio, c.FPR, c.FPR, 0).With(by.Statistic.Is("bound")))
		}
		return begin, rows, nil
	}
	return proposal{name: "scalable", of: 5000, cost: 250, rates: len(ends), sums: 1, build: build}
}

// twenty is a filter that begins with one article and may grow twenty times.
var twenty = scalable.Config{First: 1, Growth: 2, FPR: 0.05, Tightening: 0.9, Stages: 21}

const (
	twentyName  = "growing: twenty times"
	twentyFresh = 8000 // fresh candidates at the end of every stage
)

// twentyGrowths shows a few users two million articles, from a filter for one.
func twentyGrowths() proposal {
	ends := stageEnds(twenty, twenty.Stages)
	build := func() (func() Trial, func(Tally) []results.Row, error) {
		s, err := scalable.New(twenty)
		if err != nil {
			return nil, nil, err
		}
		begin := func() Trial {
			l := newLife(ends[len(ends)-1], twentyFresh)
			return func(_ int, reader workload.Reader, t *Tally) {
				l.begin(reader)
				var history []byte
				from := 0
				for i, end := range ends {
					history = s.Record(history, l.shown[from:end])
					t.Rates[i].Add(twentyFresh, l.Count(s, history, l.fresh))
					from = end
				}
			}
		}
		rows := func(t Tally) (rows []results.Row) {
			for i, end := range ends {
				rows = append(rows, proposedRate(twentyName, results.QFPR, t.Rates[i], s.FPR(end)).With(by.Articles.At(float64(end))))
			}
			return append(rows, proposedNumber(twentyName, results.QFPR, results.Ratio, twenty.FPR, twenty.FPR, 0).With(by.Statistic.Is("bound")))
		}
		return begin, rows, nil
	}
	return proposal{name: "twenty growths", few: 2, cost: 3e6, rates: len(ends), build: build}
}
