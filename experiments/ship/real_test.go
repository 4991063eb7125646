package ship

import (
	"strings"
	"testing"

	"dejavu/results"
)

// The committed rows of the real service make a table beside this experiment's own; where
// there are none there is no table.
func TestRealTable(t *testing.T) {
	live, err := results.LiveReference()
	if err != nil {
		t.Fatal(err)
	}
	text := RealTable(results.NewCells(live.All())).Markdown()
	for _, want := range []string{"| the wire of this experiment | – |", "| Connect | 933 B / 755 B |", "| gRPC |", "| Redis |"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %q:\n%s", want, text)
		}
	}
	with, without := tables(results.NewCells(live.All())), tables(results.NewCells(nil))
	if len(with) != len(without)+1 {
		t.Errorf("%d tables with the rows, %d without", len(with), len(without))
	}
}
