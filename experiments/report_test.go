package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"

	"dejavu/experiments/report"
	"dejavu/internal/document"
	"dejavu/internal/sysinfo"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// A whole run's printed summary fits a terminal of 80 columns and 40 lines, without escapes: five findings and how many
// claims hold, or less for a smaller run.
func TestSummary(t *testing.T) {
	for users, findings := range map[int]int{results.DefaultUsers: 5, 20000: 5} {
		run, ok := results.Reference(users, results.DefaultSeed)
		if !ok {
			t.Fatalf("no committed reference of %d users", users)
		}
		var b strings.Builder
		summary(run, &b)
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if len(lines) > 34 { // where it is, and the comparison with the reference, follow
			t.Errorf("%d users: %d lines\n%s", users, len(lines), b.String())
		}
		found := 0
		for _, line := range lines {
			strategytest.AtMost(t, utf8.RuneCountInString(line), summaryColumns,
				"%d users: columns of %s", users, line)
			if len(line) > 2 && line[0] >= '1' && line[0] <= '9' && line[1] == '.' {
				found++
			}
		}
		if found != findings {
			t.Errorf("%d users: %d findings, want %d\n%s", users, found, findings, b.String())
		}
		if strings.Contains(b.String(), "\x1b") || !strings.Contains(b.String(), "holds ") {
			t.Errorf("%d users:\n%s", users, b.String())
		}
	}
}

// Every table of the committed run fits a narrow terminal, and breaks no word of its cells.
func TestTablesFitTerminals(t *testing.T) {
	run, ok := results.Reference(results.DefaultUsers, results.DefaultSeed)
	if !ok {
		t.Fatal("no committed run")
	}
	cells := results.NewCells(run.All())
	l := report.LedgerOf(run)
	tables := []document.Table{l.Verdicts(true), l.Grounds(), l.Judged()}
	for _, f := range l.Findings {
		tables = append(tables, l.Full(f))
	}
	for _, x := range experiments {
		tables = append(tables, x.Tell(cells)...)
	}
	for _, table := range tables {
		fits(t, table, 60)
	}
}

// fits fails the test if a table's line is wider than a terminal, or a word is missing.
func fits(t *testing.T, table document.Table, columns int) {
	t.Helper()
	shown := table.Within(columns)
	words := map[string]bool{}
	for word := range strings.FieldsSeq(shown) {
		words[strings.TrimSuffix(word, ":")] = true // as of a name before its cell
	}
	for line := range strings.Lines(shown) {
		strategytest.AtMost(t, text.StringWidth(strings.TrimSuffix(line, "\n")), columns,
			"%s: in %d columns, the width of %s", table.Title, columns, line)
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

// A run's report ends with the ledger, of which the terminal shows one line. It is also written beside its rows; a
// separate file has what depends on the machine.
func TestLedgerOfRun(t *testing.T) {
	if sysinfo.RaceDetector {
		t.Skip("slow, and about files alone")
	}
	t.Setenv("COLUMNS", "200")
	withCatalogue(t, "queue", "single")
	out := filepath.Join(t.TempDir(), "out")
	r := program(t.Context(), "table1", "arithmetic", "sizing", "--users", "300", "--out", out)
	wants(t, r, exitOK, r.stdout, "Verdicts on what the sources say: holds ", "'claims P12 --out "+out)
	written := read(t, filepath.Join(out, "report.md"))
	if v, h := strings.Index(written, "500 IDs of 8 bytes"), strings.Index(written, "**Table 1"); h < 0 || v < h {
		t.Errorf("the verdicts are at %d of the report, the tables at %d", v, h)
	}
	fixed, timed := read(t, filepath.Join(out, "claims.csv")), read(t, filepath.Join(out, "claims.timing.csv"))
	if !strings.Contains(fixed, "\nP1,") || strings.Contains(fixed, "\nP29,") || !strings.Contains(timed, "\nP29,") {
		t.Errorf("claims.csv:\n%s\nclaims.timing.csv:\n%s", fixed, timed)
	}
	// Judging again is judging the same rows.
	r = program(t.Context(), "claims", "--out", out, "P1")
	wants(t, r, exitOK, r.stdout, "4000 B", "holds", "300")
	// A claim without its rows names them, and the command that makes them.
	r = program(t.Context(), "claims", "--out", out, "P23b", "P4b")
	wants(t, r, exitOK, r.stdout, "not measured", "table1: fpr of chain-literal at",
		"go run ./experiments table1 arithmetic --users 300", "rests on 300, want 10000000",
		"again with │ go run ./experiments table1 ")
	if left := leftovers(t, out); left != nil {
		t.Errorf("left behind: %v", left)
	}
	strategytest.Must(t, os.Remove(filepath.Join(out, "run.json")))
	r = program(t.Context(), "claims", "--out", out, "P1") // rows that another tool wrote
	wants(t, r, exitOK, r.stdout, "holds")
}
