package report

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/catalogue"
	"dejavu/experiments/choose"
	"dejavu/experiments/paper"
	"dejavu/experiments/peers"
	"dejavu/experiments/text"
	"dejavu/experiments/tradeoff"
	"dejavu/internal/document"
	"dejavu/internal/page"
	"dejavu/plots"
	"dejavu/results"
	"dejavu/results/by"
)

func (d Document) page(out string, run *results.Run, drawn []plots.Drawn) (p page.Page, err error) {
	p.Explorer, p.Play = choose.New(), choose.Play()
	p.Title, p.Question, p.Lead = d.Title, d.Question, d.Lead
	cells := results.NewCells(run.All())
	if d.Simulated {
		for _, f := range choose.Advice(p.Explorer) {
			p.Answer = append(p.Answer, page.Finding(f))
		}
		for _, f := range FindingsOf(cells) {
			p.Findings = append(p.Findings, page.Finding(f))
		}
		p.Frontier = frontier(cells)
		p.Headline = paper.Headline.Of(cells)
	}
	for _, x := range d.Experiments {
		tables := document.Tables(x.Tell(cells)...)
		shown := len(p.Figures)
		if err := illustrate(&p, x.Name, drawn, tables, run); err != nil {
			return p, err
		}
		if shown == len(p.Figures) {
			p.Rest = append(p.Rest, document.Folded(tables...)...)
		}
	}
	if !d.Simulated {
		return p, nil
	}
	_, p.Peers = peers.Of(out)
	p.Verdicts, p.Rule = verdicts(run)
	p.Rest = append(p.Rest, document.Folded(document.Tables(statuses(run))...)...)
	return p, illustrate(&p, results.Peers, drawn, nil, run) // the text has its tables
}

// illustrate adds the figures that were drawn of an experiment to the page's, the first of them with the tables, and
// each with the names of the files of rows.
func illustrate(p *page.Page, experiment string, drawn []plots.Drawn, tables []document.Block, run *results.Run) error {
	var files []string
	for i, all := range [][]results.Row{run.Rows, run.Timing} {
		name := []string{results.FileName(experiment), results.TimingFileName(experiment)}[i]
		if slices.ContainsFunc(all, func(r results.Row) bool { return r.Experiment == experiment }) {
			files = append(files, name)
		}
	}
	for _, f := range drawn {
		if f.Experiment != experiment || f.Skipped != "" {
			continue
		}
		svg, err := os.ReadFile(f.Files[0])
		if err != nil {
			return err
		}
		p.Figures = append(p.Figures, page.Figure{
			Name: f.Name, Title: f.Title, Caption: f.Caption, SVG: svg, Narrow: f.Narrow, Numbers: tables, Rows: files,
		})
		tables = nil
	}
	return nil
}

// verdicts groups the ledger by verdict, refuted claims first, and says what verdicts rest on. In place of the verdict
// it shows on which side the rows lie.
func verdicts(run *results.Run) (groups []page.Group, rule []document.Block) {
	l := LedgerOf(run)
	order := append([]claims.Verdict{claims.Refuted}, claims.Verdicts...)
	for i, v := range order {
		some := l.Only(func(f claims.Finding) bool { return f.Verdict == v })
		if len(some.Findings) == 0 || slices.Contains(order[:i], v) {
			continue
		}
		t := some.Table("Claims: "+v.String(),
			inID, inWhere, inSays, inStated, inFound, inOf, inBeyond, inAmended)
		t.Anchor = "claim"
		g := page.Group{Verdict: v.String(), Tone: page.Plain, Claims: t}
		if v.Upheld() {
			g.Tone = page.Good
		} else if v == claims.Refuted {
			g.Tone = page.Bad
		}
		groups = append(groups, g)
	}
	return groups, l.Foot()
}

// axes are the quantities of the frontier, and the queries of their rows.
var axes = []struct {
	key, name, unit string
	query           results.Query // of every structure, for what is alike
	scale           float64       // of the rows' unit in the axis'
	limited, more   bool
}{
	{"bytes", "bytes", "B", tradeoff.Of(results.QLongest), 1, true, false},
	{"query", "ns per candidate", "ns", tradeoff.Of(results.QQueryNanos, by.Candidates.At(40)), 1, true, false},
	{"worst", "worst FPR", "%", tradeoff.Of(results.QFPR, tradeoff.Worst), 100, true, false},
	{"mean", "mean FPR", "%", tradeoff.Of(results.QFPR, tradeoff.Mean), 100, false, false},
	{"guaranteed", "guaranteed window", "", tradeoff.Of(results.QWindow, tradeoff.Least), 1, true, true},
	{"record", "ns per record", "ns", tradeoff.Of(results.QRecordNanosEach, by.Recorded.At(10)), 1, false, false},
}

// frontier returns experiment tradeoff line by line, without lines if it did not run.
func frontier(c results.Cells) page.Frontier {
	f := page.Frontier{
		Title: "Compare what was measured",
		Note: "Every structure sized for a window of 400 articles: once for an FPR of at most 2 %, once for at most 512 " +
			"bytes, if it fits. Rates are by theory; times are from this run's machine.",
		Window: catalogue.SizedWindow,
	}
	for _, a := range axes {
		f.Axes = append(f.Axes, page.Axis{Key: a.key, Name: a.name, Unit: a.unit, More: a.more, Show: a.limited})
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
					if a.unit == "%" && r.Theory.IsSet() {
						r.Value = r.Theory
					}
					m = page.Measured{Value: a.scale * r.Value.Or(0), Text: text.Of(r)}
					if a.unit == "ns" {
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
