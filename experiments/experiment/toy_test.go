package experiment_test

// experiment example
import (
	"context"
	"io"
	"testing"

	"dejavu/experiments/catalogue"
	"dejavu/experiments/experiment"
	"dejavu/experiments/row"
	"dejavu/experiments/run"
	"dejavu/experiments/suite"
	"dejavu/experiments/text"
	"dejavu/measure"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/strategies"
	"dejavu/workload"
)

// first is the name of the experiment, and afterOne its quantity; x is the articles.
const (
	first    = "first"
	afterOne = "bytes after one refresh"
)

// Experiment is first.
var Experiment = experiment.Experiment{
	Name: first, About: "bytes of a history after a user's first refresh",
	Needs: func(run.Scope) []run.Task { return []run.Task{recorded.Task()} },
	Rows:  rows, Tables: tables,
	Figures: []plots.Figure{{
		Name: first, Title: "The first refresh", Caption: "Bytes of a history after ten articles.",
		Experiment: first, Quantity: afterOne, Strategies: plots.All, Build: figure,
	}},
}

// A count is lengths of histories, summed over users, by strategy.
type count struct {
	Users int64
	Bytes []int64
}

// recorded shows every user ten articles.
var recorded = run.Measurement[count]{
	Name: first, Users: func(s run.Scope) int { return s.Users }, Cost: 1,
	Make: func(_ context.Context, r *run.Run, users measure.Range) (count, error) {
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

func rows(r *run.Run) (rows, timing []results.Row, err error) {
	c, err := recorded.Of(r)
	for i, e := range r.Entries {
		if err != nil {
			return nil, nil, err
		}
		r := row.Number(first, e.Name, afterOne, results.Bytes, row.Mean(c.Bytes[i], c.Users))
		r.X, r.Count = results.Num(workload.PerRefresh), c.Users
		rows = append(rows, r)
	}
	return rows, nil, err
}

func tables(c results.Cells) []results.Table {
	return []results.Table{text.ByStrategy(c, "Bytes after so many articles", first, afterOne, catalogue.Names(), []string{"10"}, text.Of)}
}

func figure(d plots.Data) plots.Sheet {
	p := &plots.Panel{X: plots.Axis{Label: "articles shown"}, Y: plots.Axis{Label: "bytes", Format: plots.Bytes}}
	for _, s := range d.Curves(afterOne, "") {
		p.Add(s)
	}
	return plots.Sheet{Grid: plots.Grid(1, p), Height: 200}
}

func TestFirst(t *testing.T) {
	r := run.New(t.Context(), run.Scope{Users: 100, Seed: 1, Entries: catalogue.All()}, run.NewProgress(io.Discard))
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
