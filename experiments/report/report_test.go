package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dejavu/experiments/experiment"
	"dejavu/experiments/paper"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/internal/golden"
	"dejavu/internal/page"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

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

// A run's report, page and tables for papers have all that it measured, and nothing else.
func TestWrite(t *testing.T) {
	out, run := t.TempDir(), reference(t, 20000)
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
		Experiments: []experiment.Experiment{paper.Table1, paper.Window, paper.Sizing},
	}
	tables := strategytest.Value(d.Write(out, run))
	var titles []string
	for _, table := range tables {
		titles = append(titles, table.(document.Table).Title)
	}
	wants(t, "the list of tables", strings.Join(titles, "\n"), "Table 1, measured", "Bits for 500 articles", "Experiments")

	markdown := read(t, filepath.Join(out, "report.md"))
	wants(t, "report.md", markdown,
		"# A title\n\nA lead.\n\nAnd \\<b\\>\\*an\\_other\\*\\</b\\> \\[x\\](y) \\`z\\` \\| \\&amp; \\\\ \\# "+
			"\\~.\n\n## What to take\n\n- **A window of 400", "failed: the lamp went out",
		"## Beside other filter libraries\n\nThe rows are those committed", "](figures/sizing.svg)", "](figures/peers.svg)")
	order := []string{"## What to take", "## Table 1", "## All tables", "## Beside other", "## Verdicts"}
	for i := 1; i < len(order); i++ {
		if strings.Index(markdown, order[i-1]) > strings.Index(markdown, order[i]) {
			t.Errorf("report.md has %q before %q", order[i], order[i-1])
		}
	}
	html := read(t, filepath.Join(out, "report.html"))
	wants(t, "report.html", html, "<title>A title</title>", `id="figure-sizing"`,
		`<svg id="figure-sizing-wide" role="img" aria-labelledby="figure-sizing-title"`,
		"Bits for 500 articles by target rate", `<a href="sizing.csv" download>`, `id="figure-peers"`,
		`id="theory">{"users":[1000,`, "bits-and-blooms chain")
	if strings.Contains(html, `id="figure-window"`) || strings.Contains(markdown, "window.svg") {
		t.Error("there is a figure of an experiment that did not run")
	}
	wants(t, "tables.md", read(t, filepath.Join(out, "tables.md")), "Table 1, measured", "bits-and-blooms chain", "| P1 |")
	wants(t, "tables.tex", read(t, filepath.Join(out, "tables.tex")), `\caption{Table 1, measured`,
		"bits-and-blooms chain")
}

// The page shows the ledger's verdicts, refuted ones first.
func TestVerdicts(t *testing.T) {
	run := reference(t, 20000)
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
	if l := LedgerOf(run); sum != len(l.Findings) || groups[0].Tone != page.Bad || groups[1].Tone == page.Bad {
		t.Errorf("%d claims on the page beginning with %s, %d in the ledger", sum, groups[0].Verdict, len(l.Findings))
	}
	if len(rule) == 0 {
		t.Errorf("what they rest on: %q", rule)
	}
}

// along is the dimension of these tests' rows.
var along = results.Dimension{Name: "x"}

// said finds a page's parts, headings, figures, folds and tables in order.
var said = regexp.MustCompile(`<section id="[^"]*"|<h[1-6].*?</h[1-6]>|<summary>.*?</summary>|` +
	`<figure id="[^"]*"|<caption.*?</caption>`)

var byX = results.Find(results.QFPR, along.Open())

// An experiment with a figure and tables, one of which has nothing to say, one without
// either, and one whose figure has no rows.
func fewExperiments() []experiment.Experiment {
	build := func(d plots.Data) plots.Sheet {
		var p plots.Panel
		for _, g := range d.Find(byX) {
			p.Add(plots.Series{Look: d.Look(g.Strategy), Line: g.Theory(), Points: g.Points()})
		}
		return plots.Sheet{Panels: []*plots.Panel{&p}, Columns: 1, Height: 50}
	}
	columns := []text.Column{
		{Header: "strategy", Write: func(r ...results.Row) string { return r[0].Strategy }},
		{Header: "rate", Write: func(r ...results.Row) string { return r[0].Value.String() }},
	}
	of := func(name string) experiment.Experiment {
		return experiment.Experiment{
			Name: name, About: "of " + name,
			Figures: []plots.Figure{{
				Name: name, Title: "Figure of " + name, Caption: "A caption.", Experiment: name,
				Query: byX, Build: build,
			}},
			Tables: []text.Table{
				{Title: "First of " + name, Lines: byX.In(name).Of(results.Any), Columns: columns},
				{Title: "Nothing of " + name, Lines: results.Find("nothing").In(name), Columns: columns[:1]},
				{Title: "Second of " + name, Lines: byX.In(name).Of(results.Any), Columns: columns},
			},
		}
	}
	return []experiment.Experiment{of("one"), of("two"), {Name: "plain"}, of("none")}
}

// Everything that is written and returned of a run, of simulated users and of a log.
func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, simulated := range []bool{true, false} {
		out := t.TempDir()
		// An empty folder of peers, so that the reference's rows do not appear.
		strategytest.Must(t, os.Mkdir(filepath.Join(out, results.PeersDir), 0o755))
		run := &results.Run{Manifest: results.Manifest{
			Users: 1234, Seed: 7, Seconds: 61.25,
			Environment: results.Environment{CPU: "beads", CPUs: 2, Go: "go1", OS: "os", Arch: "arch"},
			Experiments: []results.Status{
				{Name: "one", Status: results.Done, Seconds: 1.25},
				{Name: "plain", Status: results.Failed, Error: "the lamp went out"},
			},
		}}
		for i, name := range []string{"one", "two"} {
			for x := range 3 {
				run.Rows = append(run.Rows, results.Row{
					Experiment: name, Strategy: "queue", Quantity: results.QFPR, Where: results.Where(along.At(float64(x))),
					Value: results.Num(float64(i) + 0.25),
				})
			}
		}
		d := Simulation(run.Manifest, fewExperiments())
		d.Simulated = simulated
		tables := strategytest.Value(d.Write(out, run))
		for _, table := range tables {
			fmt.Fprintln(&b, table.(document.Table).Title)
		}
		err := filepath.WalkDir(out, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			name, err := filepath.Rel(out, path)
			fmt.Fprintf(&b, "\n== %s\n", filepath.ToSlash(name))
			if strings.HasPrefix(name, "figures") {
				return err
			}
			text := read(t, path)
			switch filepath.Ext(name) {
			case ".html":
				text = strings.Join(said.FindAllString(text, -1), "\n") + "\n"
			case ".tex": // the same tables as in Markdown
				text = ""
			}
			b.WriteString(text)
			return err
		})
		strategytest.Must(t, err)
	}
	golden.File(t, "report.golden", b.String())
}

// A figure that cannot be drawn, and a directory that cannot be, are errors.
func TestWriteErrors(t *testing.T) {
	d := Document{Experiments: fewExperiments()[:1]}
	d.Experiments[0].Figures[0].Build = func(plots.Data) plots.Sheet { panic(errors.New("no ink")) }
	run := &results.Run{Rows: []results.Row{{
		Experiment: "one", Strategy: "queue", Quantity: results.QFPR,
		Where: results.Where(along.At(1)), Value: results.Num(1),
	}}}
	strategytest.ErrorSays(t, "a figure without ink",
		strategytest.ErrorOf(d.Write(t.TempDir(), run)), "drawing: figure one: drawing: no ink")
	if err := d.WritePages(filepath.Join(t.TempDir(), "none"), run, nil); err == nil {
		t.Error("a page in no directory")
	}
	drawn := []plots.Drawn{{
		Figure: fewExperiments()[0].Figures[0],
		Files:  []string{filepath.Join(t.TempDir(), "gone.svg")},
	}}
	if err := d.WritePages(t.TempDir(), run, drawn); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a figure that is gone: %v", err)
	}
}
