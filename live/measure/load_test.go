package measure

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// A short load prints what it measured: no line is missing, and no number is 0.
func TestLoad(t *testing.T) {
	var out strings.Builder
	l := Load{LoadFlags: LoadFlags{
		Users: 300, Articles: 20, Strategy: "chain", For: 20 * time.Millisecond, Turns: 2, Callers: 3, Dir: t.TempDir(),
	}}
	if err := l.Run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`300 users, 20 articles each, strategy chain, filled in \d+ s`,
		`300 users in 256 partitions; bytes a user: history N, store N, resident N .*`,
		`3 callers at once, 40 candidates and 10 shown a request, 2 turns of 20ms each`, ``, ` .*p99.9 ms .*`,
	}
	const numbers = ` +N +N +N +N +N`
	for _, durable := range []string{"durable", "no log"} {
		for _, name := range []string{
			"show, HTTP/2", "show, HTTP/1.1", "show all, 50 a call", "show all, 200 a call", "the keeper, no network",
		} {
			want = append(want, name+` +`+durable+numbers)
		}
	}
	want = append(want, `show all, 200 a call +written, not synced`+numbers, `vector, HTTP/1.1 `+numbers, ``)
	for range 5 {
		want = append(want, `what durability costs, .*: N times as many requests .* without, N times the processor with`)
	}
	want = append(want, `commits of the log: [1-9]\d*, of N records and N ms each`,
		`snapshots of all partitions: \S+ s, \S+ GB; a start from them, 300 users: \S+ s`)
	number := `\d*(?:[1-9]\d*(?:\.\d+)?|\.\d*[1-9]\d*)` // not 0
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		pattern := "nothing more"
		if i < len(want) {
			pattern = strings.ReplaceAll(want[i], "N", number)
		}
		if !regexp.MustCompile("^" + pattern + "$").MatchString(line) {
			t.Errorf("line %d is %q, want %s", i, line, pattern)
		}
	}
	if n := strings.Count(strings.TrimSpace(out.String()), "\n") + 1; n != len(want) {
		t.Errorf("%d lines, want %d", n, len(want))
	}
}
