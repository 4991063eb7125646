package ledger

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"dejavu/claims"
	"dejavu/experiments/text"
	"dejavu/internal/document"
)

// Only is the ledger with the findings for which keep holds.
func (l Ledger) Only(keep func(claims.Finding) bool) Ledger {
	l.Findings = slices.DeleteFunc(slices.Clone(l.Findings), func(f claims.Finding) bool { return !keep(f) })
	return l
}

// Title counts the verdicts, in a line.
func (l Ledger) Title() string {
	var counts []string
	for _, v := range claims.Verdicts {
		if n := l.Count(v); n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", v, n))
		}
	}
	return "Verdicts on what the sources say: " + strings.Join(counts, ", ")
}

// Verdicts is a line a claim; wide has the theory, the design effect and the p-value too.
func (l Ledger) Verdicts(wide bool) document.Table {
	columns := []string{"claim", "where", "what it says (reading)", "stated", "found (95 %)", "of", "verdict", "true with"}
	if wide {
		columns = append(columns, "theory", "inside", "design effect", "p, Holm")
	}
	return l.Table(l.Title(), columns...)
}

// Judged is the verdicts that the rows give, for the top of a run's report; without
// rows where no claim can be judged.
func (l Ledger) Judged() document.Table {
	t := l.Only(func(f claims.Finding) bool { return f.Verdict.Judged() }).Verdicts(false)
	t.Title = l.Title()
	return t
}

// Grounds is why each verdict is what it is, and what it takes to look again.
func (l Ledger) Grounds() document.Table {
	return l.Table(fmt.Sprintf("How they were reached (Holm's correction over %d claims that rest on rates)", l.Tests),
		"claim", "quantity", "true if", "because", "rows", "again with", "which took")
}

// Full is all that is known of a claim, a line a thing.
func (l Ledger) Full(f claims.Finding) document.Table {
	t := document.Table{Header: []string{f.ID, f.Says}}
	facts := l.facts(f)
	for _, name := range []string{
		"where", "reading", "quantity", "stated", "true if", "because", "rows", "found (95 %)", "farthest", "of",
		"theory", "inside", "design effect", "p, Holm", "verdict", "true with", "missing", "again with", "which took",
	} {
		values := []string{facts[name]}
		switch name {
		case "rows":
			values = evidence(f)
		case "missing":
			values = f.Missing
		}
		for _, v := range values {
			if v != "" && v != text.None {
				t.Rows = append(t.Rows, []string{cmp.Or(fullNames[name], name), v})
			}
		}
	}
	return t
}

// fullNames are longer than columns have room for.
var fullNames = map[string]string{
	"where": "source", "found (95 %)": "found", "of": "observations", "inside": "theory in the interval",
}

// Foot says how to see more, and what is missing.
func (l Ledger) Foot() []document.Block {
	var blocks []document.Block
	var commands []string // each once
	for _, f := range l.Only(func(f claims.Finding) bool { return f.Verdict == claims.Unmeasured }).Findings {
		if again := l.again(f); !slices.Contains(commands, again) {
			commands = append(commands, again)
		}
	}
	if len(commands) > 0 {
		blocks = append(blocks,
			document.Paragraph(fmt.Sprintf("Not measured in this run of %d users: %d. What measures them:",
				l.manifest.Users, l.Count(claims.Unmeasured))),
			document.List{Items: commands})
	}
	return append(blocks, document.Paragraph(fmt.Sprintf(
		"Of %d claims that rest on rates, the chance that any is wrongly refuted is at most %.0f %%, and that any is "+
			"wrongly upheld at most %.0f %% (Holm's correction, for each). The chance of any wrong verdict is then at most "+
			"%.0f %%. "+
			"'claims P12' shows how the verdict on claim P12 was reached.",
		l.Tests, 100*claims.Alpha, 100*claims.Alpha, 200*claims.Alpha)))
}

// WriteCSV writes a line a claim, numbers as they are, with what it costs to make its
// rows again.
func (l Ledger) WriteCSV(w io.Writer) error { return l.csv(true).CSV(w) }
