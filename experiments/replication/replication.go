// Package replication is the report on a run as a replication of the paper, in the form
// that ReScience C asks for: what the paper specifies and what it leaves open, what
// was run, and what held.
//
// The text is report.tmpl. Every number in it that is not the paper's own is a row of
// the run or a verdict that rests on rows; where one is missing there is no report. It
// is made as Markdown, and as LaTeX from that.
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
	"dejavu/results"
)

//go:embed report.tmpl
var source string

// ErrRows is the error of a run that lacks rows which the report quotes.
var ErrRows = errors.New("no replication report")

// A Report is the text on a run: headings, paragraphs, lists, and lines that begin
// with @ where a table, a figure or a formula goes.
type Report struct {
	text   string
	tables map[string]results.Table
}

// Of is the report on a run, or ErrRows.
func Of(run *results.Run) (Report, error) {
	q := quoter{cells: results.NewCells(run.All()), ledger: papers(run), manifest: run.Manifest, claims: map[string][]string{}}
	for _, row := range q.ledger.Verdicts(false).Rows {
		q.claims[row[0]] = row
	}
	t, err := template.New("report").Option("missingkey=error").Funcs(q.functions()).Parse(source)
	if err != nil {
		return Report{}, err
	}
	var b strings.Builder
	if err := t.Execute(&b, nil); err != nil {
		return Report{}, fmt.Errorf("%w: %w", ErrRows, err)
	}
	return Report{b.String(), q.tables()}, nil
}

// papers is the ledger of what the paper says, and not the other sources.
func papers(run *results.Run) ledger.Ledger {
	l := ledger.Of(run)
	all := l.Findings
	l.Findings = nil
	for _, f := range all {
		if f.Source == claims.Paper {
			l.Findings = append(l.Findings, f)
		}
	}
	return l
}

// A quoter quotes rows and verdicts.
type quoter struct {
	cells    results.Cells
	ledger   ledger.Ledger
	manifest results.Manifest
	claims   map[string][]string // lines of the ledger, by claim
}

// The columns of such a line.
const (
	columnClaim, columnWhere, columnSays, columnStated = 0, 1, 2, 3
	columnFound, columnOf, columnVerdict, columnTrue   = 4, 5, 6, 7
)

// functions are what the text quotes with.
func (q quoter) functions() template.FuncMap {
	number := func(format string, scale float64) any {
		return func(experiment, strategy, x, quantity string) (string, error) {
			r, err := q.row(experiment, strategy, x, quantity)
			return fmt.Sprintf(format, scale*r.Value.Or(0)), err
		}
	}
	column := func(at int) any {
		return func(claim string) (string, error) {
			line, ok := q.claims[claim]
			if !ok || line[at] == "" || line[at] == text.None {
				return "", fmt.Errorf("nothing in column %d of claim %s", at, claim)
			}
			if n, err := strconv.Atoi(line[at]); err == nil {
				return text.Thousands(n), nil
			}
			return line[at], nil
		}
	}
	return template.FuncMap{
		"users": func() string { return text.Thousands(q.manifest.Users) }, "seed": func() uint64 { return q.manifest.Seed },
		"commit": func() string { return q.manifest.Commit[:min(12, len(q.manifest.Commit))] }, "machine": q.machine, "count": q.count, "after": after,
		"all": func() string { return strconv.Itoa(q.manifest.Users) }, "default": func() string { return text.Thousands(results.DefaultUsers) },
		"percent": number("%.2g %%", 100), "share": number("%.0f %%", 100), "permille": number("%.0f", 1000),
		"stated": column(columnStated), "found": column(columnFound), "checks": column(columnOf),
		"verdict": q.verdict, "require": q.require, "refuted": q.refuted, "trueWith": column(columnTrue),
		"of": func(experiment, strategy, x, quantity string) (string, error) {
			r, err := q.row(experiment, strategy, x, quantity)
			return text.Of(r), err
		},
		"theory": func(experiment, strategy, x, quantity string) (string, error) {
			r, err := q.row(experiment, strategy, x, quantity)
			return text.Percent(r.Theory.Or(0)), err
		},
		"among": func(experiment, strategy, x, quantity string) (string, error) {
			r, err := q.row(experiment, strategy, x, quantity)
			return text.Thousands(int(r.Count)), err
		},
		"interval": func(experiment, strategy, x, quantity string) (string, error) {
			r, err := q.row(experiment, strategy, x, quantity)
			return fmt.Sprintf("95 %% interval %.2f to %.2f", r.Low.Or(0), r.High.Or(0)), err
		},
		"below":   q.below,
		"finding": q.finding,
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

// row is a row, or the error of one that is not there.
func (q quoter) row(experiment, strategy, x, quantity string) (results.Row, error) {
	r, ok := q.cells.Find(experiment, strategy, x, quantity)
	if !ok {
		return r, fmt.Errorf("no row %s: %s of %s at %q", experiment, quantity, strategy, x)
	}
	return r, nil
}

// machine is where the run was, and what it took.
func (q quoter) machine() string {
	e := q.manifest.Environment
	return fmt.Sprintf("%.0f s on %d processors (%s), %s", q.manifest.Seconds, e.CPUs, e.CPU, e.Go)
}

// count is how many of the paper's claims have a verdict that begins so.
func (q quoter) count(verdict string) (n int) {
	for _, f := range q.ledger.Findings {
		if said := f.Verdict.String(); said == verdict || verdict == "" || verdict == claims.Untestable.String() && f.Verdict == claims.Vague {
			n++
		}
	}
	return n
}

// below is by how much the evidence of a claim on a quotient lies below 1.
func (q quoter) below(claim string) (string, error) {
	for _, f := range q.ledger.Findings {
		if v, ok := f.Estimate.Value, len(f.Missing) == 0; f.ID == claim && ok {
			return fmt.Sprintf("%.1f %%", 100*(1-v)), nil
		}
	}
	return "", fmt.Errorf("no theory of claim %s", claim)
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
	line, ok := q.claims[claim]
	if !ok {
		return "", fmt.Errorf("no claim %s", claim)
	}
	verdict, _, _ := strings.Cut(line[columnVerdict], ":")
	return verdict, nil
}

// require is nothing where claims have the verdict that the text rests on, or one that
// begins with it, and otherwise an error: of few users a claim may be undecided.
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

// after is what stands behind a word.
func after(word, s string) string {
	_, rest, _ := strings.Cut(s, word)
	return rest
}
