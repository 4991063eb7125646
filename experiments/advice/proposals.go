package advice

import (
	"context"
	"math"
	"slices"
	"strings"

	"dejavu/beyond/confirmed"
	"dejavu/beyond/counting"
	"dejavu/bloom"
	"dejavu/bloom/schemes"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/single"
	"dejavu/strategies"
	"dejavu/workload"
)

// Proposals measures advice of the sources beside a filter: a second check, growing, deleting, sizes by activity.
var Proposals = experiment.Experiment{
	Name:  results.Proposals,
	About: "what the sources advise beside a filter: a second check, growing, deleting, sizes by activity",
	Needs: func(s engine.Scope) (tasks []engine.Task) {
		for _, p := range proposals(s) {
			tasks = append(tasks, p.measurement())
		}
		return tasks
	},
	Dimensions: []results.Dimension{by.Articles, by.Of},
	Rows:       proposalRows,
	Tables: []text.Table{{
		Title: "What the sources advise beside a filter, tried: measured [theory]",
		Lines: results.Query{Experiment: results.Proposals, Quantity: results.Any},
		Columns: []text.Column{
			text.Strategy("what was tried"), {Header: "what was counted", Write: counted}, {Header: "found", Write: found},
		},
	}},
}

// A proposal is something that a source advises beside its filter.
type proposal struct {
	name  string
	users func(engine.Scope) int
	cost  float64 // microseconds per user

	rates, sums int // lengths of the tally

	begin func() trial              // makes the trial of one worker
	rows  func(tally) []results.Row // makes rows of the sum of all tallies
}

// A tally has the counts of trials: rates, clustered by user, and sums.
type tally struct {
	Rates []measure.Rate `json:"rates"`
	Sums  []int64        `json:"sums"`
	Users int64          `json:"users"`
}

// A trial tries the proposal on one user of a population and counts in t. It may keep memory between users.
type trial func(of workload.Full, user int, t *tally)

// proposals returns them in the order of the article's sections; the last is the paper's.
func proposals(s engine.Scope) []proposal {
	return []proposal{
		eachTheirOwn(), secondCheck(), moving(), grownScalable(), twentyGrowths(), deleting(), zeroed(), byActivity(s),
		recording(),
	}
}

// oneIn returns the number of users of a proposal that one user in n tries.
func oneIn(n int) func(engine.Scope) int {
	return func(s engine.Scope) int { return max(500, s.Users/n) }
}

func (p proposal) measurement() engine.Measurement[tally] {
	return engine.Measurement[tally]{
		Name: "proposals-" + strings.ReplaceAll(p.name, " ", "-"), Users: p.users, Cost: p.cost,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (tally, error) {
			return p.try(ctx, r.Options, catalogue.Must(workload.NewFull(r.Seed, p.users(r.Scope))), users)
		},
	}
}

func (p proposal) try(ctx context.Context, o measure.Options, of workload.Full, users measure.Range) (tally, error) {
	return measure.Each(ctx, o, users, func() (*tally, func(user int)) {
		trial, t := p.begin(), &tally{Rates: make([]measure.Rate, p.rates), Sums: make([]int64, p.sums)}
		return t, func(user int) {
			trial(of, user, t)
			t.Users++
		}
	})
}

func proposalRows(r *engine.Run) (rows, timing []results.Row) {
	for _, p := range proposals(r.Scope) {
		rows = append(rows, p.rows(p.measurement().Of(r))...)
	}
	return rows, nil
}

func rate(name, quantity string, r measure.Rate, theory float64, where ...results.Condition) results.Row {
	return row.Rate(name, quantity, r).Expect(theory).With(where...)
}

func number(name, quantity, unit string, value, theory float64, users int64, where ...results.Condition) results.Row {
	return row.Number(name, quantity, unit, value).Expect(theory).Among(users).With(where...)
}

// A life holds the articles shown to a user, unseen ones, and an asker.
type life struct {
	measure.Asker
	shown, fresh []strategies.ID
}

func newLife(shown, fresh int) *life {
	return &life{shown: make([]strategies.ID, shown), fresh: make([]strategies.ID, fresh)}
}

func (l *life) begin(of workload.Full, user int) {
	reader := of.Reader(user)
	reader.IDs(l.shown, 0)
	reader.IDs(l.fresh, workload.Fresh)
}

func (l *life) missed(s strategies.Strategy, history []byte, articles []strategies.ID) int64 {
	return int64(len(articles) - l.Count(s, history, articles))
}

var (
	paper = catalogue.Must(single.New(single.Paper))
	full  = single.Paper.Capacity
)

// eachTheirOwn asks a user's own filter about what nine others were shown and the user was not (the article, §3).
func eachTheirOwn() proposal {
	begin := func() trial {
		l, others := newLife(full, 0), make([]strategies.ID, 20)
		var history []byte
		return func(of workload.Full, user int, t *tally) {
			l.begin(of, user)
			history, l.fresh = paper.Record(history[:0], l.shown), l.fresh[:0]
			for other := 1; other < 10; other++ {
				of.Reader((user+other)%of.Users()).IDs(others, 0)
				for _, id := range others {
					if !slices.Contains(l.shown, id) {
						l.fresh = append(l.fresh, id)
					}
				}
			}
			t.Rates[0].Add(len(l.fresh), l.Count(paper, history, l.fresh))
		}
	}
	rows := func(t tally) []results.Row {
		of := by.Of.Is("shown to others")
		return []results.Row{rate("users: a filter each", results.QFPR, t.Rates[0], paper.FPR(full), of)}
	}
	return proposal{name: "users", users: oneIn(20_000), cost: 10, rates: 1, begin: begin, rows: rows}
}

// recording records all that passes the filter, as the paper's §5 says in step 3, until a user was shown 500 articles.
// What passed and was not shown may be recalled again: it is asked for.
func recording() proposal {
	const each, again = 40, 200 // unseen candidates of a request, and those asked for at the end
	begin := func() trial {
		recalled, seen, l := make([]strategies.ID, each), make([]bool, each), newLife(0, 0)
		var history []byte
		return func(of workload.Full, user int, t *tally) {
			reader, shown := of.Reader(user), 0
			history, l.fresh = history[:0], l.fresh[:0]
			for request := 0; shown < full; request++ {
				reader.IDs(recalled, request*each)
				paper.Seen(history, recalled, seen)
				l.shown = l.shown[:0]
				for i, id := range recalled {
					if !seen[i] {
						l.shown = append(l.shown, id)
					}
				}
				now := min(workload.PerRefresh, len(l.shown)) // the first that pass are shown
				l.fresh, shown = append(l.fresh, l.shown[now:]...), shown+now
				history = paper.Record(history, l.shown)
			}
			t.Rates[0].Add(again, l.Count(paper, history, l.fresh[:again]))
		}
	}
	rows := func(t tally) []results.Row {
		at := []results.Condition{by.Articles.At(float64(full)), by.Of.Is("passed and not shown")}
		return []results.Row{rate("recording: all that passes the filter", results.QFPR, t.Rates[0], 1, at...)}
	}
	return proposal{name: "recording", users: oneIn(20_000), cost: 25, rates: 1, begin: begin, rows: rows}
}

// zeroed takes one article's bits out of a full filter (the lecture's text), and counts the others that are lost.
func zeroed() proposal {
	g := single.Paper.Geometry
	begin := func() trial {
		l, f := newLife(full, 0), newScaling(g)
		return func(of workload.Full, user int, t *tally) {
			l.begin(of, user)
			clear(f.set)
			f.insert(l.shown)
			for _, p := range schemes.MultiplyShift.Positions(f.probes, g, uint64(l.shown[0])) {
				f.set[p] = false
			}
			t.Sums[0] += int64(full - 1 - f.hits(l.shown[1:]))
		}
	}
	rows := func(t tally) []results.Row {
		// An article stays if no probe hits a position of the deleted one, whose share is bloom.Fill.
		theory := float64(full-1) * (1 - math.Pow(1-bloom.Fill(1, g), float64(g.Hashes)))
		return []results.Row{number("zeroing: the bits of one article", results.QArticlesLost, "",
			row.Mean(t.Sums[0], t.Users), theory, t.Users, by.Of.Is("others"))}
	}
	return proposal{name: "zeroing", users: oneIn(20_000), cost: 50, sums: 1, begin: begin, rows: rows}
}

// secondCheck asks a list of the newest articles as well as the filter (the article, §3), in every possible reading: an
// article is seen if both have it, if either has it, or if either has it and the filter holds what has left the list.
func secondCheck() proposal {
	const last, fresh = 100, 200
	ahead := catalogue.Must(confirmed.New(confirmed.Config{Inner: paper, Last: last}))
	begin := func() trial {
		l := newLife(full, fresh)
		var history, behind []byte
		return func(of workload.Full, user int, t *tally) {
			l.begin(of, user)
			older, newest := l.shown[:full-last], l.shown[full-last:]
			history, behind = paper.Record(history[:0], l.shown), ahead.Record(behind[:0], l.shown)
			for i, ids := range [][]strategies.ID{l.fresh, older} {
				filter, both, either := make([]bool, len(ids)), 0, 0
				paper.Seen(history, ids, filter)
				for j, seen := range filter {
					listed := slices.Contains(newest, ids[j])
					if seen && listed {
						both++
					}
					if seen || listed {
						either++
					}
				}
				for way, hits := range []int{measure.Count(filter, true), both, either, l.Count(ahead, behind, ids)} {
					t.Rates[2*way+i].Add(len(ids), hits)
				}
			}
		}
	}
	rows := func(t tally) (rows []results.Row) {
		both := last * math.Exp2(-64) // the chance that an article not listed has the ID of one that is
		for i, way := range []struct {
			name       string
			fpr, older float64
		}{
			{"none", paper.FPR(full), 1}, {"both", both, both}, {"beside", paper.FPR(full), 1}, {"ahead", ahead.FPR(full), 1},
		} {
			name := "second check: " + way.name
			rows = append(rows, rate(name, results.QFPR, t.Rates[2*i], way.fpr),
				rate(name, results.QRecognised, t.Rates[2*i+1], way.older))
		}
		return rows
	}
	return proposal{name: "second check", users: oneIn(2000), cost: 40, rates: 8, begin: begin, rows: rows}
}

// deleting takes articles back from a filter of counters (§4, §6): some that were shown, and one that only seemed so.
func deleting() proposal {
	const (
		name       = results.Beyond + "counting"
		taken      = 50  // articles of a full filter that the user takes back
		candidates = 400 // fresh ones, among which is a false positive with a chance of 0.9997
	)
	c := counting.Paper
	s := catalogue.Must(counting.New(c))
	begin := func() trial {
		l := newLife(c.Capacity, candidates)
		deleted, left := l.shown[:taken], l.shown[taken:]
		var whole, history []byte
		seen := make([]bool, candidates)
		return func(of workload.Full, user int, t *tally) {
			l.begin(of, user)
			whole = s.Record(whole[:0], l.shown)
			history = s.Delete(append(history[:0], whole...), deleted)
			t.Rates[0].Add(taken, l.Count(s, history, deleted))
			t.Sums[0] += l.missed(s, history, left)
			s.Seen(whole, l.fresh, seen)
			if i := slices.Index(seen, true); i >= 0 {
				history = s.Delete(append(history[:0], whole...), l.fresh[i:i+1])
				t.Sums[1]++
				t.Sums[2] += l.missed(s, history, l.shown)
			}
		}
	}
	rows := func(t tally) []results.Row {
		left, each := c.Capacity-taken, row.Mean(t.Sums[2], t.Sums[1])
		bytes := float64(s.Bytes(c.Capacity)) / float64(paper.Bytes(c.Capacity))
		return []results.Row{
			rate(name, results.QDeletedRecognised, t.Rates[0], bloom.Exact(left, c.Geometry)),
			number(name, results.QArticlesLost, "", float64(t.Sums[0]), 0, t.Users*int64(left), by.Of.Is("others")),
			number(name, results.QArticlesLost, "", each, s.LostByOne(c.Capacity), t.Sums[1],
				by.Of.Is("deleted false positives")), // for each
			number(name, results.QBytesOverSingle, "times", bytes, bytes, 0),
		}
	}
	return proposal{name: "deleting", users: oneIn(2000), cost: 35, rates: 1, sums: 3, begin: begin, rows: rows}
}

// counted names the quantity of a row and its conditions.
func counted(r ...results.Row) string {
	if r[0].Where == "" {
		return r[0].Quantity
	}
	return r[0].Quantity + " at " + string(r[0].Where)
}

// found writes the value of a row and, unless it is in bytes, what theory expects in brackets.
func found(r ...results.Row) string {
	row, s := r[0], text.Of(r[0])
	if row.Quantity == results.QRecognised || row.Quantity == "deleted recognised" {
		s = text.Share(row)
	}
	if row.Unit == "times" {
		s += " times"
	}
	switch {
	case !row.Theory.IsSet() || row.Unit == results.Bytes:
		return s
	case row.Unit == results.Ratio:
		return s + " [" + text.Percent(row.Theory.Or(0)) + "]"
	}
	return s + " [" + row.Theory.String() + "]"
}
