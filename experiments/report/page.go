package report

import (
	"io"
	"os"
	"path/filepath"
	"slices"

	"dejavu/claims"
	"dejavu/experiments/explorer"
	"dejavu/experiments/findings"
	"dejavu/experiments/ledger"
	"dejavu/experiments/peers"
	"dejavu/experiments/table1"
	"dejavu/internal/document"
	"dejavu/internal/page"
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
		p.Headline = table1.Headline.Of(cells)
	}
	files := map[string]plots.Drawn{}
	for _, f := range drawn {
		if f.Skipped == "" {
			files[f.Name] = f
		}
	}
	for _, x := range d.Experiments {
		tables := document.Tables(x.Tell(cells)...)
		var rows []string
		if len(x.Figures) > 0 {
			if rows, err = attach(&p, nil, results.FileName(x.Name), run.Rows, x.Name); err != nil {
				return p, err
			}
			if rows, err = attach(&p, rows, results.TimingFileName(x.Name), run.Timing, x.Name); err != nil {
				return p, err
			}
		}
		shown, err := illustrate(&p, x.Figures, files, tables, rows)
		if err != nil {
			return p, err
		}
		if !shown {
			p.Rest = append(p.Rest, folded(tables)...)
		}
	}
	if !d.Simulated {
		return p, nil
	}
	beside := peers.Of(out)
	rows, err := attach(&p, nil, results.FileName(results.Peers), beside.Rows(), results.Peers)
	if err != nil {
		return p, err
	}
	if _, err = illustrate(&p, peers.Figures, files, nil, rows); err != nil { // its tables stand in the text
		return p, err
	}
	p.Verdicts, p.Rule = verdicts(run)
	p.Peers = beside.Blocks()
	p.Rest = append(p.Rest, folded(document.Tables(statuses(run)))...)
	return p, nil
}

// folded are tables, each in a fold.
func folded(tables []document.Block) (folds []document.Block) {
	for _, t := range tables {
		folds = append(folds, document.Fold{Title: t.(document.Table).Title, Blocks: []document.Block{t}})
	}
	return folds
}

// stated are findings as the page has them.
func stated(all []findings.Finding) (some []page.Finding) {
	for _, f := range all {
		some = append(some, page.Finding(f))
	}
	return some
}

// attach puts rows of an experiment on the page as a file of that name. It returns the
// names with this one's, unless there are no rows.
func attach(p *page.Page, names []string, name string, rows []results.Row, experiment string) ([]string, error) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return r.Experiment != experiment })
	if len(rows) == 0 {
		return names, nil
	}
	return append(names, name), p.Attach(name, func(w io.Writer) error { return results.Write(w, results.Used(rows), rows) })
}

// illustrate adds the figures that were drawn to the page's, the first of them with
// the tables, and reports whether there was any.
func illustrate(
	p *page.Page, figures []plots.Figure, files map[string]plots.Drawn, tables []document.Block, rows []string,
) (shown bool, err error) {
	for _, f := range figures {
		drawn, ok := files[f.Name]
		if !ok {
			continue
		}
		svg, err := os.ReadFile(drawn.Files[0])
		if err != nil {
			return shown, err
		}
		p.Figures = append(p.Figures, page.Figure{
			Name: f.Name, Title: f.Title, Caption: f.Caption, SVG: svg,
			Numbers: tables, Rows: rows,
		})
		tables, shown = nil, true
	}
	return shown, nil
}

// verdicts is the ledger by verdict, and what it rests on.
func verdicts(run *results.Run) (groups []page.Group, rule []document.Block) {
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
	return groups, l.Foot()
}
