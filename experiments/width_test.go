package main

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"dejavu/experiments/ledger"
	"dejavu/internal/document"
	"dejavu/results"
)

// Every table of the committed runs fits terminals, and breaks no word of its cells.
func TestTablesFitTerminals(t *testing.T) {
	for _, users := range []int{results.DefaultUsers, 20000} {
		run, ok := results.Reference(users, results.DefaultSeed)
		if !ok {
			t.Fatalf("no committed run of %d users", users)
		}
		live, err := results.Committed(results.LiveDir)
		if err != nil {
			t.Fatal(err)
		}
		cells := results.NewCells(append(run.All(), live.All()...))
		l := ledger.Of(run)
		tables := []document.Table{l.Verdicts(true), l.Grounds(), l.Judged()}
		for _, f := range l.Findings {
			tables = append(tables, l.Full(f))
		}
		for _, x := range experiments {
			if x.Tables != nil {
				tables = append(tables, x.Tell(cells)...)
			}
		}
		for _, table := range tables {
			for _, columns := range []int{60, 80} {
				fits(t, table, columns)
			}
		}
	}
}

// fits fails the test where a table has a wider line than a terminal, or not every word.
func fits(t *testing.T, table document.Table, columns int) {
	t.Helper()
	shown := table.Within(columns)
	words := map[string]bool{}
	for word := range strings.FieldsSeq(shown) {
		words[strings.TrimSuffix(word, ":")] = true // as of a name before its cell
	}
	for line := range strings.Lines(shown) {
		if n := text.StringWidth(strings.TrimSuffix(line, "\n")); n > columns {
			t.Errorf("%s: a line of %d in %d columns: %s", table.Title, n, columns, line)
		}
	}
	for _, row := range append(table.Rows, table.Header[1:]) {
		for _, cell := range row {
			for word := range strings.FieldsSeq(cell) {
				if !words[strings.TrimSuffix(word, ":")] && word != "–" {
					t.Errorf("%s: %q is broken in %d columns", table.Title, word, columns)
				}
			}
		}
	}
}
