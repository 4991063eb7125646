package document

import (
	"strings"
	"testing"
	"unicode/utf8"

	"dejavu/strategies/strategytest"
)

// A table within so many columns has no longer line, where its cells can be broken, and loses no word.
func TestTableWithin(t *testing.T) {
	table := Table{
		Title: "A table of several columns", Header: []string{"name", "what it says", "how often"},
		Rows: [][]string{{"one", "a sentence that goes on for some time", "12"}, {"another", "short", "345678"}},
	}
	for _, columns := range []int{40, 50, 80} {
		text := table.Within(columns)
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
				t.Errorf("within %d columns: a line of %d: %s", columns, n, line)
			}
		}
		for _, word := range strings.Fields("one a sentence that goes on for some time 12 another short 345678 often") {
			if !strings.Contains(text, word) {
				t.Errorf("within %d columns: %q is lost:\n%s", columns, word, text)
			}
		}
	}
	if table.Within(80) != table.Text() {
		t.Errorf("a table that fits is another within 80 columns:\n%s", table.Within(80))
	}
	line, _, _ := strings.Cut(table.Text(), "\n")
	width := utf8.RuneCountInString(line)
	if table.Within(width) != table.Text() || table.Within(width-1) == table.Text() {
		t.Errorf("a table %d wide is broken within as many columns:\n%s\nor not within fewer:\n%s", width,
			table.Within(width), table.Within(width-1))
	}
	table.Title = "A title that is longer than the terminal, of which no word may be broken"
	for word := range strings.FieldsSeq(table.Title) {
		if text := table.Within(40); !strings.Contains(text, word) {
			t.Errorf("%q is broken:\n%s", word, text)
		}
	}
	if text := table.Within(5); !strings.Contains(text, "another") { // as narrow as it gets
		t.Errorf("within 5 columns:\n%s", text)
	}
}

func TestTable(t *testing.T) {
	table := Table{
		Title:  "Memory 内存, 100% sure",
		Header: []string{"Strategy", "bytes", "note"},
		Rows:   [][]string{{"queue", "4000"}, {"队列", "–", "a|b <c>"}},
	}
	// Every line is as wide on a terminal as the others; a Chinese sign is two columns.
	width := func(s string) (n int) {
		for _, r := range s {
			n++
			if r >= 0x4e00 && r <= 0x9fff {
				n++
			}
		}
		return n
	}
	lines := strings.Split(strings.TrimSpace(table.Text()), "\n")
	for _, line := range lines {
		if width(line) != width(lines[0]) {
			t.Errorf("ragged:\n%s", table.Text())
			break
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"text", table.Text(), "│ queue    │  4000 │"},
		{"text", table.Text(), "100% sure"},
		{
			"Markdown", table.Markdown(),
			"**Memory 内存, 100% sure**\n\n| Strategy | bytes | note |\n| --- | ---:| --- |\n| queue | 4000 |",
		},
		{"Markdown", table.Markdown(), `a\|b`},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%s lacks %q:\n%s", c.name, c.want, c.text)
		}
	}
}

// What is a column of numbers, and how wide a table is for its title.
func TestTableEdges(t *testing.T) {
	table := Table{Header: []string{"a", "b", "c", "d", "e", "f"}, Rows: [][]string{
		{"0", "–", "x", "9 B", "≈ 0", "1"}, {"9", "", "1", "−3", "±1", "a"}, {"1.5", "—", "2", "× 2"},
	}}
	for i, want := range []bool{true, false, false, true, true, false} {
		if table.numeric(i) != want {
			t.Errorf("column %s: numeric is %t", table.Header[i], !want)
		}
	}
	if short := (Table{Header: []string{"a", "b"}, Rows: [][]string{{"1"}, {"1", "2"}}}); !short.numeric(1) {
		t.Error("a row that is shorter than the others hides them")
	}
	if table.numeric(6) {
		t.Error("a column that is none is numeric")
	}
	for _, digit := range []string{"/", ":"} { // beside '0' and '9'
		if (Table{Header: []string{"a"}, Rows: [][]string{{digit}}}).numeric(0) {
			t.Errorf("%q is numeric", digit)
		}
	}
	for n, want := range map[int]int{1: 5, 30: 34, 116: 120, 117: 120, 140: 120} {
		small := Table{Title: strings.Repeat("t", n), Header: []string{"a"}, Rows: [][]string{{"b"}}}
		line, _, _ := strings.Cut(small.Text(), "\n")
		strategytest.Equal(t, len([]rune(line)), want, "a title of %d letters makes a table wide", n)
	}
	if got := (Table{Header: []string{"a"}, Rows: [][]string{{"1"}}}).Markdown(); got != "| a |\n| ---:|\n| 1 |\n" {
		t.Errorf("%q", got)
	}
}
