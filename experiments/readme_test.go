package main

import (
	"fmt"
	"strings"
	"testing"

	"dejavu/experiments/golden"
	"dejavu/experiments/peers/standing"
	"dejavu/experiments/pipeline"
	"dejavu/experiments/ship"
	"dejavu/experiments/table1"
	"dejavu/experiments/tradeoff"
	"dejavu/internal/document"
	"dejavu/results"
	"dejavu/results/by"
	"dejavu/strategies/strategytest"
)

// The tables of README.md and of docs are the committed reference run's, and what they
// say of other libraries the committed run of the peers.
func TestREADME(t *testing.T) {
	reference, ok := results.Reference(results.DefaultUsers, results.DefaultSeed)
	if !ok {
		t.Fatalf("no committed reference of %d users and seed %d", results.DefaultUsers, results.DefaultSeed)
	}
	cells := results.NewCells(reference.All())
	check := func(file, name string, table document.Table) {
		table.Title = "" // the document has a sentence for it
		golden.Document(t, file, name, strings.TrimSpace(table.Markdown())+"\n")
	}
	check("README.md", "headline", table1.Headline.Of(cells))
	check("docs/results.md", "table1", table1.Experiment.Tell(cells)[0])
	check("docs/beyond.md", "tradeoff", tradeoff.Experiment.Tell(cells)[0])
	check("docs/beyond.md", "windows", tradeoff.Experiment.Tell(cells)[1])

	peers := strategytest.Value(results.Committed(results.PeersDir))
	golden.Document(t, "docs/peers.md", "peers", document.Markdown(standing.Report(peers)...))

	live := strategytest.Value(results.Committed(results.LiveDir))
	real := results.NewCells(append(reference.All(), live.All()...))
	check("docs/live.md", "live", pipeline.Real.Of(real))
	check("docs/live.md", "shipped", ship.Real.Of(real))

	plain := strategytest.Value(results.Committed("plain"))
	check("docs/library.md", "vectors", vectorsTable(t, results.NewCells(plain.All()), cells))
}

// vectorsTable compares a run with vectors with one by the plain kernels: times of a request of 40
// candidates, and of a cold one in a batch over the larger of what its arithmetic and its memory take alone.
func vectorsTable(t *testing.T, plain, vector results.Cells) document.Table {
	t.Helper()
	table := document.Table{Header: []string{
		"strategy", "hot, plain", "with vectors", "cold over its floor, plain", "with vectors",
	}}
	request := by.Candidates.At(40)
	for _, name := range []string{"single", "dual", "chain"} {
		line := []string{name}
		for _, column := range []struct {
			query        results.Query
			digits, unit string
		}{
			{results.Find(results.QRequestTime, request, by.History.Is("hot"), by.Statistic.Is("p50")), "%.0f", " ns"},
			{results.Find(results.QTimeRatio, request, by.History.Is("together"), by.Over.Is("hot or touch")), "%.2f", ""},
		} {
			for _, run := range []results.Cells{plain, vector} {
				row, ok := run.One(column.query.In(results.Latency).Of(name))
				if !ok {
					t.Fatalf("no %s of %s", column.query, name)
				}
				format := column.digits + column.unit + " (" + column.digits + " to " + column.digits + ")"
				line = append(line, fmt.Sprintf(format, row.Value.Or(0), row.Low.Or(0), row.High.Or(0)))
			}
		}
		table.Rows = append(table.Rows, line)
	}
	return table
}
