package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"dejavu/internal/golden"
	"dejavu/strategies/strategytest"
)

// A table too wide for a terminal is split, with the first column again. One with many rows, or a word that leaves no
// room, is shown row by row.
func TestGoldenWide(t *testing.T) {
	numbers := Table{
		Title: "Numbers of some width", Header: []string{"name", "first one", "second one", "third", "fourth one"},
		Rows: [][]string{{"single", "12345", "2.5 %", "–", "123456789"}, {"dual one", "1", "", "3 GB", "2"}, {"", "3 of 4"}},
	}
	many := numbers
	many.Rows = slices.Repeat(numbers.Rows[:2], 1+screen/2)
	long := numbers
	long.Rows = append(slices.Clone(numbers.Rows), []string{"this/is/a/path/without/an/end", "2"})
	sentences := Table{
		Header: []string{"what", "says", "says too"},
		Rows:   [][]string{{"one", strings.Repeat("seven words that go on and on ", 4), strings.Repeat("and more ", 15)}},
	}
	var b strings.Builder
	show := func(what string, table Table, columns int) {
		lines := strings.SplitAfter(table.Within(columns), "\n")
		fmt.Fprintf(&b, "%s, in %d\n%s", what, columns, strings.Join(lines[:min(len(lines), 24)], ""))
	}
	show("exactly", numbers, 47)
	show("split", numbers, 46)
	show("split in more", numbers, 31)
	show("by rows", Table{Title: many.Title, Header: many.Header, Rows: many.Rows}, 34)
	show("a long word", long, 34)
	show("a tall cell", sentences, 34)
	golden.File(t, "wide.golden", b.String())
	all := numbers
	all.Rows = slices.Repeat(numbers.Rows[:1], screen) // the most rows looked at together
	if text := all.Within(40); !strings.HasPrefix(text, "┌") {
		t.Errorf("%d rows are shown one by one:\n%s", screen, text)
	}
}

// Words that fill a line exactly fit on it.
func TestHeights(t *testing.T) {
	cells := Table{Rows: [][]string{{"aaa bbb"}, {"aaaaaaa"}, {"aaa bbb c"}, nil}}
	for column, want := range map[int][]int{7: {1, 1, 2, 1}, 6: {2, 1, 2, 1}, 9: {1, 1, 1, 1}} {
		strategytest.EqualSlices(t, cells.heights(0, column), want, "in %d", column)
	}
	// Of two equally breakable columns the wider one is broken.
	two := Table{Header: []string{"a", "b"}, Rows: [][]string{{"aa aa aa", "bb bb bb bb"}}}
	if widths, lines := two.fit(23); !slices.Equal(widths, []int{8, 8}) || lines != 2 {
		t.Errorf("widths are %v, with %d lines", widths, lines)
	}
	// Columns that fill a part exactly fit into it.
	if three := (Table{Header: []string{"abc", "def", "ghi"}}); len(three.parts(19)) != 1 || len(three.parts(18)) != 2 {
		t.Errorf("%v and %v", three.parts(19), three.parts(18))
	}
}
