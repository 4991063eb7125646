// Package report shows what a run found: tables on the terminal, the same in
// Markdown and LaTeX, the figures, and all of it on one page of HTML. A replay of a
// real log is shown in the same way.
//
// Everything follows from the rows and the manifest in the run's directory, so that
// a report can be made again without running anything. Each file appears whole or
// not at all.
package report

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dejavu/experiments/experiment"
	"dejavu/experiments/ledger"
	"dejavu/experiments/peers"
	"dejavu/experiments/replication"
	"dejavu/experiments/shard"
	"dejavu/experiments/text"
	"dejavu/plots"
	"dejavu/results"
)

// A Document is what is to be shown of a run.
type Document struct {
	Title       string                  // of the page
	Question    string                  // what the run answers
	Lead        []string                // paragraphs on what was run, where and when
	Experiments []experiment.Experiment // whose figures and tables are shown, in their order
	Simulated   bool                    // of users: the sources' claims are judged, and other libraries stand beside
}

// question is what was asked, and abstract by whom before, and what is done here.
const (
	question = "How does a recommender remember what each of its users has seen, so that nobody is shown an article twice?"
	abstract = "A paper of 2016 compares a queue of hashes, one Bloom filter, two used in rotation and a chain of five (Zhao, Li, Zhu and Zhan, " +
		"Research on deduplication based on Bloom filters, Computing Technology and Automation 35(1)). Here these and other structures of " +
		"the literature are run, and their memory, time and false positives are compared with exact theory."
)

// Simulation is the document of a run of experiments.
func Simulation(m results.Manifest, experiments []experiment.Experiment) Document {
	lead := fmt.Sprintf("%s simulated users, seed %d, %s.", text.Thousands(m.Users), m.Seed, Machine(m))
	return Document{
		Title: "Dejavu: what users' histories cost and keep", Question: question, Lead: append([]string{abstract, lead}, shard.Provenance(m)...),
		Experiments: experiments, Simulated: true,
	}
}

// FiguresDir is where the figures of a run lie.
func FiguresDir(out string) string { return filepath.Join(out, "figures") }

// Draw draws the figures of a run again.
func (d Document) Draw(out string, run *results.Run) ([]plots.Drawn, error) {
	var figures []plots.Figure
	for _, x := range d.Experiments {
		figures = append(figures, x.Figures...)
	}
	rows := run.All()
	if d.Simulated {
		figures = append(figures, peers.Figures...)
		rows = append(rows, peers.Of(out).Rows()...)
	}
	drawn, err := plots.Draw(figures, rows, FiguresDir(out))
	if err != nil {
		return drawn, fmt.Errorf("drawing: %w", err)
	}
	return drawn, nil
}

// Write draws the figures of a run, writes its report, and returns the tables for a
// terminal.
func (d Document) Write(out string, run *results.Run) ([]results.Table, error) {
	drawn, err := d.Draw(out, run)
	if err != nil {
		return nil, err
	}
	if err := d.WritePages(out, run, drawn); err != nil {
		return nil, err
	}
	tables := d.tables(out, run)
	return tables, replace(out, "report.md", d.markdown(out, run, tables, drawn))
}

// WritePages writes the page and, of simulated users, the tables for papers and
// reviews beside it, and where the run has all that it quotes the replication report.
func (d Document) WritePages(out string, run *results.Run, drawn []plots.Drawn) error {
	page, err := d.page(out, run, drawn)
	if err != nil {
		return err
	}
	if err := writePage(out, page); err != nil || !d.Simulated {
		return err
	}
	var markdown, latex strings.Builder
	for _, t := range said(append([]results.Table{page.Headline, ledger.Of(run).Judged()}, page.Peers.Tables...)) {
		markdown.WriteString(t.Markdown() + "\n")
		latex.WriteString(text.Tex(t) + "\n")
	}
	if err := replace(out, "tables.md", markdown.String()); err != nil {
		return err
	}
	if err := replace(out, "tables.tex", latex.String()); err != nil {
		return err
	}
	r, err := replication.Of(run)
	if errors.Is(err, replication.ErrRows) { // and none of a run that was here before
		if err := os.Remove(filepath.Join(out, "report.tex")); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	if err != nil {
		return err
	}
	return replace(out, "report.tex", r.Tex(filepath.Base(FiguresDir(out))))
}

// replace writes a text to a file of the run.
func replace(out, name, text string) error {
	return results.Replace(filepath.Join(out, name), func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// said are the tables that say something: an experiment that did not run has none.
func said(tables []results.Table) (some []results.Table) {
	for _, t := range tables {
		if len(t.Rows) > 0 {
			some = append(some, t)
		}
	}
	return some
}

// cells are the rows of a run, and, beside the simulation of it, those of the real
// exposure service. Where these cannot be read there is no reason to withhold the rest.
func (d Document) cells(out string, run *results.Run) results.Cells {
	rows := run.All()
	if d.Simulated {
		if live, _, err := results.Beside(out, results.LiveDir); err == nil {
			rows = append(rows, live.All()...)
		}
	}
	return results.NewCells(rows)
}

// tables are those of a run, the verdicts first.
func (d Document) tables(out string, run *results.Run) (tables []results.Table) {
	cells := d.cells(out, run)
	if d.Simulated {
		tables = append(tables, ledger.Of(run).Judged())
	}
	for _, x := range d.Experiments {
		if x.Tables != nil {
			tables = append(tables, x.Tables(cells)...)
		}
	}
	if d.Simulated {
		tables = append(tables, statuses(run))
	}
	return said(tables)
}

// statuses is how each experiment went.
func statuses(run *results.Run) results.Table {
	t := results.Table{Title: "Experiments", Header: []string{"experiment", "status", "seconds"}}
	for _, s := range run.Manifest.Experiments {
		status := s.Status
		if s.Error != "" {
			status += ": " + s.Error
		}
		t.Rows = append(t.Rows, []string{s.Name, status, fmt.Sprintf("%.1f", s.Seconds)})
	}
	return t
}

// markdown is the report: tables, what is to be said of other libraries, and figures.
func (d Document) markdown(out string, run *results.Run, tables []results.Table, drawn []plots.Drawn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", d.Title)
	if d.Question != "" {
		fmt.Fprintf(&b, "%s\n\n", plain(d.Question))
	}
	for _, line := range d.Lead {
		fmt.Fprintf(&b, "%s\n\n", plain(line))
	}
	for _, t := range tables {
		fmt.Fprintf(&b, "%s\n\n", t.Markdown())
	}
	if d.Simulated {
		fmt.Fprintf(&b, "%s\n", peers.Of(out).Markdown())
	}
	for _, f := range drawn {
		if f.Skipped == "" {
			fmt.Fprintf(&b, "![%s](figures/%s)\n\n", f.Name, filepath.Base(f.Files[0]))
		}
	}
	return b.String()
}

// plain is Markdown that shows this text, whatever it is: it has the names of files.
func plain(text string) string {
	var b strings.Builder
	for _, c := range text {
		if strings.ContainsRune("\\`*_[]<>&|~#", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Machine says on what machine a run was, and how long it took.
func Machine(m results.Manifest) string {
	e := m.Environment
	return fmt.Sprintf("%.3g s on %s (%d processors, %s, %s/%s)", m.Seconds, e.CPU, e.CPUs, e.Go, e.OS, e.Arch)
}
