package report

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/results"
	"dejavu/results/by"
)

//go:embed report.tmpl
var replicationSource string

// ErrRows is the error of a run that lacks rows which the report quotes.
var ErrRows = errors.New("no replication report")

// ReplicationOf is the report on a run, with its figures in a directory, or ErrRows.
func ReplicationOf(run *results.Run, figures string) ([]document.Block, error) {
	said := LedgerOf(run).Only(func(f claims.Finding) bool { return f.Source == claims.Paper })
	q := quoter{cells: results.NewCells(run.All()), ledger: said, manifest: run.Manifest}
	t, err := template.New("report").Funcs(Functions(q.cells)).Funcs(q.functions()).
		Funcs(template.FuncMap{"figures": func() string { return figures }}).Parse(replicationSource)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	if err := t.Execute(&b, nil); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRows, err)
	}
	return document.Parse(b.String(), map[string]document.Block{
		"rate":       document.Formula("f = (1 - e^(-kn/m))^k,  least at k = (m/n) ln 2, where it is (1/2)^k,"),
		"bits":       document.Formula("m >= n log2(1/ε) / ln 2."),
		"replicated": q.replicated(),
		"refuted":    q.refutations(),
		"statements": q.statements(),
	})
}

// A quoter quotes verdicts and the manifest.
type quoter struct {
	cells    results.Cells
	ledger   Ledger // of what the paper says, and not the other sources
	manifest results.Manifest
}

// The columns of the ledger that are quoted.
const (
	claim, says, where, stated          = "claim", "what it says (reading)", "where", "stated"
	replicationFound, observed, verdict = "found (95 %)", "of", "verdict"
	amended                             = "true with"
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
		"stated": column(stated), "found": column(replicationFound), "checks": column(observed), "trueWith": column(amended),
		"frozen": func() string {
			return fmt.Sprintf("%s (digest %.12s)", claims.FrozenDate, claims.FrozenDigest)
		},
		"count": q.count, "require": q.require, "formulaLow": q.formulaLow, "moved": q.moved, "span": q.span,
		"refuted": func(cause string) string { return strings.Join(q.refuted(cause), ", ") },
		"because": func(causes ...string) (n int) {
			for _, c := range causes {
				n += len(q.refuted(c))
			}
			return n
		},
		"explained": q.explained,
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

// formulaLow says by how much the paper's formula lies below the exact rate of a strategy after n articles.
func (q quoter) formulaLow(strategy string, n int) (string, error) {
	of := results.Find(results.QFPR, by.Articles.At(float64(n))).In(results.FPR).Of(strategy)
	paper, has := q.cells.One(of.With(by.Formula.Is(results.AsymptoticFormula)))
	exact, ok := q.cells.One(of.With(by.Formula.Is(results.ExactFormula)))
	if !has || !ok || exact.Theory.Or(0) == 0 {
		return "", fmt.Errorf("no theory of %s", of)
	}
	return fmt.Sprintf("%.2g %%", 100*(1-paper.Theory.Or(0)/exact.Theory.Or(0))), nil
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

// causes are the errors that statements are refuted for, and what they are of.
var causes = map[string][]string{
	"rounded": {"P9b", "P12", "P13", "P14", "P19b", "P21", "P36a", "P38"}, // a rate of the best real k, at a whole one
	"full":    {"P15", "P16"},                                             // full is not saturated
	"union":   {"P35", "P36b"},                                            // the rates of links add up
	"literal": {"P25a"},
	"promise": {"P30b"},
}

// refuted lists the claims that are refuted for a cause: of few users it may not be all.
func (q quoter) refuted(cause string) []string {
	return slices.DeleteFunc(slices.Clone(causes[cause]), func(claim string) bool {
		verdict, err := q.verdict(claim)
		return err != nil || verdict != claims.Refuted.String()
	})
}

// explained is nothing where each refuted claim has a cause, and otherwise an error: the text counts them by cause.
func (q quoter) explained() (string, error) {
	for _, f := range q.ledger.Findings {
		has := func(cause string) bool { return slices.Contains(causes[cause], f.ID) }
		if f.Verdict == claims.Refuted && !slices.ContainsFunc(slices.Collect(maps.Keys(causes)), has) {
			return "", fmt.Errorf("claim %s is refuted, and the text has no cause for it", f.ID)
		}
	}
	return "", nil
}

// moved lists the claims that half or twice the tolerance makes refuted, or keeps from it.
func (q quoter) moved() string {
	var some []string
	for _, f := range q.ledger.Findings {
		is, s := f.Verdict == claims.Refuted, f.Stretch
		if s.Known() && (is != (s.Halved == claims.Refuted) || is != (s.Doubled == claims.Refuted)) {
			some = append(some, f.ID)
		}
	}
	return strings.Join(some, ", ")
}

// span is the least and the most that rows of a query have, scaled: of their values, or of the dimension that the
// query leaves open.
func (q quoter) span(format string, scale float64, dimension, query string) (string, error) {
	parsed, err := results.ParseQuery(query)
	if err != nil {
		return "", err
	}
	var found []float64
	for _, r := range q.cells.All(parsed) {
		v := r.Value
		if dimension != "" {
			v = r.Coordinate(results.Dimension{Name: dimension})
		}
		found = append(found, scale*v.Or(0))
	}
	if len(found) < 2 {
		return "", fmt.Errorf("%d rows of %s have no span", len(found), query)
	}
	return fmt.Sprintf(format+" to "+format, slices.Min(found), slices.Max(found)), nil
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
			column("payload a user", text.WithPaper, results.QPayloadPerUser),
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

// refutations are the refuted claims, with what would make them true.
func (q quoter) refutations() document.Table {
	some := q.ledger.Only(func(f claims.Finding) bool { return f.Verdict == claims.Refuted })
	t := some.Table("What the paper says and the run refutes", claim, says, replicationFound, amended)
	t.Header = []string{claim, "what the paper says (reading)", "found", amended}
	for _, row := range t.Rows {
		row[2], _, _ = strings.Cut(row[2], " (")
	}
	return t
}

// statements is the paper's whole ledger.
func (q quoter) statements() document.Table {
	t := q.ledger.Table("All statements of the paper, with 95 % intervals", claim, where, says, replicationFound, verdict, amended)
	t.Header[3] = "found"
	for _, row := range t.Rows {
		row[1] = strings.TrimPrefix(row[1], string(claims.Paper)+" ")
	}
	return t
}
