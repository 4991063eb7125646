package replication

import (
	"strings"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/internal/document"
	"dejavu/results"
	"dejavu/results/by"
)

// replicated is the paper's Table 1 as it came out.
func (q quoter) replicated() document.Table {
	t := document.Table{
		Title: "The paper's comparison, as it came out; in round brackets what the paper states, in square ones theory",
		Header: []string{
			"strategy", "bytes a user", "all users", "FPR at 500", "FPR, mean of a cycle", "FPR at worst",
			"window",
		},
	}
	worst := results.Find(results.QFPR, by.Statistic.Is("worst"))
	queries := []results.Query{
		results.Find(results.QPayloadPerUser), results.Find(results.QPayloadTotal),
		results.Find(results.QFPR, by.Articles.At(500)), results.Find(results.QFPR, by.Statistic.Is("mean")), worst,
		results.Find(results.QWindow, by.Statistic.Is("least")),
	}
	for i, name := range []string{"queue", "single", "dual", "chain", "chain-literal", "chain-sized"} {
		line := []string{name}
		for _, query := range queries {
			r, ok := q.cells.One(query.In(results.Table1).Of(name))
			cell := text.WithPaper(r, ok)
			switch {
			case ok && query == worst:
				cell = text.WithTheory(r)
			case i > 3 && query.Quantity == results.QPayloadTotal: // a variant, on some of the users
				cell = text.None
			}
			line = append(line, cell)
		}
		t.Rows = append(t.Rows, line)
	}
	return t
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
