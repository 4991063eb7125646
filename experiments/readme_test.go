package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"dejavu/results"
)

var update = flag.Bool("update", false, "write what the committed runs say into README.md")

// The headline table of README.md is the committed reference run's, and what it
// says of other libraries the committed run of the peers.
func TestREADME(t *testing.T) {
	const users, seed = 10_000_000, 2016
	reference, ok := results.Reference(users, seed)
	if !ok {
		t.Fatalf("no committed reference of %d users and seed %d", users, seed)
	}
	headline := headline(index(reference), users)
	headline.Title = "" // README.md has a sentence for it
	holds(t, "headline", strings.TrimSpace(headline.Markdown())+"\n")
	tradeoff := tradeoffTable(index(reference))
	tradeoff.Title = ""
	holds(t, "tradeoff", strings.TrimSpace(tradeoff.Markdown())+"\n")

	peers, err := results.PeersReference()
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "peers", results.PeersText(peers))

	vector, err := results.VectorReference()
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "vector", strings.TrimSpace(vectorTable(t, index(reference), index(vector)).Markdown())+"\n")
}

// vectorTable holds a build with vectors beside the plain one: times of a request of
// 40 candidates, and of a cold one in a batch over the larger of what its arithmetic
// and its memory take alone.
func vectorTable(t *testing.T, plain, vector cells) results.Table {
	t.Helper()
	table := results.Table{Header: []string{"strategy", "hot, plain", "with vectors", "cold over its floor, plain", "with vectors"}}
	for _, name := range []string{"single", "dual", "chain"} {
		line := []string{name}
		for _, quantity := range []string{results.QHotP50, results.QTogetherOverFloor} {
			for _, run := range []cells{plain, vector} {
				row, ok := run.find(results.Latency, name, "40", quantity)
				if !ok {
					t.Fatalf("no %s of %s", quantity, name)
				}
				text := fmt.Sprintf("%.0f ns (%.0f to %.0f)", row.Value.Or(0), row.Low.Or(0), row.High.Or(0))
				if quantity == results.QTogetherOverFloor {
					text = fmt.Sprintf("%.2f (%.2f to %.2f)", row.Value.Or(0), row.Low.Or(0), row.High.Or(0))
				}
				line = append(line, text)
			}
		}
		table.Rows = append(table.Rows, line)
	}
	return table
}

// holds wants a text between two comments of README.md, or puts it there.
func holds(t *testing.T, name, want string) {
	t.Helper()
	const path = "../README.md"
	begin, end := "<!-- "+name+" -->\n", "<!-- end "+name+" -->"
	readme := read(t, path)
	before, after, found := strings.Cut(readme, begin)
	shown, rest, closed := strings.Cut(after, end)
	switch {
	case !found || !closed:
		t.Fatalf("README.md has no part between %q and %q", begin, end)
	case want == "":
		t.Errorf("there is nothing to say between %q and %q", begin, end)
	case *update:
		if err := os.WriteFile(path, []byte(before+begin+want+end+rest), 0o644); err != nil {
			t.Fatal(err)
		}
	case shown != want:
		t.Errorf("between %q README.md shows\n%s\nthe committed run says\n%s\n"+
			"go test ./experiments -run README -update mends it", begin, shown, want)
	}
}
