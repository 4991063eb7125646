package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dejavu/measure"
	"dejavu/page"
	"dejavu/plots"
	"dejavu/results"
)

// reportReplay draws the figures of a replay, writes its report as Markdown and as
// a page, and prints the tables.
func reportReplay(out string, stdout io.Writer) error {
	run, err := readRun(out)
	if err != nil {
		return err
	}
	dropLeftovers(run)
	figures, err := plots.Draw(run.All(), figuresDir(out))
	if err != nil {
		return fmt.Errorf("drawing: %w", err)
	}
	tables := replayTables(run)
	err = results.Replace(filepath.Join(out, "report.md"), func(w io.Writer) error {
		_, err := io.WriteString(w, replayMarkdown(run, tables, figures))
		return err
	})
	if err != nil {
		return err
	}
	if err := writeReplayPage(out, run, figures); err != nil {
		return err
	}
	for _, t := range tables {
		fmt.Fprintln(stdout, t.Text())
	}
	for _, line := range replayLead(run.Manifest) {
		fmt.Fprintln(stdout, line)
	}
	fmt.Fprintf(stdout, "%.3g s. Results, figures, report.html and report.md are in %s.\n", run.Manifest.Seconds, out)
	return nil
}

// replayLead says what was read, and how.
func replayLead(m results.Manifest) []string {
	forgotten := "forgotten after " + m.Log.Idle + " without an article recorded"
	if m.Log.Idle == "never" {
		forgotten = "never forgotten"
	}
	return []string{
		logText(m.Log),
		fmt.Sprintf("Each request is put to the reader's history, and then recorded: %s. Histories are %s.", m.Log.Record, forgotten),
	}
}

// replayTables are the tables of a replay.
func replayTables(run *results.Run) (tables []results.Table) {
	c := index(run)
	var names []string
	for _, name := range entryNames() {
		if _, ok := c.find(results.Replay, name, "", results.QFPR); ok {
			names = append(names, name)
		}
	}
	tables = append(tables, replayTable(c, run.Manifest, names))
	var ages, bins []string
	for age := 1; age < 1<<20; age *= 2 {
		ages = append(ages, fmt.Sprint(measure.AgeOf(measure.AgeBin(age))))
		bins = append(bins, fmt.Sprint(age))
	}
	ages, bins = filled(c, names, results.QRetention, ages), filled(c, names, results.QFPRByActivity, bins)
	for _, t := range []results.Table{
		byStrategy(c, "Share of repeats recognised, by how many articles ago they were shown [so many repeats]", results.Replay, results.QRetention, names, ages,
			func(r results.Row) string { return fmt.Sprintf("%.4g [%d]", r.Value.Or(0), r.Count) }),
		byStrategy(c, "False positive rate by articles recorded of a reader over the log, in powers of two from", results.Replay, results.QFPRByActivity, names, bins,
			func(r results.Row) string { return percent(r.Value.Or(0)) }),
	} {
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	return tables
}

// filled are those of the places where any strategy has a number.
func filled(c cells, names []string, quantity string, xs []string) (some []string) {
	for _, x := range xs {
		for _, name := range names {
			if _, ok := c.find(results.Replay, name, x, quantity); ok {
				some = append(some, x)
				break
			}
		}
	}
	return some
}

// replayTable has a line for each strategy.
func replayTable(c cells, m results.Manifest, names []string) results.Table {
	t := results.Table{
		Title: fmt.Sprintf("Replay of %d exposures of %d readers", m.Log.Exposures, m.Users),
		Header: []string{
			"strategy", "FPR", "95 %", "theory, all new", "suppressed of 100", "repeats", "recognised", "let through", "inside the window",
			"with a history", "bytes a reader", "payload", "store",
		},
	}
	for _, name := range names {
		get := func(quantity string) results.Row {
			r, _ := c.find(results.Replay, name, "", quantity)
			return r
		}
		f, inside := get(results.QFPR), get(results.QInside)
		theory := "–"
		if v, ok := f.Theory.Get(); ok {
			theory = percent(v)
		}
		recognised := "–"
		if r := get(results.QRecognised); r.Count > 0 {
			recognised = fmt.Sprintf("%.3g %%", 100*r.Value.Or(0))
		}
		payload := get(results.QPayloadTotal)
		t.Rows = append(t.Rows, []string{
			name, percent(f.Value.Or(0)), percent(f.Low.Or(0)) + " to " + percent(f.High.Or(0)), theory,
			fmt.Sprintf("%.3g", get(results.QSuppressed).Value.Or(0)),
			text(get(results.QRepeats)), recognised, text(get(results.QLetThrough)),
			fmt.Sprintf("%s of %d", text(inside), inside.Count),
			fmt.Sprint(payload.Count), text(get(results.QBytesPerUser)), text(payload), text(get(results.QStoreTotal)),
		})
	}
	return t
}

// replayMarkdown is the report in Markdown.
func replayMarkdown(run *results.Run, tables []results.Table, figures []plots.Figure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Dejavu: replay of a log\n\n%s\n\n", replayText(run.Manifest))
	for _, line := range replayLead(run.Manifest) {
		fmt.Fprintf(&b, "%s\n\n", line)
	}
	for _, t := range tables {
		fmt.Fprintf(&b, "%s\n\n", t.Markdown())
	}
	for _, f := range figures {
		if f.Skipped == "" {
			fmt.Fprintf(&b, "![%s](figures/%s)\n\n", f.Name, filepath.Base(f.Files[0]))
		}
	}
	return b.String()
}

// replayText says what was replayed, and where.
func replayText(m results.Manifest) string {
	e := m.Environment
	return fmt.Sprintf("%s readers of a log, %.3g s on %s (%d processors, %s, %s/%s).",
		thousands(m.Users), m.Seconds, e.CPU, e.CPUs, e.Go, e.OS, e.Arch)
}

// writeReplayPage writes report.html of a replay.
func writeReplayPage(out string, run *results.Run, figures []plots.Figure) (err error) {
	m := run.Manifest
	p := page.Page{Title: "Dejavu: replay of a log", Lead: append([]string{replayText(m)}, replayLead(m)...)}
	if p.Explorer, err = explorer(scoped); err != nil {
		return err
	}
	for _, f := range figures {
		at := slices.IndexFunc(illustrations, func(i illustration) bool { return i.figure == f.Name && slices.Contains(i.rows, results.Replay) })
		if at < 0 || f.Skipped != "" {
			continue
		}
		figure := page.Figure{
			Name: f.Name, Title: illustrations[at].title, Caption: illustrations[at].caption,
			Rows: []string{"`" + results.FileName(results.Replay) + "`", "`" + results.TimingFileName(results.Replay) + "`"},
		}
		if figure.SVG, err = os.ReadFile(f.Files[0]); err != nil {
			return err
		}
		p.Figures = append(p.Figures, figure)
	}
	p.Rest = replayTables(run)
	return results.Replace(filepath.Join(out, "report.html"), func(w io.Writer) error { return page.Write(w, p) })
}
