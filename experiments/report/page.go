package report

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/explorer"
	"dejavu/experiments/findings"
	"dejavu/experiments/ledger"
	"dejavu/experiments/peers"
	"dejavu/experiments/peers/standing"
	"dejavu/experiments/table1"
	"dejavu/page"
	"dejavu/plots"
	"dejavu/results"
)

// Scope is the settings of the page's interactive part. Most tests are content with
// fewer than all.
var Scope = explorer.Whole

// writePage writes report.html.
func writePage(out string, p page.Page) error {
	return results.Replace(filepath.Join(out, "report.html"), func(w io.Writer) error { return page.Write(w, p) })
}

// page is the page of a run.
func (d Document) page(out string, run *results.Run, drawn []plots.Drawn) (p page.Page, err error) {
	if p.Explorer, err = explorer.New(Scope); err != nil {
		return p, err
	}
	p.Title, p.Question, p.Lead = d.Title, d.Question, d.Lead
	cells := d.cells(out, run)
	if d.Simulated {
		p.Answer, p.Findings = stated(findings.Advice(cells)), stated(findings.Of(cells))
		p.Frontier = frontier(cells)
		p.Headline = table1.Headline(cells)
	}
	files := map[string]plots.Drawn{}
	for _, f := range drawn {
		if f.Skipped == "" {
			files[f.Name] = f
		}
	}
	for _, x := range d.Experiments {
		var tables []results.Table
		if x.Tables != nil {
			tables = said(x.Tables(cells))
		}
		var rows []string
		if len(x.Figures) > 0 {
			if rows, err = attach(&p, nil, results.FileName(x.Name), run.Rows, x.Name); err != nil {
				return p, err
			}
			if rows, err = attach(&p, rows, results.TimingFileName(x.Name), run.Timing, x.Name); err != nil {
				return p, err
			}
		}
		if p.Figures, tables, err = illustrate(p.Figures, x.Figures, files, tables, rows); err != nil {
			return p, err
		}
		p.Rest = append(p.Rest, tables...)
	}
	if !d.Simulated {
		return p, nil
	}
	beside := peers.Of(out)
	rows, err := attach(&p, nil, results.FileName(results.Peers), beside.Rows(), results.Peers)
	if err != nil {
		return p, err
	}
	if p.Figures, _, err = illustrate(p.Figures, peers.Figures, files, nil, rows); err != nil { // its tables stand in the text
		return p, err
	}
	p.Verdicts, p.Rule = verdicts(run)
	p.Peers.Lead = []string{beside.From}
	if beside.Run != nil {
		r, _ := standing.NewReport(beside.Run)
		p.Peers.Provenance, p.Peers.Tables, p.Peers.Rule, p.Peers.Exceptions = r.Provenance, r.Tables, r.Rule, r.Exceptions
	}
	p.Rest = append(p.Rest, said([]results.Table{statuses(run)})...)
	return p, nil
}

// link is a link in Markdown, to a place that the page does not know.
var link = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// stated are findings as the page has them.
func stated(all []findings.Finding) (said []page.Finding) {
	for _, f := range all {
		said = append(said, page.Finding{Title: f.Title, Text: link.ReplaceAllString(f.Text, "`$1`"), Figure: f.Figure})
	}
	return said
}

// attach puts rows of an experiment on the page as a file of that name. It returns the
// names with this one's, unless there are no rows.
func attach(p *page.Page, names []string, name string, rows []results.Row, experiment string) ([]string, error) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return r.Experiment != experiment })
	if len(rows) == 0 {
		return names, nil
	}
	return append(names, name), p.Attach(name, func(w io.Writer) error { return results.Write(w, rows) })
}

// illustrate adds the figures that were drawn to the page's, the first of them with
// the tables, and returns the tables for which there was none.
func illustrate(to []page.Figure, figures []plots.Figure, files map[string]plots.Drawn, tables []results.Table, rows []string) ([]page.Figure, []results.Table, error) {
	for _, f := range figures {
		drawn, ok := files[f.Name]
		if !ok {
			continue
		}
		svg, err := os.ReadFile(drawn.Files[0])
		if err != nil {
			return to, nil, err
		}
		to = append(to, page.Figure{Name: f.Name, Title: f.Title, Caption: f.Caption, SVG: svg, Tables: tables, Rows: rows})
		tables = nil
	}
	return to, tables, nil
}

// verdicts is the ledger by verdict, and what it rests on.
func verdicts(run *results.Run) (groups []page.Group, rule []string) {
	l := ledger.Of(run)
	for _, g := range l.Groups() {
		tone := page.Plain
		switch {
		case g.Verdict.Upheld():
			tone = page.Good
		case g.Verdict == claims.Refuted:
			tone = page.Bad
		}
		groups = append(groups, page.Group{Verdict: g.Verdict.String(), Tone: tone, Claims: g.Claims})
	}
	return groups, strings.Split(strings.TrimSpace(l.Foot()), "\n")
}
