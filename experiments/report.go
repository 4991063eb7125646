package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
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
	"dejavu/internal/document"
	"dejavu/results"
)

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
		if err := show(stdout, tables...); err != nil {
			return err
		}
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

// show prints blocks that fit the terminal.
func show(w io.Writer, blocks ...document.Block) error {
	_, err := io.WriteString(w, document.Terminal(columns(w), blocks...))
	return err
}

// columns are those of a terminal; where w is none those of $COLUMNS, or of every terminal.
func columns(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
	}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	return summaryColumns
}

// replayed is the document of a replay of a log.
func replayed(run *results.Run) pages.Document {
	m := run.Manifest
	lead := fmt.Sprintf("%s users of a log, %s.", text.Thousands(m.Users), pages.Machine(m))
	return pages.Document{
		Title:       "Dejavu: replay of a log",
		Lead:        slices.Concat([]string{lead}, logLines(m), replay.Findings(results.NewCells(run.All()), m.Log.Idle)),
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
		fmt.Sprintf("Each request is put to the user's history, and then recorded: %s. Histories are %s.",
			m.Log.Record, forgotten),
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
	for _, line := range d.Lead[1:] {
		tables = append(tables, document.Paragraph(document.Literal(line)))
	}
	if err := show(stdout, tables...); err != nil {
		return err
	}
	saved(out, run, stdout)
	return nil
}

// saved says where everything is.
func saved(out string, run *results.Run, stdout io.Writer) {
	fmt.Fprintln(stdout, text.Wrap(
		fmt.Sprintf("%.3g s. Results, figures, report.html and report.md are in %s.", run.Manifest.Seconds, out), columns(stdout), "  "))
}
