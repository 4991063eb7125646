// Package report shows what a run found: findings in a few sentences, verdicts on the sources' claims, tables on the
// terminal and in Markdown, figures, and all of it on one page of HTML. It shows a replay of a real log in the same
// way.
//
// A report follows from the rows and the manifest in the run's directory, so it can be made again without running
// anything. Each file appears whole or not at all.
package report

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"dejavu/experiments/choose"
	"dejavu/experiments/experiment"
	"dejavu/experiments/paper"
	"dejavu/experiments/peers"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	pages "dejavu/internal/page"
	"dejavu/internal/plural"
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

// question is the report's question; abstract says who asked it first and what is done here.
const (
	question = "How does a recommender remember what each of its users has seen, so that nobody is shown an article twice?"
	abstract = "A paper of 2016 compares a queue of hashes, one Bloom filter, two used in rotation and a chain of " +
		"five (Zhao, Li, Zhu and Zhan, Research on deduplication based on Bloom filters, Computing Technology and " +
		"Automation 35(1)). Here these and other structures of the literature are run, and their memory, time and " +
		"false positives are compared with exact theory."
)

// Simulation returns the document of a run of experiments.
func Simulation(m results.Manifest, experiments []experiment.Experiment) Document {
	lead := fmt.Sprintf("%s simulated users, seed %d, %s.", text.Thousands(m.Users), m.Seed, Machine(m))
	return Document{
		Title: "Dejavu: what users' histories cost and keep", Question: question,
		Lead:        append([]string{abstract, lead}, Provenance(m)...),
		Experiments: experiments, Simulated: true,
	}
}

// Provenance returns paragraphs on what a run's numbers rest on, if its shares were merged, its times pooled from
// several runs, or its users are not the default.
func Provenance(m results.Manifest) (lines []string) {
	if m.Population != "" {
		lines = append(lines, "The daily users are not the default ones, and no verdict is asked of them "+
			"(--population): "+m.Population+".")
	}
	if n := len(m.Runs); n > 0 {
		lines = append(lines, fmt.Sprintf("Timings are means of %s; their intervals contain 95 of 100 further runs.",
			plural.Of(n, "run", "runs")))
	}
	if len(m.Shards) == 0 {
		return lines
	}
	first := m.Shards[0]
	text := fmt.Sprintf("Merged from %s: bytes, and seconds of simulation, are their sums; "+
		"times of requests are from shard %v.", plural.Of(len(m.Shards), "shard", "shards"), first.Shard)
	var here []string // run since the shards were merged
	for _, s := range m.Experiments {
		if !s.Merged {
			here = append(here, s.Name)
		}
	}
	if len(here) > 0 && len(here) < len(m.Experiments) {
		text += fmt.Sprintf(" Not merged but run here: %s.", strings.Join(here, ", "))
	}
	lines = append(lines, text)
	for _, s := range m.Shards {
		if !s.Environment.Same(first.Environment) {
			lines = append(lines, fmt.Sprintf("run.json: environments differ: shard %v ran on %v, shard %v on %v. "+
				"What follows from the seed is the same on both; sums of seconds compare with neither.",
				s.Shard, s.Environment, first.Shard, first.Environment))
		}
	}
	return lines
}

// figuresDir is the folder of figures in a run's directory.
const figuresDir = "figures"

// Draw draws the figures of a run again.
func (d Document) Draw(out string, run *results.Run) ([]plots.Drawn, error) {
	var figures []plots.Figure
	for _, x := range d.Experiments {
		figures = append(figures, x.Figures...)
	}
	rows := run.All()
	if d.Simulated {
		beside, _ := peers.Of(out)
		figures, rows = append(figures, peers.Figures...), append(rows, beside.All()...)
	}
	drawn, err := plots.Draw(figures, rows, filepath.Join(out, figuresDir))
	if err != nil {
		return drawn, fmt.Errorf("drawing: %w", err)
	}
	return drawn, nil
}

// Write draws the figures of a run, writes its report, and returns the tables for a terminal.
func (d Document) Write(out string, run *results.Run) ([]document.Block, error) {
	drawn, err := d.Draw(out, run)
	if err != nil {
		return nil, err
	}
	if err := d.WritePages(out, run, drawn); err != nil {
		return nil, err
	}
	tables := d.tables(run)
	blocks := d.blocks(out, run, tables, drawn)
	if d.Simulated {
		blocks = append(blocks, heading("Verdicts"), LedgerOf(run).Judged())
	}
	return tables, replace(out, "report.md", document.Markdown(blocks...))
}

// WritePages writes the page and, of simulated users, the tables for papers and reviews beside it.
func (d Document) WritePages(out string, run *results.Run, drawn []plots.Drawn) error {
	page, err := d.page(out, run, drawn)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return pages.Write(w, page) }
	if err := results.Replace(filepath.Join(out, "report.html"), write); err != nil || !d.Simulated {
		return err
	}
	beside, _ := peers.Of(out)
	tables := append(document.Tables(page.Headline, LedgerOf(run).Judged()), peers.Tables(beside)...)
	return errors.Join(replace(out, "tables.md", document.Markdown(tables...)),
		replace(out, "tables.tex", document.LaTeX(tables...)))
}

// replace writes a text to a file of the run.
func replace(out, name, text string) error {
	return results.Replace(filepath.Join(out, name), func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

// tables returns a run's tables without the verdicts.
func (d Document) tables(run *results.Run) (tables []document.Block) {
	cells := results.NewCells(run.All())
	for _, x := range d.Experiments {
		tables = append(tables, document.Tables(x.Tell(cells)...)...)
	}
	if d.Simulated {
		tables = append(tables, statuses(run))
	}
	return tables
}

func heading(text string) document.Block { return document.Heading{Level: 2, Text: text} }

func statuses(run *results.Run) document.Table {
	t := document.Table{Title: "Experiments", Header: []string{"experiment", "status", "seconds"}}
	for _, s := range run.Manifest.Experiments {
		status := s.Status
		if s.Error != "" {
			status += ": " + s.Error
		}
		t.Rows = append(t.Rows, []string{s.Name, status, fmt.Sprintf("%.1f", s.Seconds)})
	}
	return t
}

// listed returns a list of findings.
func listed(all []text.Finding) (list document.List) {
	for _, f := range all {
		list.Items = append(list.Items, "**"+f.Title+"** "+f.Text)
	}
	return list
}

// blocks returns the report without verdicts: advice, findings and Table 1, all tables, other libraries and figures.
func (d Document) blocks(out string, run *results.Run, tables []document.Block, drawn []plots.Drawn) []document.Block {
	all := []document.Block{document.Heading{Level: 1, Text: d.Title}}
	for _, line := range append([]string{d.Question}, d.Lead...) {
		if line != "" {
			all = append(all, document.Paragraph(document.Literal(line)))
		}
	}
	if d.Simulated {
		cells := results.NewCells(run.All())
		all = append(all, heading("What to take"), listed(choose.Advice(choose.New())))
		if found := FindingsOf(cells); len(found) > 0 {
			all = append(all, heading("Findings"), listed(found))
		}
		if table := paper.Headline.Of(cells); len(table.Rows) > 0 {
			all = append(all, heading("Table 1"), table)
		}
		all = append(all, heading("All tables"))
	}
	all = append(all, tables...)
	if d.Simulated {
		_, beside := peers.Of(out)
		all = append(append(all, heading("Beside other filter libraries")), beside...)
	}
	for _, f := range drawn {
		if f.Skipped == "" {
			all = append(all, document.Figure{Path: figuresDir + "/" + filepath.Base(f.Files[0]), Caption: f.Caption})
		}
	}
	return all
}

// Machine describes a run's machine, and its duration.
func Machine(m results.Manifest) string {
	e := m.Environment
	return fmt.Sprintf("%.3g s on %s (%s, %s, %s/%s)", m.Seconds, e.CPU, plural.Of(e.CPUs, "processor", "processors"),
		e.Go, e.OS, e.Arch)
}
