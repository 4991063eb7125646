package experiment_test

import (
	"context"

	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/plots"
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
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{recorded} },
	Dimensions: []results.Dimension{by.Articles},
	Rows:       rows, Figures: figures, Tables: tables,
}

// bytesAfter are the bytes by articles shown.
var bytesAfter = results.Find(afterOne, by.Articles.Open())

var figures = []plots.Figure{{
	Name: first, Experiment: first, Query: bytesAfter, Strategies: plots.All,
	Title: "The first refresh", Caption: "Bytes of a history after ten articles.",
	Build: func(d plots.Data) plots.Sheet {
		p := &plots.Panel{X: plots.Axis{Label: "articles shown"}, Y: plots.Axis{Label: "bytes", Format: plots.Bytes}}
		p.Add(d.Series(bytesAfter)...)
		return plots.Sheet{Columns: 1, Height: 200, Panels: []*plots.Panel{p}, Note: "Marks: measured."}
	},
}}

var tables = []text.Table{{
	Title: "Bytes after the first refresh",
	Lines: bytesAfter.In(first),
	Columns: []text.Column{
		text.Strategy("strategy"), text.Condition("articles", by.Articles),
		text.Value("bytes", "bytes after one refresh at articles=*", text.Of),
	},
}}

// A count is lengths of histories, summed over users, by strategy.
type count struct {
	Users int64
	Bytes []int64
}

// recorded shows every user ten articles.
var recorded = engine.Measurement[count]{
	Name: first, Users: func(s engine.Scope) int { return s.Users }, Cost: 1,
	Make: func(ctx context.Context, r *engine.Run, users measure.Range) (count, error) {
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
		return c, ctx.Err()
	},
}

func rows(r *engine.Run) (rows, timing []results.Row) {
	c := recorded.Of(r)
	for i, e := range r.Entries {
		r := row.Number(e.Name, afterOne, results.Bytes, row.Mean(c.Bytes[i], c.Users))
		rows = append(rows, r.With(by.Articles.At(workload.PerRefresh)).Among(c.Users))
	}
	return rows, nil
}
