package experiment_test

// experiment example
import (
	"context"
	"io"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/engine"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/suite"
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
	Needs:      func(engine.Scope) []engine.Task { return []engine.Task{recorded.Task()} },
	Dimensions: []results.Dimension{by.Articles},
	Rows:       rows, Tables: []text.Table{table},
	Figures: []plots.Figure{{
		Name: first, Title: "The first refresh", Caption: "Bytes of a history after ten articles.",
		Experiment: first, Query: byArticles, Strategies: plots.All, Build: figure,
	}},
}

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
			s, err := r.Subject(e)
			if err != nil {
				return c, err
			}
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

// byArticles leaves the articles open, and the table the strategy, too.
var (
	byArticles = results.Find(afterOne, by.Articles.Open()).In(first)
	table      = text.Table{
		Title: "Bytes after so many articles", Lines: byArticles.Of(results.Any),
		Columns: []text.Column{
			text.Strategy(), text.Condition("articles", by.Articles),
			text.Cell("bytes", byArticles.Of(results.Any), text.Of),
		},
	}
)

func figure(d plots.Data) plots.Sheet {
	p := &plots.Panel{X: plots.Axis{Label: "articles shown"}, Y: plots.Axis{Label: "bytes", Format: plots.Bytes}}
	for _, s := range d.Lines(byArticles, results.Query{}) {
		p.Add(s)
	}
	return plots.Sheet{Grid: plots.Grid(1, p), Height: 200}
}

func TestFirst(t *testing.T) {
	r := engine.New(t.Context(), engine.Scope{Users: 100, Seed: 1, Entries: catalogue.All()}, engine.NewProgress(io.Discard))
	r.Out = t.TempDir()
	m, err := suite.Run(r, []experiment.Experiment{Experiment}, suite.Manifest(r, nil, ""))
	if err != nil || m.Failures() != nil {
		t.Fatal(err, m.Failures())
	}
	found, err := results.ReadDir(r.Out)
	if err != nil || len(found.Rows) != len(r.Entries) {
		t.Fatalf("%d rows, %v", len(found.Rows), err)
	}
	if drawn, err := plots.Draw(Experiment.Figures, found.Rows, r.Out); err != nil || drawn[0].Skipped != "" {
		t.Errorf("the figure: %q, %v", drawn[0].Skipped, err)
	}
}

// end of the experiment example
