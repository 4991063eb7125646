package proposals

import (
	"math"

	"dejavu/beyond/scalable"
	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/experiments/catalogue"
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

var twiceFull = by.Articles.At(float64(2 * single.Paper.Capacity))

const (
	growFresh = 100 // unseen candidates that a user is asked about
	growSteps = 10  // in which data migrate from a log
)

// moving fills a filter, goes on in one twice the size, and fills that.
//
// The article has the data migrate step by step. With a log of the IDs they can: at each step some of the log
// go into the larger filter, beside what is shown meanwhile, and until all have, both filters are asked.
//
// Without a log there are only the bits. A bit tells its position, and the larger filter has two places that
// the position may have come from: setting both forgets nothing, and carries the old filter's false positives
// along. That takes probes that scale with the filter, as those of schemes.MultiplyShift do; the suite's own
// do not, past the first digit.
func moving() proposal {
	of, twice, full := single.Paper.Geometry, single.Paper.Geometry, single.Paper.Capacity
	twice.Bits *= 2
	begin := func() trial {
		l := newLife(2*full, growFresh)
		old, naive, both := newScaling(of), newScaling(twice), newScaling(twice)
		moved, ideal := newScaling(twice), newScaling(twice)
		first, second := l.shown[:full], l.shown[full:]
		return func(_ int, reader workload.Reader, t *tally) {
			l.begin(reader)
			for _, f := range []*scaling{old, naive, both, moved, ideal} {
				clear(f.set)
			}
			old.insert(first)
			copy(naive.set, old.set)
			for position, set := range old.set {
				both.set[2*position], both.set[2*position+1] = set, set
			}
			t.Rates[0].Add(full, naive.hits(first))
			t.Sums[0] += int64(full - both.hits(first))
			for step := range growSteps {
				from, to := step*full/growSteps, (step+1)*full/growSteps
				moved.insert(second[from:to])
				moved.insert(first[from:to])
				asked := l.shown[:full+to]
				t.Sums[1] += int64(len(asked))
				t.Sums[2] += int64(len(asked) - moved.hitsBeside(old, asked))
			}
			// All of the log has moved, and the old filter is gone.
			t.Sums[1] += int64(len(l.shown))
			t.Sums[2] += int64(len(l.shown) - moved.hits(l.shown))
			old.insert(second)
			both.insert(second)
			ideal.insert(l.shown)
			t.Rates[1].Add(full, both.hits(first))
			for i, f := range []*scaling{old, both, ideal, moved} {
				t.Rates[2+i].Add(growFresh, f.hits(l.fresh))
			}
		}
	}
	rows := func(t tally) []results.Row {
		// The bits that the larger filter sets by itself, beside those moved: as in eq. 1, for a fill that is
		// the union of two.
		moved := 1 - (1-bloom.Fill(full, of))*(1-bloom.Fill(full, twice))
		chance := math.Pow(0.5, float64(of.Hashes)) // that all of an article's places are in the lower half
		larger := bloom.Exact(2*full, twice)
		return []results.Row{
			rate(copied, results.QRecognised, t.Rates[0], chance*bloom.Exact(full, of)),
			number(spreadOut, results.QInside, "", float64(t.Sums[0]), 0, t.Users*int64(full)),
			rate(spreadOut, results.QRecognised, t.Rates[1], 1),
			rate(unmoved, results.QFPR, t.Rates[2], bloom.Exact(2*full, of), twiceFull),
			rate(spreadOut, results.QFPR, t.Rates[3], math.Pow(moved, float64(of.Hashes)), twiceFull),
			number(migrated, results.QInside, "", float64(t.Sums[2]), 0, t.Sums[1]),
			rate(migrated, results.QFPR, t.Rates[5], larger, twiceFull),
			rate(madeLarge, results.QFPR, t.Rates[4], larger, twiceFull),
		}
	}
	return proposal{name: "growing", of: 2000, cost: 250, rates: 6, sums: 3, begin: begin, rows: rows}
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
	for _, p := range schemes.MultiplyShift.Positions(f.probes, f.geometry, uint64(id)) {
		if !f.set[p] {
			return false
		}
	}
	return true
}

func (f *scaling) hits(ids []strategies.ID) (n int) { return f.hitsBeside(f, ids) }

func (f *scaling) hitsBeside(other *scaling, ids []strategies.ID) (n int) {
	for _, id := range ids {
		if f.holds(id) || other != f && other.holds(id) {
			n++
		}
	}
	return n
}

// stages are the article's other way, stage behind stage, as far as some stages get: so many of a pool of unseen
// articles are asked for at the end of each. Whether all articles are still recognised is asked of few stages.
func stages(name string, c scalable.Config, n, fresh, pool int) proposal {
	s, last := catalogue.Must(scalable.New(c)), 0
	var ends []int
	for size := c.First; len(ends) < n; size *= c.Growth {
		last += size
		ends = append(ends, last)
	}
	begin := func() trial {
		l := newLife(last, pool)
		return func(_ int, reader workload.Reader, t *tally) {
			l.begin(reader)
			var history []byte
			from := 0
			for i, end := range ends {
				history = s.Record(history, l.shown[from:end])
				t.Rates[i].Add(fresh, l.Count(s, history, l.fresh[i*fresh%pool:][:fresh]))
				from = end
			}
			if name == stagesName {
				t.Sums[0] += l.missed(s, history, l.shown)
			}
		}
	}
	rows := func(t tally) (rows []results.Row) {
		for i, end := range ends {
			at, bytes := by.Articles.At(float64(end)), float64(s.Bytes(end))
			rows = append(rows, rate(name, results.QFPR, t.Rates[i], s.FPR(end), at))
			if name == stagesName {
				rows = append(rows, given(name, results.QBytesPerUser, results.Bytes, bytes, t.Users, at))
			}
		}
		if name == stagesName {
			rows = append(rows, number(name, results.QInside, "", float64(t.Sums[0]), 0, t.Users*int64(last)))
		}
		return append(rows, given(name, results.QFPR, results.Ratio, c.FPR, 0, by.Statistic.Is("bound")))
	}
	return proposal{rates: n, sums: 1, begin: begin, rows: rows}
}

// grownScalable has as many stages as a reader gets to.
func grownScalable() proposal {
	p := stages(stagesName, scalable.Doubling, 8, growFresh, 8*growFresh)
	p.name, p.of, p.cost = "scalable", 5000, 250
	return p
}

// twenty is a filter that begins with one article and may grow twenty times.
var twenty = scalable.Config{First: 1, Growth: 2, FPR: 0.05, Tightening: 0.9, Stages: 21}

const (
	twentyName  = "growing: twenty times"
	twentyFresh = 8000 // fresh candidates at the end of every stage, always the same
)

// twentyGrowths shows a few users two million articles, from a filter for one.
func twentyGrowths() proposal {
	p := stages(twentyName, twenty, twenty.Stages, twentyFresh, twentyFresh)
	p.name, p.few, p.cost = "twenty growths", 2, 3e6
	return p
}
