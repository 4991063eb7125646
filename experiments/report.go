package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"dejavu/experiments/experiment"
	"dejavu/experiments/findings"
	"dejavu/experiments/ledger"
	"dejavu/experiments/reference"
	"dejavu/experiments/replay"
	pages "dejavu/experiments/report"
	"dejavu/experiments/text"
	"dejavu/experiments/usage"
	"dejavu/results"
)

type plotCommand struct {
	Out string `default:"out" help:"Directory with saved results; figures go to its figures folder." placeholder:"DIR"`
}

// run draws the figures of saved results again, and the page that shows them. Of a
// replay it makes all of the report, which one on a cluster leaves to it.
func (c *plotCommand) run(stdout io.Writer) error {
	if _, err := os.Stat(c.Out); err != nil {
		return usage.Errorf("--out: %w", err)
	}
	run, err := readRun(c.Out)
	if err != nil {
		return err
	}
	if len(run.All()) == 0 {
		return usage.Errorf("--out: no results in %s", c.Out)
	}
	if run.Manifest.Log != nil {
		return reportReplay(c.Out, stdout)
	}
	d := pages.Simulation(run.Manifest, experiments)
	figures, err := d.Draw(c.Out, run)
	for _, f := range figures {
		if f.Skipped != "" {
			fmt.Fprintf(stdout, "%s: skipped, %s\n", f.Name, f.Skipped)
			continue
		}
		fmt.Fprintf(stdout, "%s: %s\n", f.Name, strings.Join(f.Files, " "))
	}
	if err != nil {
		return err
	}
	return reported(c.Out, run, d.WritePages(c.Out, run, figures))
}

// reported notes in the manifest of a run whether its report could be written, and
// returns what kept it from being.
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

// readRun reads what a run has left in a directory, without what it does not vouch
// for. A shard has no rows.
func readRun(out string) (*results.Run, error) {
	run, err := results.ReadDir(out)
	if err != nil {
		return nil, err
	}
	if run.Manifest.Shard != (results.Shard{}) {
		return nil, usage.Errorf("--out: %s is shard %v of a run, which has no rows; 'merge' makes one run of all shards",
			out, run.Manifest.Shard)
	}
	run.DropUnfinished()
	return run, nil
}

// report draws the figures, writes the report, and says how the run compares with the
// reference. Of a run of all experiments it prints a summary, of some their tables, and
// with verbose all tables and the times that are not the reference's.
func report(out string, stdout io.Writer, verbose bool) error {
	run, err := readRun(out)
	if err != nil {
		return err
	}
	d := pages.Simulation(run.Manifest, experiments)
	tables, err := d.Write(out, run)
	if err == nil {
		err = ledger.Save(out, run)
	}
	if err := reported(out, run, err); err != nil {
		return err
	}
	var compared strings.Builder
	faults := reference.Verify(out, run, &compared, verbose)
	whole := len(run.Manifest.Experiments) == len(experiments)
	if verbose || !whole {
		printTables(tables, stdout)
	}
	if whole {
		summary(run, stdout)
	}
	saved(out, run, stdout)
	fmt.Fprint(stdout, text.Wrap(compared.String(), summaryColumns, "  "))
	return faults
}

// summaryColumns are those of every terminal.
const summaryColumns = 80

// summary prints what the run found, in some thirty lines.
func summary(run *results.Run, stdout io.Writer) {
	for i, f := range findings.Of(results.NewCells(run.All())) {
		fmt.Fprintln(stdout, text.Wrap(fmt.Sprintf("%d. %s\n   %s", i+1, f.Title, f.Text), summaryColumns, "   "))
	}
	fmt.Fprintln(stdout, text.Wrap(ledger.Of(run).Title()+".", summaryColumns, "  "))
}

// printTables prints tables that fit the terminal.
func printTables(tables []results.Table, stdout io.Writer) {
	for _, t := range tables {
		fmt.Fprintln(stdout, t.Within(columns(stdout)))
	}
}

// columns are those of a terminal, 0 where w is none.
func columns(w io.Writer) (n int) {
	if f, ok := w.(*os.File); ok {
		n, _, _ = term.GetSize(int(f.Fd()))
	}
	return n
}

// replayed is the document of a replay of a log.
func replayed(run *results.Run) pages.Document {
	m := run.Manifest
	lead := fmt.Sprintf("%s users of a log, %s.", text.Thousands(m.Users), pages.Machine(m))
	return pages.Document{
		Title: "Dejavu: replay of a log", Lead: slices.Concat([]string{lead}, logLines(m), replay.Findings(results.NewCells(run.All()), m.Log.Idle)),
		Experiments: []experiment.Experiment{{Name: results.Replay, Figures: replay.Figures, Tables: replay.Tables}},
	}
}

// logLines say what was read, and how it was replayed.
func logLines(m results.Manifest) []string {
	forgotten := "forgotten after " + m.Log.Idle + " without an article recorded"
	if m.Log.Idle == "never" {
		forgotten = "never forgotten"
	}
	return []string{
		logText(m.Log),
		fmt.Sprintf("Each request is put to the user's history, and then recorded: %s. Histories are %s.", m.Log.Record, forgotten),
	}
}

// reportReplay draws the figures of a replay, writes its report and prints the tables.
func reportReplay(out string, stdout io.Writer) error {
	run, err := readRun(out)
	if err != nil {
		return err
	}
	d := replayed(run)
	tables, err := d.Write(out, run)
	if err != nil {
		return err
	}
	printTables(tables, stdout)
	for _, line := range d.Lead[1:] {
		fmt.Fprintln(stdout, line)
	}
	saved(out, run, stdout)
	return nil
}

// saved says where everything is.
func saved(out string, run *results.Run, stdout io.Writer) {
	fmt.Fprintf(stdout, "%.3g s. Results, figures, report.html and report.md are in %s.\n", run.Manifest.Seconds, out)
}
