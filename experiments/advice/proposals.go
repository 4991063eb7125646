package advice

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"dejavu/beyond/scalable"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// Proposals measures advice of the sources beside a filter: a second check, growing, deleting, sizes by activity.
var Proposals = experiment.Experiment{
	Name:  results.Proposals,
	About: "what the sources advise beside a filter: a second check, growing, deleting, sizes by activity",
	Needs: func(s engine.Scope) (tasks []engine.Task) {
		for _, p := range sources(s) {
			tasks = append(tasks, p.measurement())
		}
		return tasks
	},
	Dimensions: []results.Dimension{by.Articles, by.Class, by.Statistic, by.Of},
	Rows:       rows, Figures: figures, Tables: tables,
}

// A proposal is something that a source advises beside its filter.
type proposal struct {
	name string
	of   int     // one user in this many tries it
	few  int     // if not 0, one in a hundred, up to this many
	cost float64 // microseconds per user

	rates, sums int // lengths of the tally

	prepare func() error              // called first; may be nil
	begin   func() trial              // makes the trial of one worker
	rows    func(tally) []results.Row // makes rows of the sum of all tallies
}

// A tally has the counts of trials: rates, clustered by user, and sums.
type tally struct {
	Rates []measure.Rate `json:"rates"`
	Sums  []int64        `json:"sums"`
	Users int64          `json:"users"`
}

// A trial tries the proposal on one user and counts in t. It may keep memory between users.
type trial func(user int, reader workload.Reader, t *tally)

// sources lists the proposals in the order of the article's sections; the last is the paper's.
func sources(s engine.Scope) []proposal {
	return []proposal{
		eachTheirOwn(s), secondCheck(), moving(), grownScalable(), twentyGrowths(s), deleting(), zeroed(), byActivity(s),
		recording(),
	}
}

func (p proposal) users(s engine.Scope) int {
	if p.few > 0 {
		return min(p.few, max(30, s.Users/100))
	}
	return max(500, s.Users/p.of)
}

func (p proposal) measurement() engine.Measurement[tally] {
	return engine.Measurement[tally]{
		Name: "proposals-" + strings.ReplaceAll(p.name, " ", "-"), Users: p.users, Cost: p.cost,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (total tally, err error) {
			if err := p.ready(); err != nil {
				return total, err
			}
			return p.try(ctx, r.Options, catalogue.Must(workload.NewFull(r.Seed, p.users(r.Scope))), users)
		},
	}
}

func (p proposal) ready() error {
	if p.prepare == nil {
		return nil
	}
	if err := p.prepare(); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

func (p proposal) try(ctx context.Context, o measure.Options, of workload.Full, users measure.Range) (tally, error) {
	return measure.Each(ctx, o, users, func() (*tally, func(user int)) {
		trial, t := p.begin(), &tally{Rates: make([]measure.Rate, p.rates), Sums: make([]int64, p.sums)}
		return t, func(user int) {
			trial(user, of.Reader(user), t)
			t.Users++
		}
	})
}

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	for _, p := range sources(r.Scope) {
		found, err := p.measurement().Of(r)
		if err := cmp.Or(err, p.ready()); err != nil {
			return nil, nil, err
		}
		rows = append(rows, p.rows(found)...)
	}
	return rows, nil, nil
}

func rate(name, quantity string, r measure.Rate, theory float64, where ...results.Condition) results.Row {
	return row.Rate(results.Proposals, name, quantity, r).Expect(theory).With(where...)
}

func number(name, quantity, unit string, value, theory float64, users int64, where ...results.Condition) results.Row {
	return row.Number(results.Proposals, name, quantity, unit, value).Expect(theory).Among(users).With(where...)
}

// given returns the row of a number that follows from theory and is not counted.
func given(name, quantity, unit string, value float64, users int64, where ...results.Condition) results.Row {
	return number(name, quantity, unit, value, value, users, where...)
}

// A life has the articles that a user is shown, unseen ones, and an asker.
type life struct {
	measure.Asker
	shown, fresh []strategies.ID
}

func newLife(shown, fresh int) *life {
	return &life{shown: make([]strategies.ID, shown), fresh: make([]strategies.ID, fresh)}
}

func (l *life) begin(reader workload.Reader) {
	reader.IDs(l.shown, 0)
	reader.IDs(l.fresh, workload.Fresh)
}

func (l *life) missed(s strategies.Strategy, history []byte, articles []strategies.ID) int64 {
	return int64(len(articles) - l.Count(s, history, articles))
}

// twenty is a filter that begins with one article and may grow twenty times.
var twenty = scalable.Config{First: 1, Growth: 2, FPR: 0.05, Tightening: 0.9, Stages: 21}

const (
	twentyName  = "growing: twenty times"
	twentyUsers = 200 // filters: those asked of one have its fill in common, and two would have no interval
	twentyFresh = 400 // unseen candidates of a filter, the same at the end of every stage

	twentyOwn   = 16 // stages that a filter has of its own, 65,535 articles: small ones differ in their luck
	twentyGroup = 10 // filters that are shown the same articles from there on, where no two would differ
)

// twentyGrowths grows filters from one article to two million. Filters of a group share the articles of the large
// stages, which are recorded once; each is asked for unseen articles of its own.
func twentyGrowths(scope engine.Scope) proposal {
	p := stages(twentyName, twenty, twenty.Stages, twentyFresh, twentyFresh)
	p.name, p.few, p.cost = "twenty growths", twentyUsers, 1.5e4
	s, ends := catalogue.Must(scalable.New(twenty)), stageEnds(twenty, twenty.Stages)
	own, last := ends[twentyOwn-1], ends[len(ends)-1]
	ownBytes := s.Sizes()[twentyOwn-1] - s.HeaderBytes()
	p.begin = func() trial {
		population := catalogue.Must(workload.NewFull(scope.Seed, p.users(scope)))
		l, ids := newLife(own, twentyFresh), make([]strategies.ID, last)
		var common [][]byte // of the group, at the end of each stage that is not a filter's own
		group := -1
		return func(user int, _ workload.Reader, t *tally) {
			member := user % twentyGroup
			reader := population.Reader(user - member)
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
				if i < twentyOwn {
					history = s.Record(history, l.shown[from:end])
					t.Rates[i].Add(twentyFresh, l.Count(s, history, l.fresh))
					from = end
					continue
				}
				grown := common[i-twentyOwn]
				copy(grown, history[:ownBytes])
				t.Rates[i].Add(twentyFresh, l.Count(s, grown, l.fresh))
			}
		}
	}
	return p
}
