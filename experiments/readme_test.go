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
	"dejavu/results"
)

// The tables of README.md and of docs are the committed reference run's, and what they
// say of other libraries the committed run of the peers.
func TestREADME(t *testing.T) {
	reference, ok := results.Reference(results.DefaultUsers, results.DefaultSeed)
	if !ok {
		t.Fatalf("no committed reference of %d users and seed %d", results.DefaultUsers, results.DefaultSeed)
	}
	cells := results.NewCells(reference.All())
	check := func(document, name string, table results.Table) {
		table.Title = "" // the document has a sentence for it
		golden.Document(t, document, name, strings.TrimSpace(table.Markdown())+"\n")
	}
	check("README.md", "headline", table1.Headline(cells))
	check("docs/results.md", "table1", table1.Experiment.Tables(cells)[0])
	check("docs/beyond.md", "tradeoff", tradeoff.Experiment.Tables(cells)[0])

	peers, err := results.PeersReference()
	if err != nil {
		t.Fatal(err)
	}
	golden.Document(t, "docs/peers.md", "peers", standing.Text(peers))

	live, err := results.LiveReference()
	if err != nil {
		t.Fatal(err)
	}
	real := results.NewCells(append(reference.All(), live.All()...))
	check("docs/live.md", "live", pipeline.RealTable(real))
	check("docs/live.md", "shipped", ship.RealTable(real))

	plain, err := results.PlainReference()
	if err != nil {
		t.Fatal(err)
	}
	check("docs/library.md", "vectors", vectorsTable(t, results.NewCells(plain.All()), cells))
}

// vectorsTable compares a run with vectors with one by the plain kernels: times of a request of
// 40 candidates, and of a cold one in a batch over the larger of what its arithmetic
// and its memory take alone.
func vectorsTable(t *testing.T, plain, vector results.Cells) results.Table {
	t.Helper()
	table := results.Table{Header: []string{"strategy", "hot, plain", "with vectors", "cold over its floor, plain", "with vectors"}}
	for _, name := range []string{"single", "dual", "chain"} {
		line := []string{name}
		for _, quantity := range []string{results.QHotP50, results.QTogetherOverFloor} {
			for _, run := range []results.Cells{plain, vector} {
				row, ok := run.Find(results.Latency, name, "40", quantity)
				if !ok {
					t.Fatalf("no %s of %s", quantity, name)
				}
				text := fmt.Sprintf("%.0f ns (%.0f to %.0f)", row.Value.Or(0), row.Low.Or(0), row.High.Or(0))
				if quantity == results.QTogetherOverFloor {
					text = fmt.Sprintf("%.2f (%.2f to %.2f)", row.Value.Or(0), row.Low.Or(0), row.High.Or(0))
				}
				line = append(line, text)
			}
		}
		table.Rows = append(table.Rows, line)
	}
	return table
}
