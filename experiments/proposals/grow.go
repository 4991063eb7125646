package proposals

import (
	"math"

	"dejavu/beyond/scalable"
	"dejavu/bloom"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

// Names of the ways to go on with a filter that is full (the article, §4).
const (
	copied     = "growing: bits copied as they stand"
	spreadOut  = "growing: each bit to both of its places"
	unmoved    = "growing: not at all"
	madeLarge  = "growing: made for 1000 from the first"
	stagesName = results.Beyond + "scalable"
)

const growFresh = 100 // unseen candidates that a user is asked about

// moving fills a filter, moves it into one twice the size by its bits alone, and
// goes on to fill that. A bit tells its position, and the larger filter has two
// places that the position may have come from: setting both forgets nothing, and
// carries the old filter's errors along.
func moving() proposal {
	of, twice, full := single.Paper.Geometry, single.Paper.Geometry, single.Paper.Capacity
	twice.Bits *= 2
	build := func() (func() Trial, func(Tally) []results.Row, error) {
		small, err := bloom.NewLanes(of, 1)
		if err != nil {
			return nil, nil, err
		}
		large, err := bloom.NewLanes(twice, 1)
		if err != nil {
			return nil, nil, err
		}
		begin := func() Trial {
			l, seen := newLife(2*full, growFresh), make([]bool, 2*full)
			old, naive, both, ideal := make([]byte, small.Bytes()), make([]byte, large.Bytes()), make([]byte, large.Bytes()), make([]byte, large.Bytes())
			hits := func(lanes bloom.Lanes, array []byte, ids []strategies.ID) int {
				bloom.Query(lanes, array, 1, ids, seen[:len(ids)])
				return measure.Count(seen[:len(ids)], true)
			}
			return func(_ int, reader workload.Reader, t *Tally) {
				l.begin(reader)
				for _, array := range [][]byte{old, naive, both, ideal} {
					clear(array)
				}
				bloom.Insert(small, old, 1, l.shown[:full])
				copy(naive, old)
				for bit := range of.Bits {
					if old[bit/8]>>(bit%8)&1 == 1 {
						both[bit/4] |= 3 << (2 * bit % 8)
					}
				}
				t.Rates[0].Add(full, hits(large, naive, l.shown[:full]))
				t.Sums[0] += int64(full - hits(large, both, l.shown[:full]))
				bloom.Insert(small, old, 1, l.shown[full:])
				bloom.Insert(large, both, 1, l.shown[full:])
				bloom.Insert(large, ideal, 1, l.shown)
				t.Rates[1].Add(full, hits(large, both, l.shown[:full]))
				t.Rates[2].Add(growFresh, hits(small, old, l.fresh))
				t.Rates[3].Add(growFresh, hits(large, both, l.fresh))
				t.Rates[4].Add(growFresh, hits(large, ideal, l.fresh))
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
				proposedRate(unmoved, results.QFPRAt1000, t.Rates[2], bloom.Exact(2*full, of)),
				proposedRate(spreadOut, results.QFPRAt1000, t.Rates[3], math.Pow(moved, float64(of.Hashes))),
				proposedRate(madeLarge, results.QFPRAt1000, t.Rates[4], bloom.Exact(2*full, twice)),
			}
		}
		return begin, rows, nil
	}
	return proposal{name: "growing", of: 2000, cost: 250, rates: 5, sums: 1, build: build}
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
					proposedRate(stagesName, results.QFPR, t.Rates[i], s.FPR(end)).At(float64(end)),
					proposedNumber(stagesName, results.QBytesPerUser, results.Bytes, bytes, bytes, t.Users).At(float64(end)))
			}
			return append(rows,
				proposedNumber(stagesName, results.QInside, "", float64(t.Sums[0]), 0, t.Users*int64(ends[len(ends)-1])),
				proposedNumber(stagesName, results.QFPRBound, results.Ratio, c.FPR, c.FPR, 0))
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

// twentyGrowths lets a few readers read two million articles, from a filter for one.
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
				rows = append(rows, proposedRate(twentyName, results.QFPR, t.Rates[i], s.FPR(end)).At(float64(end)))
			}
			return append(rows, proposedNumber(twentyName, results.QFPRBound, results.Ratio, twenty.FPR, twenty.FPR, 0))
		}
		return begin, rows, nil
	}
	return proposal{name: "twenty growths", few: 2, cost: 3e6, rates: len(ends), build: build}
}
