package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dejavu/experiments/experiment"
	"dejavu/experiments/golden"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/strategies/strategytest"
)

// along is what rows of these tests depend on.
var along = results.Dimension{Name: "x"}

// said is what a page says, in its order: parts, headings, figures, folds and tables.
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
		{Header: "strategy", Show: func(r ...results.Row) string { return r[0].Strategy }},
		{Header: "rate", Show: func(r ...results.Row) string { return r[0].Value.String() }},
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
		// A folder of peers without rows, so that those of the reference do not stand here.
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
