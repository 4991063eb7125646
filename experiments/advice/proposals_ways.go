package advice

import (
	"math"
	"slices"
	"strings"

	"dejavu/beyond/confirmed"
	"dejavu/beyond/counting"
	"dejavu/beyond/scalable"
	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/row"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

const (
	secondShown = 500 // articles of the reader, which fill the filter
	secondList  = 100 // of these, the newest, are in the list
	secondFresh = 200 // fresh candidates
)

const noCheck = "second check: none"

// checked is the name of a second check.
func checked(rule confirmed.Rule) string { return "second check: " + strings.ToLower(rule.String()) }

// secondCheck asks a list of the newest articles as well (the article, §3), in all the ways that can be meant, or not.
func secondCheck() proposal {
	filter := catalogue.Must(single.New(single.Paper))
	all, names := []catalogue.Strategy{filter}, []string{noCheck}
	for _, rule := range []confirmed.Rule{confirmed.Both, confirmed.Beside, confirmed.Ahead} {
		all = append(all, catalogue.Must(confirmed.New(confirmed.Config{Inner: filter, Last: secondList, Rule: rule})))
		names = append(names, checked(rule))
	}
	begin := func() trial {
		l := newLife(secondShown, secondFresh)
		histories := make([][]byte, len(all))
		return func(_ int, reader workload.Reader, t *tally) {
			l.begin(reader)
			older, newest := l.shown[:secondShown-secondList], l.shown[secondShown-secondList:]
			for i, s := range all {
				histories[i] = s.Record(histories[i][:0], l.shown)
				t.Rates[2*i].Add(secondFresh, l.Count(s, histories[i], l.fresh))
				t.Rates[2*i+1].Add(len(older), l.Count(s, histories[i], older))
				t.Sums[i] += l.missed(s, histories[i], newest)
			}
		}
	}
	rows := func(t tally) (rows []results.Row) {
		for i, s := range all {
			older := 1.
			if s.Window(secondShown) <= secondList {
				older = s.FPR(secondShown)
			}
			lost, newest := float64(t.Sums[i]), t.Users*secondList
			rows = append(rows,
				rate(names[i], results.QFPR, t.Rates[2*i], s.FPR(secondShown)),
				rate(names[i], results.QRecognised, t.Rates[2*i+1], older),
				number(names[i], results.QArticlesLost, "", lost, 0, newest, by.Of.Is("newest")),
				given(names[i], results.QBytesPerUser, results.Bytes, float64(s.Bytes(secondShown)), 0))
		}
		return rows
	}
	n := len(all)
	return proposal{name: "second check", of: 2000, cost: 20, rates: 2 * n, sums: n, begin: begin, rows: rows}
}

const (
	deletedShown = 50  // articles of a full filter that the reader takes back
	deletedFresh = 400 // fresh ones, among which is a false positive with a chance of 0.9997
	countingName = results.Beyond + "counting"
)

// deleting takes articles back from a filter of counters (§4, §6): some that were shown, and one that only seemed so.
func deleting() proposal {
	c := counting.Paper
	s, one := catalogue.Must(counting.New(c)), catalogue.Must(single.New(single.Paper))
	begin := func() trial {
		l := newLife(c.Capacity, deletedFresh)
		deleted, left := l.shown[:deletedShown], l.shown[deletedShown:]
		var full, history []byte
		seen := make([]bool, deletedFresh)
		return func(_ int, reader workload.Reader, t *tally) {
			l.begin(reader)
			full = s.Record(full[:0], l.shown)
			history = s.Delete(append(history[:0], full...), deleted)
			t.Rates[0].Add(deletedShown, l.Count(s, history, deleted))
			t.Sums[0] += l.missed(s, history, left)
			s.Seen(full, l.fresh, seen)
			if i := slices.Index(seen, true); i >= 0 {
				history = s.Delete(append(history[:0], full...), l.fresh[i:i+1])
				t.Sums[1]++
				t.Sums[2] += l.missed(s, history, l.shown)
			}
		}
	}
	rows := func(t tally) []results.Row {
		left := c.Capacity - deletedShown
		bytes, each := float64(s.Bytes(c.Capacity))/float64(one.Bytes(c.Capacity)), row.Mean(t.Sums[2], t.Sums[1])
		lost := func(of string, value, theory float64, count int64) results.Row {
			return number(countingName, results.QArticlesLost, "", value, theory, count, by.Of.Is(of))
		}
		return []results.Row{
			rate(countingName, results.QDeletedRecognised, t.Rates[0], bloom.Exact(left, c.Geometry)),
			lost("others", float64(t.Sums[0]), 0, t.Users*int64(left)),                // that nobody took back
			lost("deleted false positives", each, s.LostByOne(c.Capacity), t.Sums[1]), // for each
			given(countingName, results.QBytesOverSingle, "times", bytes, 0),
		}
	}
	return proposal{name: "deleting", of: 2000, cost: 35, rates: 1, sums: 3, begin: begin, rows: rows}
}

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
// The article has the data migrate step by step. With a log of the IDs they can: at each step some of the log go into
// the larger filter, beside what is shown meanwhile, and until all have, both filters are asked.
//
// Without a log there are only the bits. A position may stand for either of two in the larger filter: setting both
// forgets nothing, and carries the old filter's false positives along. That takes probes that scale with the filter, as
// those of schemes.MultiplyShift do; the suite's own do not, past the first digit.
func moving() proposal {
	of, twice, full := single.Paper.Geometry, single.Paper.Geometry, single.Paper.Capacity
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
				ask(t, l.shown[:full+to], old)
			}
			ask(t, l.shown) // all of the log has moved, and the old filter is gone
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
	return proposal{name: "growing", of: 2000, cost: 180, rates: 6, sums: 3, begin: begin, rows: rows}
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

// hits is how many of the IDs it holds, or another does.
func (f *scaling) hits(ids []strategies.ID, others ...*scaling) (n int) {
	for _, id := range ids {
		if f.holds(id) || slices.ContainsFunc(others, func(o *scaling) bool { return o.holds(id) }) {
			n++
		}
	}
	return n
}

// stageEnds is how many articles the first stages hold, one, two and so on up to n, when they are full.
func stageEnds(c scalable.Config, n int) (ends []int) {
	last := 0
	for size := c.First; len(ends) < n; size *= c.Growth {
		last += size
		ends = append(ends, last)
	}
	return ends
}

// stages are the article's other way, stage behind stage, as far as some stages get: so many of a pool of unseen
// articles are asked for at the end of each. Whether all articles are still recognised is asked of few stages.
func stages(name string, c scalable.Config, n, fresh, pool int) proposal {
	s, ends := catalogue.Must(scalable.New(c)), stageEnds(c, n)
	last := ends[n-1]
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
	p.name, p.of, p.cost = "scalable", 5000, 300
	return p
}
