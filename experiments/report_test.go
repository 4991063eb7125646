package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"dejavu/results"
)

// What is printed of a whole run fits a terminal of 80 columns and 40 lines, and has no
// escapes: five findings and how many claims hold, or what there is of a smaller run.
func TestSummary(t *testing.T) {
	for users, findings := range map[int]int{results.DefaultUsers: 5, 20000: 5} {
		run, ok := results.Reference(users, results.DefaultSeed)
		if !ok {
			t.Fatalf("no committed reference of %d users", users)
		}
		var b strings.Builder
		summary(run, &b)
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		if len(lines) > 33 { // where it is, and the comparison with the reference, follow
			t.Errorf("%d users: %d lines\n%s", users, len(lines), b.String())
		}
		found := 0
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > summaryColumns {
				t.Errorf("%d users: a line of %d columns: %s", users, n, line)
			}
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
