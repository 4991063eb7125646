package proposals

import (
	"context"
	"fmt"
	"strings"

	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// Experiment is proposals.
var Experiment = experiment.Experiment{
	Name: results.Proposals, About: "what the sources advise beside a filter: a second check, growing, deleting, sizes by activity",
	Needs: func(s engine.Scope) (tasks []engine.Task) {
		for _, p := range sources(s) {
			tasks = append(tasks, p.measurement().Task())
		}
		return tasks
	},
	Dimensions: []results.Dimension{by.Articles, by.Class, by.Statistic, by.Of},
	Rows:       rows, Figures: Figures, Tables: []text.Table{table},
}

// A proposal is something that a source advises beside its filter, built and
// tried.
type proposal struct {
	name string
	of   int     // one user in so many tries it
	few  int     // or, not 0, so many for any number of users
	cost float64 // of a user, in microseconds

	rates, sums int // of the tally

	// build makes what is tried: begin makes the trial of one worker, and rows are what
	// the tally comes to.
	build func() (begin func() Trial, rows func(Tally) []results.Row, err error)
}

// sources lists the proposals in the order of the article's sections.
func sources(s engine.Scope) []proposal {
	return []proposal{secondCheck(), moving(), grownScalable(), twentyGrowths(), deleting(), byActivity(s)}
}

// users is how many users try a proposal.
func (p proposal) users(s engine.Scope) int {
	if p.few > 0 {
		return p.few
	}
	return max(500, s.Users/p.of)
}

// measurement tries a proposal.
func (p proposal) measurement() engine.Measurement[Tally] {
	return engine.Measurement[Tally]{
		Name: "proposals-" + strings.ReplaceAll(p.name, " ", "-"), Users: p.users, Cost: p.cost,
		Make: func(ctx context.Context, r *engine.Run, users measure.Range) (Tally, error) {
			begin, _, err := p.build()
			if err != nil {
				return Tally{}, fmt.Errorf("%s: %w", p.name, err)
			}
			population, err := workload.NewFull(r.Seed, p.users(r.Scope))
			if err != nil {
				return Tally{}, err
			}
			return Trials(ctx, r.Options, population, users, p.rates, p.sums, begin)
		},
	}
}

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	for _, p := range sources(r.Scope) {
		tally, err := p.measurement().Of(r)
		if err != nil {
			return nil, nil, err
		}
		_, of, err := p.build()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", p.name, err)
		}
		rows = append(rows, of(tally)...)
	}
	return rows, nil, nil
}

// proposedRate is the row of a rate, with its theory.
func proposedRate(name, quantity string, r measure.Rate, theory float64) results.Row {
	return row.Rate(results.Proposals, name, quantity, r).Expect(theory)
}

// proposedNumber is the row of a number counted over so many users, with its theory.
func proposedNumber(name, quantity, unit string, value, theory float64, users int64) results.Row {
	return row.Number(results.Proposals, name, quantity, unit, value).Expect(theory).Among(users)
}

// A life is the memory of a trial: articles shown, fresh ones, and an asker.
type life struct {
	measure.Asker
	shown, fresh []strategies.ID
}

func newLife(shown, fresh int) *life {
	return &life{shown: make([]strategies.ID, shown), fresh: make([]strategies.ID, fresh)}
}

// begin fills the memory with a user's articles.
func (l *life) begin(reader workload.Reader) {
	reader.IDs(l.shown, 0)
	reader.IDs(l.fresh, workload.Fresh)
}
