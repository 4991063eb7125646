package document

import (
	"fmt"
	"strings"
	"testing"

	"dejavu/internal/golden"
	"dejavu/strategies/strategytest"
)

// A table too wide for a terminal is shown row by row.
func TestGoldenWide(t *testing.T) {
	numbers := Table{
		Title: "Numbers of some width", Header: []string{"name", "first one", "second one", "third", "fourth one"},
		Rows: [][]string{{"single", "12345", "2.5 %", "–", "123456789"}, {"dual one", "1", "", "3 GB", "2"}, {"", "3 of 4"}},
	}
	sentences := Table{
		Header: []string{"what", "says", "says too"},
		Rows:   [][]string{{"one", strings.Repeat("seven words that go on and on ", 4), strings.Repeat("and more ", 15)}},
	}
	var b strings.Builder
	show := func(what string, table Table, columns int) {
		fmt.Fprintf(&b, "%s, in %d\n%s", what, columns, table.Within(columns))
	}
	show("exactly", numbers, 47)
	show("by rows", numbers, 46)
	show("a tall cell", sentences, 34)
	golden.File(t, "wide.golden", b.String())
}

// Words that fill a line exactly fit on it, and of two breakable columns the wider one is broken.
func TestFit(t *testing.T) {
	two := Table{Header: []string{"a", "b"}, Rows: [][]string{{"aa aa aa", "bb bb bb bb"}, {"a", "bb"}, nil}}
	for columns, want := range map[int][]int{26: {8, 11, 3}, 25: {8, 10, 4}, 23: {8, 8, 4}, 22: {7, 8, 4}, 11: {2, 2, 6}, 10: {0}} {
		widths, lines := two.fit(columns)
		strategytest.EqualSlices(t, append(widths, lines), want, "in %d", columns)
	}
}
