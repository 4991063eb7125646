package experiment_test

// experiment example
import (
	"context"

	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/measure"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies"
	"dejavu/workload"
)

// first is the name of the experiment, and afterOne its quantity.
const (
	first    = "first"
	afterOne = "bytes after one refresh"
)

// Experiment is first.
var Experiment = experiment.Experiment{
	Name: first, About: "bytes of a history after a user's first refresh",
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{recorded.Task()} },
	Dimensions: []results.Dimension{by.Articles},
	Rows:       rows, Figures: shown.Figures, Tables: shown.Tables,
}

// shown is its figure and its table, in a room of its own the embedded file figures.toml.
var shown = experiment.Show(`
experiment = "first"

[[figures]]
name = "first"
title = "The first refresh"
caption = "Bytes of a history after ten articles."
query = "bytes after one refresh at articles=*"
strategies = "all"
columns = 1
height = 200

[[figures.panels]]
x = {label = "articles shown"}
y = {label = "bytes", format = "bytes"}
series = [{marks = "bytes after one refresh at articles=*"}]

[[tables]]
title = "Bytes after so many articles"
lines = "bytes after one refresh at articles=*"
columns = [
    {header = "strategy", show = "strategy"},
    {header = "articles", condition = "articles"},
    {header = "bytes", query = "bytes after one refresh at articles=*"},
]
`, experiment.Code{})

// A count is lengths of histories, summed over users, by strategy.
type count struct {
	Users int64
	Bytes []int64
}

// recorded shows every user ten articles.
var recorded = engine.Measurement[count]{
	Name: first, Users: func(s engine.Scope) int { return s.Users }, Cost: 1,
	Make: func(_ context.Context, r *engine.Run, users measure.Range) (count, error) {
		c := count{int64(users.Len()), make([]int64, len(r.Entries))}
		population, err := workload.NewFull(r.Seed, r.Users)
		if err != nil {
			return c, err
		}
		ids := make([]strategies.ID, workload.PerRefresh)
		for i, e := range r.Entries {
			s := r.Subject(e)
			for user := users.From; user < users.To; user++ {
				population.Reader(user).IDs(ids, 0)
				c.Bytes[i] += int64(len(s.Strategy.Record(nil, ids)))
			}
		}
		return c, nil
	},
}

func rows(r *engine.Run) (rows, timing []results.Row, err error) {
	c, err := recorded.Of(r)
	for i, e := range r.Entries {
		if err != nil {
			return nil, nil, err
		}
		r := row.Number(first, e.Name, afterOne, results.Bytes, row.Mean(c.Bytes[i], c.Users))
		rows = append(rows, r.With(by.Articles.At(workload.PerRefresh)).Among(c.Users))
	}
	return rows, nil, err
}

// end of the experiment example
