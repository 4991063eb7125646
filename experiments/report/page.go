package report

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/explorer"
	"dejavu/experiments/findings"
	"dejavu/experiments/ledger"
	"dejavu/experiments/peers"
	"dejavu/experiments/table1"
	"dejavu/experiments/text"
	"dejavu/experiments/tradeoff"
	"dejavu/internal/document"
	"dejavu/internal/page"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

// page is the page of a run.
func (d Document) page(out string, run *results.Run, drawn []plots.Drawn) (p page.Page, err error) {
	p.Explorer = explorer.New()
	p.Title, p.Question, p.Lead = d.Title, d.Question, d.Lead
	cells := d.cells(out, run)
	if d.Simulated {
		p.Answer, p.Findings = findings.Advice(cells), findings.Of(cells)
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
			if rows, err = attach(&p, x.Name, run.Rows, run.Timing); err != nil {
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
	rows, err := attach(&p, results.Peers, beside.Rows(), nil)
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

// attach puts the rows of an experiment on the page, in files from where links save them.
func attach(p *page.Page, experiment string, rows, timing []results.Row) (names []string, err error) {
	for i, all := range [][]results.Row{rows, timing} {
		name := []string{results.FileName(experiment), results.TimingFileName(experiment)}[i]
		of := slices.DeleteFunc(slices.Clone(all), func(r results.Row) bool { return r.Experiment != experiment })
		if len(of) == 0 {
			continue
		}
		names = append(names, name)
		if err := p.Attach(name, func(w io.Writer) error { return results.Write(w, results.Used(of), of) }); err != nil {
			return nil, err
		}
	}
	return names, nil
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
			Name: f.Name, Title: f.Title, Caption: f.Caption, SVG: svg, Numbers: tables, Rows: rows,
		})
		tables, shown = nil, true
	}
	return shown, nil
}

// verdicts is the ledger by verdict, and what it rests on: what was refuted first, for there is
// the news. In place of the verdict stands on which side the rows lie.
func verdicts(run *results.Run) (groups []page.Group, rule []document.Block) {
	l := ledger.Of(run)
	order := append([]claims.Verdict{claims.Refuted}, claims.Verdicts...)
	for i, v := range order {
		some := l.Only(func(f claims.Finding) bool { return f.Verdict == v })
		if len(some.Findings) == 0 || slices.Contains(order[:i], v) {
			continue
		}
		t := some.Table("Claims: "+v.String(),
			"claim", "where", "what it says (reading)", "stated", "found (95 %)", "of", "found is", "true with")
		t.Anchor = "claim"
		tone := page.Plain
		switch {
		case v.Upheld():
			tone = page.Good
		case v == claims.Refuted:
			tone = page.Bad
		}
		groups = append(groups, page.Group{Verdict: v.String(), Tone: tone, Claims: t})
	}
	return groups, l.Foot()
}

// axes are the quantities of the frontier, and where their rows are.
var axes = []struct {
	page.Axis
	query results.Query // of every structure, for what is alike
	scale float64       // of the rows' unit in the axis'
}{
	{page.Axis{Key: "bytes", Name: "bytes", Unit: "B", Show: true}, tradeoff.Of(results.QLongest), 1},
	{page.Axis{Key: "query", Name: "ns a candidate", Unit: "ns", Show: true}, tradeoff.Of(results.QQueryNanos, by.Candidates.At(40)), 1},
	{page.Axis{Key: "fpr", Name: "FPR at worst", Unit: "%", Show: true}, tradeoff.Of(results.QFPR, tradeoff.Worst), 100},
	{page.Axis{Key: "mean", Name: "FPR, mean", Unit: "%"}, tradeoff.Of(results.QFPR, tradeoff.Mean), 100},
	{page.Axis{Key: "window", Name: "guaranteed window", More: true, Show: true}, tradeoff.Of(results.QWindow, tradeoff.Least), 1},
	{page.Axis{Key: "record", Name: "ns an article recorded", Unit: "ns"}, tradeoff.Of(results.QRecordNanosEach, by.Recorded.At(10)), 1},
}

// frontier is the experiment tradeoff line by line; without lines where it did not run.
func frontier(c results.Cells) page.Frontier {
	f := page.Frontier{
		Title: "Compare what was measured",
		Note: "Every structure made for a window of 400 articles: once for 2 % of false positives at worst, once for " +
			"512 bytes at most, where it fits. Rates are by theory, which the measurements meet; times are of this " +
			"run's machine.",
	}
	for _, a := range axes {
		f.Axes = append(f.Axes, a.Axis)
	}
	for _, made := range []struct {
		alike results.Condition
		goal  string
	}{{tradeoff.AtRate, "2 % at worst"}, {tradeoff.InBytes, "512 bytes"}} {
		for _, e := range catalogue.All() {
			if _, ok := c.One(tradeoff.Of(results.QLongest, made.alike).Of(e.Name)); !ok {
				continue
			}
			_, fixed := c.One(tradeoff.Of(results.QCapacity, made.alike).Of(e.Name))
			t := page.Trade{Name: strings.TrimPrefix(e.Name, results.Beyond), About: e.About, For: made.goal, Lasts: !fixed}
			for _, a := range axes {
				m := page.Measured{Value: math.NaN(), Text: text.None}
				if r, ok := c.One(a.query.With(made.alike).Of(e.Name)); ok {
					if a.Unit == "%" && r.Theory.IsSet() {
						r.Value = r.Theory
					}
					m = page.Measured{Value: a.scale * r.Value.Or(0), Text: text.Of(r)}
					if a.Unit == "ns" {
						m.Text = fmt.Sprintf("%.1f ns", m.Value)
					}
				}
				t.Values = append(t.Values, m)
			}
			f.Trades = append(f.Trades, t)
		}
	}
	return f
}
