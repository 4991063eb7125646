// Package replication is the report on a run as a replication of the paper, in the form that ReScience C asks
// for: what the paper specifies and what it leaves open, what was run, and what held.
//
// The text is report.tmpl. Every number in it that is not the paper's own is a row of the run or a verdict that rests
// on rows; where one is missing there is no report. It is made as Markdown, and as LaTeX from that.
package replication

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"dejavu/claims"
	"dejavu/experiments/findings"
	"dejavu/experiments/ledger"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/results"
	"dejavu/results/by"
)

//go:embed report.tmpl
var source string

// ErrRows is the error of a run that lacks rows which the report quotes.
var ErrRows = errors.New("no replication report")

// Of is the report on a run, with its figures in a directory, or ErrRows.
func Of(run *results.Run, figures string) ([]document.Block, error) {
	said := ledger.Of(run).Only(func(f claims.Finding) bool { return f.Source == claims.Paper })
	q := quoter{cells: results.NewCells(run.All()), ledger: said, manifest: run.Manifest}
	t, err := template.New("report").Funcs(findings.Functions(q.cells)).Funcs(q.functions()).
		Funcs(template.FuncMap{"figures": func() string { return figures }}).Parse(source)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := t.Execute(&b, nil); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRows, err)
	}
	return document.Parse(b.String(), map[string]document.Block{
		"rate": document.Formula{
			Plain: "f = (1 - e^(-kn/m))^k,  least at k = (m/n) ln 2, where it is (1/2)^k,",
			TeX:   `f = \left(1 - e^{-kn/m}\right)^k, \qquad f_{\min} = (1/2)^k \ \mbox{ at } \ k = (m/n)\ln 2,`,
		},
		"bits":       document.Formula{Plain: "m >= n log2(1/ε) / ln 2.", TeX: `m \ge n \log_2(1/\varepsilon) \,/ \ln 2.`},
		"replicated": q.replicated(),
		"refuted":    q.judged("What the paper says and the run refutes", claims.Refuted),
		"corrected":  q.judged("What holds once a slip is corrected", claims.Corrected),
		"open":       q.judged("What cannot be tested as stated, and what was found", claims.Vague),
		"statements": q.statements(),
	})
}

// A quoter quotes verdicts and the manifest.
type quoter struct {
	cells    results.Cells
	ledger   ledger.Ledger // of what the paper says, and not the other sources
	manifest results.Manifest
}

// The columns of the ledger that are quoted.
const (
	claim, says, where, stated = "claim", "what it says (reading)", "where", "stated"
	found, observed, verdict   = "found (95 %)", "of", "verdict"
	amended, stretched         = "true with", "tolerance halved, doubled"
)

// functions are what the text quotes with, beside those of rows.
func (q quoter) functions() template.FuncMap {
	m := q.manifest
	column := func(name string) any {
		return func(claim string) (string, error) { return q.column(claim, name) }
	}
	return template.FuncMap{
		"users": func() string { return text.Thousands(m.Users) }, "all": func() string { return strconv.Itoa(m.Users) },
		"default": func() string { return text.Thousands(results.DefaultUsers) },
		"seed":    func() uint64 { return m.Seed }, "commit": func() string { return m.Commit[:min(12, len(m.Commit))] },
		"machine": func() string {
			e := m.Environment
			return fmt.Sprintf("%.0f s on %d processors (%s), %s", m.Seconds, e.CPUs, e.CPU, e.Go)
		},
		"stated": column(stated), "found": column(found), "checks": column(observed), "trueWith": column(amended),
		"stretched": column(stretched),
		"frozen": func() string {
			return fmt.Sprintf("%s (digest %.12s)", claims.Frozen.Date, claims.Frozen.Digest)
		},
		"count": q.count, "verdict": q.verdict, "require": q.require, "refuted": q.refuted, "below": q.below,
		"finding": q.finding,
		"after": func(word, s string) string {
			_, rest, _ := strings.Cut(s, word)
			return rest
		},
		"schemes": func() int {
			names := map[string]bool{}
			for _, r := range q.cells.Of(results.Hashes) {
				if r.Quantity == results.QNanosPerItem {
					names[r.Strategy] = true
				}
			}
			return len(names)
		},
	}
}

// column is what stands in a column of the ledger, or the error of a claim without.
func (q quoter) column(claim, name string) (string, error) {
	l, err := q.ledger.Named([]string{claim})
	if err != nil {
		return "", err
	}
	cell := l.Table("", name).Rows[0][0]
	if cell == "" || cell == text.None {
		return "", fmt.Errorf("nothing is %s of claim %s", name, claim)
	}
	if n, err := strconv.Atoi(cell); err == nil {
		return text.Thousands(n), nil
	}
	return cell, nil
}

// count is how many of the paper's claims have this verdict, or any.
func (q quoter) count(verdict string) int {
	return len(q.ledger.Only(func(f claims.Finding) bool {
		untestable := f.Verdict == claims.Vague && verdict == claims.Untestable.String()
		return verdict == "" || f.Verdict.String() == verdict || untestable
	}).Findings)
}

// below is by how much the evidence of a claim on a quotient lies below 1.
func (q quoter) below(claim string) (string, error) {
	l, err := q.ledger.Named([]string{claim})
	if err != nil || len(l.Findings[0].Missing) > 0 {
		return "", fmt.Errorf("no theory of claim %s", claim)
	}
	return fmt.Sprintf("%.1f %%", 100*(1-l.Findings[0].Estimate.Value)), nil
}

// finding is the finding that a figure shows.
func (q quoter) finding(figure string) (string, error) {
	for _, f := range findings.Of(q.cells) {
		if f.Figure == figure {
			return f.Title + " " + f.Text, nil
		}
	}
	return "", fmt.Errorf("no finding on %s", figure)
}

// verdict is that of a claim, without the side on which it was off.
func (q quoter) verdict(claim string) (string, error) {
	s, err := q.column(claim, verdict)
	s, _, _ = strings.Cut(s, ":")
	return s, err
}

// require is nothing where claims have the verdict that the text rests on, or one that begins with it, and otherwise an
// error: of few users a claim may be undecided.
func (q quoter) require(verdict string, claims ...string) (string, error) {
	for _, c := range claims {
		if got, err := q.verdict(c); err != nil || !strings.HasPrefix(got, verdict) {
			return "", fmt.Errorf("claim %s: %s, where the text says: %s", c, got, verdict)
		}
	}
	return "", nil
}

// refuted lists those of some claims that are: of few users it may not be all.
func (q quoter) refuted(some ...string) string {
	return strings.Join(slices.DeleteFunc(some, func(claim string) bool {
		verdict, err := q.verdict(claim)
		return err != nil || verdict != claims.Refuted.String()
	}), ", ")
}

// replicated is the paper's Table 1 as it came out.
func (q quoter) replicated() document.Table {
	column := func(header string, show func(results.Row) string, quantity string, at ...results.Condition) text.Column {
		return text.Cell(header, results.Find(quantity, at...).In(results.Table1).Of(results.Any), show)
	}
	return text.Table{
		Title: "The paper's comparison, as it came out; in round brackets what the paper states, in square ones theory",
		Lines: results.Find(results.QPayloadPerUser).In(results.Table1).Of(results.Any),
		Keep: func(r results.Row) bool {
			return slices.Contains([]string{"queue", "single", "dual", "chain", "chain-literal", "chain-sized"}, r.Strategy)
		},
		Columns: []text.Column{
			{Header: "strategy", Show: func(r ...results.Row) string { return r[0].Strategy }},
			column("bytes a user", text.WithPaper, results.QPayloadPerUser),
			column("all users", ofAll, results.QPayloadTotal),
			column("FPR at 500", text.WithPaper, results.QFPR, by.Articles.At(500)),
			column("FPR, mean of a cycle", text.WithPaper, results.QFPR, by.Statistic.Is("mean")),
			column("FPR at worst", text.WithTheory, results.QFPR, by.Statistic.Is("worst")),
			column("window", text.WithPaper, results.QWindow, by.Statistic.Is("least")),
		},
	}.Of(q.cells)
}

// ofAll is what a strategy takes for all users; a variant ran on some of them.
func ofAll(r results.Row) string {
	if strings.Contains(r.Strategy, "-") {
		return text.None
	}
	return text.WithPaper(r)
}

// judged are the claims of one verdict, with what would make them true.
func (q quoter) judged(title string, verdict claims.Verdict) document.Table {
	some := q.ledger.Only(func(f claims.Finding) bool { return f.Verdict == verdict })
	t := some.Table(title, claim, says, found, amended)
	t.Header = []string{claim, "what the paper says (reading)", "found", amended}
	for _, row := range t.Rows {
		row[2], _, _ = strings.Cut(row[2], " (")
	}
	return t
}

// statements is the paper's whole ledger.
func (q quoter) statements() document.Table {
	t := q.ledger.Table("All statements of the paper, with 95 % intervals", claim, where, says, found, verdict)
	t.Header[3] = "found"
	for _, row := range t.Rows {
		row[1] = strings.TrimPrefix(row[1], string(claims.Paper)+" ")
	}
	return t
}
