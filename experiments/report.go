package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dejavu/experiments/experiment"
	"dejavu/experiments/replay"
	"dejavu/experiments/report"
	"dejavu/experiments/text"
	"dejavu/experiments/usage"
	"dejavu/internal/document"
	"dejavu/internal/plural"
	"dejavu/results"
)

type plotCommand struct {
	Out string `default:"out" help:"Directory with saved results; figures go to its figures folder." placeholder:"DIR"`
}

// Run draws the figures of saved results again, and the page that shows them. Of a
// replay it makes all of the report, which one on a cluster leaves to it.
func (c *plotCommand) Run(p process) error {
	if _, err := os.Stat(c.Out); err != nil {
		return usage.Errorf("--out: no results in %s (%w): name the directory of a run, such as out", c.Out, err)
	}
	run, err := readRun(c.Out)
	if err != nil {
		return err
	}
	if len(run.All()) == 0 {
		return usage.Errorf("--out: no results in %s: name the directory of a run, such as out", c.Out)
	}
	if run.Manifest.Log != nil {
		return writeReport(c.Out, run, p.stdout, true)
	}
	d := documentOf(run)
	figures, err := d.Draw(c.Out, run)
	for _, f := range figures {
		line := f.Name + ": " + strings.Join(f.Files, " ")
		if f.Skipped != "" {
			line = fmt.Sprintf("%s: skipped, %s", f.Name, f.Skipped)
		}
		fmt.Fprintln(p.stdout, document.Wrap(line, columns(p.stdout), "  "))
	}
	if err != nil {
		return err
	}
	return reported(c.Out, run, d.WritePages(c.Out, run, figures))
}

// readRun reads a run from a directory, without files that it does not vouch for. A shard has no rows.
func readRun(out string) (*results.Run, error) {
	run, err := results.ReadDir(out)
	if err != nil {
		return nil, err
	}
	if run.Manifest.Shard != (results.Shard{}) {
		return nil, usage.Errorf("%s is shard %v of a run, which has no rows; 'merge' makes one run of all shards",
			out, run.Manifest.Shard)
	}
	run.DropUnfinished()
	return run, nil
}

// documentOf returns the document of a run, or of a replay of a log.
func documentOf(run *results.Run) report.Document {
	m := run.Manifest
	if m.Log == nil {
		return report.Simulation(m, experiments)
	}
	forgotten := "forgotten after " + m.Log.Idle + " without an article recorded"
	if m.Log.Idle == "never" {
		forgotten = "never forgotten"
	}
	lead := append(warnings(m.Log),
		fmt.Sprintf("%s users of a log, %s.", text.Thousands(m.Users), report.Machine(m)),
		logText(m.Log),
		fmt.Sprintf("Each request is put to the user's history, and then recorded. Histories are %s.", forgotten))
	return report.Document{
		Title:       "Dejavu: replay of a log",
		Lead:        append(lead, replay.Findings(results.NewCells(run.All()), m.Log.Idle)...),
		Experiments: []experiment.Experiment{{Name: results.Replay, Figures: replay.Figures, Tables: replay.Tables}},
	}
}

// warnings returns a log's warnings, for people.
func warnings(l *results.Log) (lines []string) {
	for _, w := range l.Warnings {
		lines = append(lines, "WARNING: "+w+".")
	}
	return lines
}

func paragraphs(lines []string) (blocks []document.Block) {
	for _, line := range lines {
		blocks = append(blocks, document.Paragraph(document.Literal(line)))
	}
	return blocks
}

// logText describes the log in a line.
func logText(l *results.Log) string {
	var names []string
	for _, name := range l.Files {
		if quoted := strconv.Quote(name); quoted != `"`+name+`"` { // it would do something to a terminal
			name = quoted
		}
		names = append(names, name)
	}
	if more := len(names) - 4; more > 1 {
		names = append(names[:4], fmt.Sprintf("and %d more", more))
	}
	s := fmt.Sprintf("%s, %s to %s: %s, %s%s, %s out of order", strings.Join(names, " "), l.First, l.Last,
		plural.Of(l.Lines, "line", "lines"), plural.Of(l.Exposures, "exposure", "exposures"), exceptions(l),
		plural.Of(l.OutOfOrder, "event", "events"))
	if l.Order == replay.ByTime && l.OutOfOrder > 0 {
		s += ", taken in the order of their times"
	}
	if s += "."; l.Layout != "" {
		s += " Read as " + l.Layout + "."
	}
	if l.Said != nil {
		s += " The first events: " + strings.Join(l.Said, "; ") + "."
	}
	return s
}

// exceptions describes a log's lines that gave no exposure, if any.
func exceptions(l *results.Log) (s string) {
	say := func(n int64, one, many, what string) {
		if n > 0 {
			s += ", " + plural.Of(n, one, many) + what
		}
	}
	say(l.Faults, "line", "lines", " cannot be read")
	say(l.Passed, "line", "lines", " without an article")
	say(l.OtherMethods, "of them", "of them", " with another method than GET")
	say(l.LeftOut, "line", "lines", " left out")
	say(l.Twice, "article", "articles", " twice in a request")
	say(l.Strayed, "event", "events", " more than 68 years from the first")
	return s
}

// writeReport draws the figures, writes the report, and says how the run compares with the reference. Of a run of
// all experiments it prints a summary, of some their tables first, and with verbose all tables and the times that
// are not the reference's. Of a replay, which has no reference, it prints tables and findings.
func writeReport(out string, run *results.Run, stdout io.Writer, verbose bool) error {
	d := documentOf(run)
	tables, err := d.Write(out, run)
	simulated := run.Manifest.Log == nil
	if err == nil && simulated {
		err = report.Save(out, run)
	}
	if err := reported(out, run, err); err != nil {
		return err
	}
	var compared strings.Builder
	var faults error
	if simulated {
		faults = diff(out, run, nil, &compared, verbose)
	} else {
		slices.Reverse(tables) // a terminal shows the end: what each strategy answered
		warned := warnings(run.Manifest.Log)
		tables = append(paragraphs(warned), append(tables, paragraphs(d.Lead[len(warned)+1:])...)...)
	}
	if verbose || len(run.Manifest.Experiments) < len(experiments) {
		if err := show(stdout, tables...); err != nil {
			return err
		}
	}
	if simulated {
		summary(run, stdout)
	}
	where := fmt.Sprintf("%.3g s. Results, figures, report.html and report.md are in %s.", run.Manifest.Seconds, out)
	fmt.Fprintln(stdout, document.Wrap(where, columns(stdout), "  "))
	fmt.Fprint(stdout, document.Wrap(compared.String(), summaryColumns, "  "))
	next := fmt.Sprintf("Next: open %s in a browser.", filepath.Join(out, "report.html"))
	if simulated {
		next += fmt.Sprintf(" 'claims P12 --out %s' shows how a verdict was reached, 'choose --help' how to find a "+
			"strategy for other numbers.", out)
	}
	fmt.Fprintln(stdout, document.Wrap(next, summaryColumns, "  "))
	return faults
}

// reported notes in the manifest of a run whether its report could be written, and returns what kept it from being.
func reported(out string, run *results.Run, fault error) error {
	m, why := run.Manifest, ""
	if fault != nil {
		why = fault.Error()
	}
	if m.Unreported == why || m.Started == "" { // rows of another tool have no manifest
		return fault
	}
	m.Unreported, run.Manifest.Unreported = why, why
	return errors.Join(fault, results.WriteManifest(out, m))
}

// summary prints the titles of the findings and the number of verdicts.
func summary(run *results.Run, stdout io.Writer) {
	for i, f := range report.FindingsOf(results.NewCells(run.All())) {
		fmt.Fprintln(stdout, document.Wrap(fmt.Sprintf("%d. %s", i+1, f.Title), summaryColumns, "   "))
	}
	if l := report.LedgerOf(run); len(l.Judged().Rows) > 0 {
		fmt.Fprintln(stdout, document.Wrap(l.Title()+".", summaryColumns, "  "))
	}
}

type claimsCommand struct {
	IDs       []string `arg:"" optional:"" name:"claim" help:"${claimsIDs}"`
	Out       string   `default:"out" help:"Directory with saved results." placeholder:"DIR"`
	Reference bool     `help:"Judge by the committed reference run instead of --out."`
	Markdown  bool     `help:"Print Markdown."`
}

// Run prints the ledger.
func (c *claimsCommand) Run(p process) error {
	run, err := c.rows()
	if err != nil {
		return err
	}
	l := report.LedgerOf(run)
	if len(c.IDs) > 0 {
		if l, err = l.Named(c.IDs); err != nil {
			return usage.Of(err)
		}
	}
	whole := []document.Block{l.Verdicts(true), l.Grounds()}
	switch {
	case c.Markdown:
		_, err = io.WriteString(p.stdout, document.Markdown(whole...))
	case len(c.IDs) > 0:
		for _, f := range l.Findings {
			err = errors.Join(err, show(p.stdout, l.Full(f)))
		}
	default:
		err = show(p.stdout, append([]document.Block{l.Verdicts(false)}, l.Foot()...)...)
	}
	if err != nil || c.Reference {
		return err
	}
	return errors.Join(results.Faults(c.Out, run.Manifest)...)
}

// rows returns the run to judge by.
func (c *claimsCommand) rows() (*results.Run, error) {
	if c.Reference {
		run, _ := results.Reference(results.DefaultUsers, results.DefaultSeed)
		return run, nil
	}
	_, missing := os.Stat(c.Out)
	if missing == nil {
		run, err := readRun(c.Out)
		if err != nil || len(run.All()) > 0 {
			return run, err
		}
		missing = errors.New("no experiment is finished")
	}
	return nil, usage.Errorf("--out: no results in %s: %w; 'go run ./experiments' makes them, "+
		"'claims --reference' judges by the committed run", c.Out, missing)
}
