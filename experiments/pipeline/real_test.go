package pipeline

import (
	"testing"

	"dejavu/results"
)

// The committed rows of the real service make a line for each log, and every article was
// filtered when the next call asked; where there are no rows there is no table.
func TestRealTable(t *testing.T) {
	live, err := results.LiveReference()
	if err != nil {
		t.Fatal(err)
	}
	cells := results.NewCells(live.All())
	for _, log := range results.LiveLogs {
		r, ok := cells.Find(results.Pipeline, "chain", "", results.QNotFiltered+log)
		if !ok || r.Value.Or(1) != 0 || r.Count == 0 {
			t.Errorf("%s: %+v, want none of some", log, r)
		}
	}
	if n := len(RealTable(cells).Rows); n != len(results.LiveLogs) {
		t.Errorf("%d lines, want %d", n, len(results.LiveLogs))
	}
	if with, without := tables(cells), tables(results.NewCells(nil)); len(with) != len(without)+1 {
		t.Errorf("%d tables with the rows, %d without", len(with), len(without))
	}
}
