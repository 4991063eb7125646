package advice

import (
	"math"
	"slices"

	"dejavu/beyond/scalable"
	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

const (
	growFresh = 100 // unseen candidates that a user is asked about
	growSteps = 10  // in which data migrate from a log
)

// moving fills a filter, goes on in one twice the size, and fills that (the article, §4).
//
// The article lets the data migrate step by step. A log of the IDs allows it: each step moves some of the log into the
// larger filter, beside new articles. Until all have moved, both filters are asked.
//
// Without a log there are only the bits. A bit may stand for either of two positions in the larger filter: setting both
// forgets nothing and keeps the old false positives. That needs probes that scale with the filter, as
// schemes.MultiplyShift has; the suite's own do not scale past the first digit.
func moving() proposal {
	of, twice := single.Paper.Geometry, single.Paper.Geometry
	twice.Bits *= 2
	begin := func() trial {
		l := newLife(2*full, growFresh)
		old, naive, both := newScaling(of), newScaling(twice), newScaling(twice)
		moved, ideal := newScaling(twice), newScaling(twice)
		first, second := l.shown[:full], l.shown[full:]
		ask := func(t *tally, ids []strategies.ID, others ...*scaling) {
			t.Sums[1] += int64(len(ids))
			t.Sums[2] += int64(len(ids) - moved.hits(ids, others...))
		}
		return func(of workload.Full, user int, t *tally) {
			l.begin(of, user)
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
				ask(t, l.shown[:full+to], old)
			}
			ask(t, l.shown) // all of the log has moved, and the old filter is gone
			both.insert(second)
			ideal.insert(l.shown)
			for i, f := range []*scaling{both, ideal, moved} {
				t.Rates[1+i].Add(growFresh, f.hits(l.fresh))
			}
		}
	}
	rows := func(t tally) []results.Row {
		const spreadOut, migrated = "growing: each bit to both of its places", "growing: data migrated from a log"
		// The bits that new articles set in the larger filter, beside the moved ones: as in eq. 1, for the union of two
		// fills.
		moved := 1 - (1-bloom.Fill(full, of))*(1-bloom.Fill(full, twice))
		chance := math.Pow(0.5, float64(of.Hashes)) // that all of an article's places are in the lower half
		larger, twiceFull := bloom.Exact(2*full, twice), by.Articles.At(float64(2*full))
		return []results.Row{
			rate("growing: bits copied as they stand", results.QRecognised, t.Rates[0], chance*bloom.Exact(full, of)),
			number(spreadOut, results.QInside, "", float64(t.Sums[0]), 0, t.Users*int64(full)),
			rate(spreadOut, results.QFPR, t.Rates[1], math.Pow(moved, float64(of.Hashes)), twiceFull),
			number(migrated, results.QInside, "", float64(t.Sums[2]), 0, t.Sums[1]),
			rate(migrated, results.QFPR, t.Rates[3], larger, twiceFull),
			rate("growing: made for 1000 from the first", results.QFPR, t.Rates[2], larger, twiceFull),
		}
	}
	return proposal{name: "growing", users: oneIn(2000), cost: 170, rates: 4, sums: 3, begin: begin, rows: rows}
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

// hits returns how many of the IDs it holds, or another does.
func (f *scaling) hits(ids []strategies.ID, others ...*scaling) (n int) {
	for _, id := range ids {
		if f.holds(id) || slices.ContainsFunc(others, func(o *scaling) bool { return o.holds(id) }) {
			n++
		}
	}
	return n
}

// stageEnds returns how many articles the first stages hold, one, two and so on up to n, when they are full.
func stageEnds(c scalable.Config, n int) (ends []int) {
	last := 0
	for size := c.First; len(ends) < n; size *= c.Growth {
		last += size
		ends = append(ends, last)
	}
	return ends
}

// stages proposes the article's other way, stage behind stage. A trial asks for unseen articles at each end.
func stages(name string, c scalable.Config, ends []int) proposal {
	s := catalogue.Must(scalable.New(c))
	rows := func(t tally) (rows []results.Row) {
		for i, end := range ends {
			rows = append(rows, rate(name, results.QFPR, t.Rates[i], s.FPR(end), by.Articles.At(float64(end))))
		}
		return rows
	}
	return proposal{rates: len(ends), rows: rows}
}

// grownScalable has all stages that a user reaches.
func grownScalable() proposal {
	s, ends := catalogue.Must(scalable.New(scalable.Doubling)), stageEnds(scalable.Doubling, 8)
	p := stages(results.Beyond+"scalable", scalable.Doubling, ends)
	p.name, p.users, p.cost = "scalable", oneIn(5000), 300
	p.begin = func() trial {
		l := newLife(ends[len(ends)-1], len(ends)*growFresh)
		return func(of workload.Full, user int, t *tally) {
			l.begin(of, user)
			history, from := []byte(nil), 0
			for i, end := range ends {
				history = s.Record(history, l.shown[from:end])
				t.Rates[i].Add(growFresh, l.Count(s, history, l.fresh[i*growFresh:][:growFresh]))
				from = end
			}
		}
	}
	return p
}

// twenty is a filter that begins with one article and may grow twenty times.
var twenty = scalable.Config{First: 1, Growth: 2, FPR: 0.05, Tightening: 0.9, Stages: 21}

const (
	twentyFresh = 400 // unseen candidates of a filter, the same at the end of every stage
	twentyOwn   = 16  // stages that a filter has of its own, 65,535 articles: small ones differ in their luck
	twentyGroup = 10  // filters that are shown the same articles from there on, where no two would differ
)

// twentyGrowths grows filters from one article to two million. Filters of a group share the articles of the large
// stages, which are recorded once. Each is asked for its own unseen articles. There are up to 200 filters: answers of
// one filter share its fill, and two filters would give no interval.
func twentyGrowths() proposal {
	s, ends := catalogue.Must(scalable.New(twenty)), stageEnds(twenty, twenty.Stages)
	own, last := ends[twentyOwn-1], ends[len(ends)-1]
	ownBytes := s.Sizes()[twentyOwn-1] - s.HeaderBytes()
	p := stages("growing: twenty times", twenty, ends)
	p.name, p.cost = "twenty growths", 1.5e4
	p.users = func(s engine.Scope) int { return min(200, max(30, s.Users/100)) }
	p.begin = func() trial {
		l, ids := newLife(own, twentyFresh), make([]strategies.ID, last)
		var common [][]byte // of the group, at the end of each stage that is not a filter's own
		group := -1
		return func(of workload.Full, user int, t *tally) {
			member := user % twentyGroup
			reader := of.Reader(user - member)
			if user-member != group {
				group, common = user-member, common[:0]
				reader.IDs(ids, 0)
				history, from := []byte(nil), 0
				for i, end := range ends {
					history = s.Record(history, ids[from:end])
					if from = end; i >= twentyOwn {
						common = append(common, slices.Clone(history))
					}
				}
			}
			// All articles are of one order, so that they differ.
			reader.IDs(l.shown, last+member*own)
			reader.IDs(l.fresh, workload.Fresh+member*twentyFresh)
			history, from := []byte(nil), 0
			for i, end := range ends {
				grown := history
				if i < twentyOwn {
					history = s.Record(history, l.shown[from:end])
					grown, from = history, end
				} else {
					grown = common[i-twentyOwn]
					copy(grown, history[:ownBytes])
				}
				t.Rates[i].Add(twentyFresh, l.Count(s, grown, l.fresh))
			}
		}
	}
	return p
}
