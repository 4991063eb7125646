package report

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/experiment"
	"dejavu/experiments/ledger"
	"dejavu/experiments/ship"
	"dejavu/experiments/sizing"
	"dejavu/experiments/table1"
	"dejavu/experiments/window"
	"dejavu/internal/document"
	"dejavu/internal/page"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// committed is the smaller committed run.
func committed(t *testing.T) *results.Run {
	t.Helper()
	run, ok := results.Reference(20000, results.DefaultSeed)
	if !ok {
		t.Fatal("no reference")
	}
	return run
}

func read(t *testing.T, path string) string {
	t.Helper()
	data := strategytest.Value(os.ReadFile(path))
	return string(data)
}

// wants fails the test unless a text holds each of the phrases.
func wants(t *testing.T, what, text string, phrases ...string) {
	t.Helper()
	for _, p := range phrases {
		if !strings.Contains(text, p) {
			t.Errorf("%s lacks %q", what, p)
		}
	}
}

// What a run measured is in its report, on its page and in the tables for papers, and what it did not measure is not.
func TestWrite(t *testing.T) {
	out, run := t.TempDir(), committed(t)
	run.Manifest.Experiments = append(run.Manifest.Experiments, results.Status{
		Name: "broken", Status: results.Failed,
		Error: "the lamp went out",
	})
	of := func(rows []results.Row) (kept []results.Row) {
		for _, r := range rows {
			if r.Experiment == results.Table1 || r.Experiment == results.Sizing {
				kept = append(kept, r)
			}
		}
		return kept
	}
	run.Rows, run.Timing = of(run.Rows), of(run.Timing)
	d := Document{
		Title: "A title", Lead: []string{"A lead.", "And <b>*an_other*</b> [x](y) `z` | &amp; \\ # ~."}, Simulated: true,
		Experiments: []experiment.Experiment{table1.Experiment, window.Experiment, sizing.Experiment},
	}
	tables := strategytest.Value(d.Write(out, run))
	var titles []string
	for _, table := range tables {
		titles = append(titles, table.(document.Table).Title)
	}
	wants(t, "the list of tables", strings.Join(titles, "\n"), "Verdicts on", "Table 1, measured",
		"Bits for 500 articles", "Experiments")
	if !strings.HasPrefix(titles[0], "Verdicts on") || titles[len(titles)-1] != "Experiments" {
		t.Errorf("tables are %q, want the verdicts first", titles)
	}

	markdown := read(t, filepath.Join(out, "report.md"))
	wants(t, "report.md", markdown,
		"# A title\n\nA lead.\n\nAnd \\<b\\>\\*an\\_other\\*\\</b\\> \\[x\\](y) \\`z\\` \\| \\&amp; \\\\ \\# "+
			"\\~.\n\n**Verdicts on", "failed: the lamp went out",
		"## Beside other filter libraries\n\nThe rows are those committed", "](figures/sizing.svg)", "](figures/peers.svg)")
	html := read(t, filepath.Join(out, "report.html"))
	wants(t, "report.html", html, "<title>A title</title>", `id="figure-sizing"`,
		`<svg role="img" aria-labelledby="figure-sizing-title"`,
		"Bits for 500 articles by target rate", `<a href="sizing.csv" download>`, `"sizing.csv":"`, `id="figure-peers"`,
		`id="theory">{"users":[1000,`, "bits-and-blooms chain")
	if strings.Contains(html, `id="figure-window"`) || strings.Contains(markdown, "window.svg") {
		t.Error("there is a figure of an experiment that did not run")
	}
	if size := len(html); size > 4<<20 {
		t.Errorf("the page has %d bytes, want a few MB at most", size)
	}
	wants(t, "tables.md", read(t, filepath.Join(out, "tables.md")), "Table 1, measured", "bits-and-blooms chain", "| P1 |")
	wants(t, "tables.tex", read(t, filepath.Join(out, "tables.tex")), `\caption{Table 1, measured`,
		"bits-and-blooms chain")

	// The replication report quotes more than these rows; beside fewer none is left.
	paper := filepath.Join(out, "report.tex")
	if _, err := os.Stat(paper); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a replication report of two experiments: %v", err)
	}
	whole, ok := results.Reference(results.DefaultUsers, results.DefaultSeed)
	if !ok {
		t.Fatal("no reference")
	}
	strategytest.Must(t, d.WritePages(out, whole, nil))
	wants(t, "report.tex", read(t, paper), `\documentclass`, "{figures/fpr.png}", "10,000,000 simulated users",
		`\end{document}`)
	strategytest.Must(t, d.WritePages(out, run, nil))
	if _, err := os.Stat(paper); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("another run's replication report: %v", err)
	}
}

// The verdicts on the page are those of the ledger, refuted ones first.
func TestVerdicts(t *testing.T) {
	run := committed(t)
	groups, rule := verdicts(run)
	sum := 0
	for _, g := range groups {
		sum += len(g.Claims.Rows)
		if g.Claims.Title != "Claims: "+g.Verdict || slices.Contains(g.Claims.Header, "verdict") {
			t.Errorf("%s: %q with columns %q", g.Verdict, g.Claims.Title, g.Claims.Header)
		}
		want := page.Plain
		if strings.HasPrefix(g.Verdict, "holds") {
			want = page.Good
		} else if g.Verdict == "refuted" {
			want = page.Bad
		}
		strategytest.Equal(t, g.Tone, want, "claims that are %s have the tone", g.Verdict)
	}
	if l := ledger.Of(run); sum != len(l.Findings) || groups[0].Tone != page.Bad || groups[1].Tone == page.Bad {
		t.Errorf("%d claims on the page beginning with %s, %d in the ledger", sum, groups[0].Verdict, len(l.Findings))
	}
	if len(rule) == 0 {
		t.Errorf("what they rest on: %q", rule)
	}
}

// What the real service took stands beside its simulation, its own run's where there is
// one; a log's replay has nothing to do with it.
func TestBesideLive(t *testing.T) {
	d := Document{Experiments: []experiment.Experiment{ship.Experiment}}
	real := func(out string) (n int) {
		for _, table := range d.tables(out, &results.Run{}) {
			if strings.Contains(table.(document.Table).Title, "for real") {
				n++
			}
		}
		return n
	}
	out := t.TempDir()
	strategytest.Equal(t, real(out), 0, "tables beside a log")
	d.Simulated = true
	strategytest.Equal(t, real(out), 1, "tables of the committed rows")
	strategytest.Must(t, os.Mkdir(filepath.Join(out, results.LiveDir), 0o755))
	strategytest.Equal(t, real(out), 0, "tables beside a folder without rows")
}
