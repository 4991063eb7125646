package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"dejavu/results"
	"dejavu/strategies/strategytest"
)

var rewrite = flag.Bool("update", false, "write what the committed rows say into README.md")

// README.md shows what the committed rows say.
func TestREADME(t *testing.T) {
	run := strategytest.Value(results.Committed(results.PeersDir))
	data := strategytest.Value(os.ReadFile("README.md"))
	const begin, end = "<!-- one run -->\n", "<!-- end of the run -->"
	before, after, found := strings.Cut(string(data), begin)
	shown, rest, closed := strings.Cut(after, end)
	if !found || !closed {
		t.Fatalf("README.md has no part between %q and %q", begin, end)
	}
	want := "\n" + report(run)
	if strings.Count(want, "\n") < 70 {
		t.Errorf("the report of the committed run is short:\n%s", want)
	}
	if *rewrite {
		strategytest.Must(t, os.WriteFile("README.md", []byte(before+begin+want+end+rest), 0o644))
		return
	}
	if shown != want {
		t.Errorf("README.md does not show what the rows say; go test -run README -update mends it. "+
			"It shows\n%s\nThe rows say\n%s", shown, want)
	}
}
