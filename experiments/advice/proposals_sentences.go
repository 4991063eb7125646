package advice

import (
	"math"
	"slices"

	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/row"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

// Names of the ways to give users filters (the article, §3), and how many users have one together.
const (
	alone    = "users: a filter each"
	together = "users: one filter for ten"
	sharing  = 10
)

// eachTheirOwn asks a user's own filter, and one that ten users have together of ten times the bits, about what the
// other nine were shown and the user was not.
func eachTheirOwn(scope engine.Scope) proposal {
	p := proposal{name: "users", of: 20_000, cost: 50, rates: 2}
	c := single.Paper
	own := catalogue.Must(single.New(c))
	c.Capacity, c.Geometry.Bits = sharing*c.Capacity, sharing*c.Geometry.Bits
	one := catalogue.Must(single.New(c))
	p.begin = func() trial {
		users := p.users(scope)
		population := catalogue.Must(workload.NewFull(scope.Seed, users))
		l := newLife(single.Paper.Capacity, 0)
		others := make([]strategies.ID, single.Paper.Capacity)
		var history, shared []byte
		return func(user int, reader workload.Reader, t *tally) {
			l.begin(reader)
			history, l.fresh = own.Record(history[:0], l.shown), l.fresh[:0]
			shared = one.Record(shared[:0], l.shown)
			for other := 1; other < sharing; other++ {
				population.Reader((user+other)%users).IDs(others, 0)
				shared = one.Record(shared, others)
				for _, id := range others[:20] {
					if !slices.Contains(l.shown, id) {
						l.fresh = append(l.fresh, id)
					}
				}
			}
			t.Rates[0].Add(len(l.fresh), l.Count(own, history, l.fresh))
			t.Rates[1].Add(len(l.fresh), l.Count(one, shared, l.fresh))
		}
	}
	p.rows = func(t tally) []results.Row {
		toOthers := by.Of.Is("shown to others")
		return []results.Row{
			rate(alone, results.QFPR, t.Rates[0], own.FPR(single.Paper.Capacity), toOthers),
			rate(together, results.QFPR, t.Rates[1], 1, toOthers),
		}
	}
	return p
}

// Names of what can be recorded: the paper's §5, step 3, says the first, its §2 the second.
const (
	recordPassed = "recording: all that passes the filter"
	recordShown  = "recording: what is shown"
)

const (
	recalledEach  = 40 // unseen candidates of a request, of which the first workload.PerRefresh that pass are shown
	recalledAgain = 200
)

// recording shows a user 500 articles. What passed the filter and was not shown may be recalled again: it is asked for.
func recording() proposal {
	s, full := catalogue.Must(single.New(single.Paper)), single.Paper.Capacity
	begin := func() trial {
		recalled, seen := make([]strategies.ID, recalledEach), make([]bool, recalledEach)
		var histories [2][]byte
		l := newLife(0, 0)
		return func(_ int, reader workload.Reader, t *tally) {
			for way := range histories {
				history, left, shown := histories[way][:0], l.fresh[:0], 0
				for request := 0; shown < full; request++ {
					reader.IDs(recalled, request*recalledEach)
					s.Seen(history, recalled, seen)
					passed := l.shown[:0]
					for i, id := range recalled {
						if !seen[i] {
							passed = append(passed, id)
						}
					}
					now := min(workload.PerRefresh, len(passed))
					left, shown, l.shown = append(left, passed[now:]...), shown+now, passed
					if way == 1 {
						passed = passed[:now]
					}
					history = s.Record(history, passed)
				}
				histories[way], l.fresh = history, left
				left = left[:recalledAgain]
				t.Rates[way].Add(len(left), l.Count(s, history, left))
			}
		}
	}
	rows := func(t tally) []results.Row {
		at := []results.Condition{by.Articles.At(float64(full)), by.Of.Is("passed and not shown")}
		return []results.Row{
			rate(recordPassed, results.QFPR, t.Rates[0], 1, at...),
			// No theory: what passed an emptier filter passes this one less often than what is new.
			row.Rate(results.Proposals, recordShown, results.QFPR, t.Rates[1]).With(at...),
		}
	}
	return proposal{name: "recording", of: 20_000, cost: 50, rates: 2, begin: begin, rows: rows}
}

const zeroing = "zeroing: the bits of one article"

// zeroed takes one article's bits out of a full filter (the lecture's text), and counts the others that are lost.
func zeroed() proposal {
	g, full := single.Paper.Geometry, single.Paper.Capacity
	begin := func() trial {
		l, f := newLife(full, 0), newScaling(g)
		return func(_ int, reader workload.Reader, t *tally) {
			l.begin(reader)
			clear(f.set)
			f.insert(l.shown)
			for _, p := range schemes.MultiplyShift.Positions(f.probes, g, uint64(l.shown[0])) {
				f.set[p] = false
			}
			t.Sums[0] += int64(full - 1 - f.hits(l.shown[1:]))
		}
	}
	rows := func(t tally) []results.Row {
		// An article stays if none of its probes is at a position of the one, of which bloom.Fill is the share.
		theory := float64(full-1) * (1 - math.Pow(1-bloom.Fill(1, g), float64(g.Hashes)))
		lost := row.Mean(t.Sums[0], t.Users)
		return []results.Row{number(zeroing, results.QArticlesLost, "", lost, theory, t.Users, by.Of.Is("others"))}
	}
	return proposal{name: "zeroing", of: 20_000, cost: 50, sums: 1, begin: begin, rows: rows}
}
